import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newFunctionTool, type Tool } from '../../src/overlay/index.ts';
import { explainToolSchema, sanitizeToolSchemas } from '../../src/overlay/tool-schema/index.ts';
import { samples, subschemas } from '../support/schema-samples.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Source {
  readonly package: string;
  readonly version: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[];
}

const { sources } = JSON.parse(readFileSync(new URL('../corpus/mcp-tools.json', import.meta.url), 'utf8')) as { readonly sources: readonly Source[] };
const forbidden = ['anyOf', 'oneOf', 'allOf', '$ref', '$defs'];
const pairsPerSchema = 40;

interface Figures {
  schemas: number;
  rewritten: number;
  lossy: number;
  pairs: number;
  violations: string[];
}

const options = { strict: false, validateFormats: false, logger: false } as const;

/** The dialect decides about lists of items; a rewritten schema has lost the word of it, so it is judged as the original. */
function compile(schema: Schema, original: Schema): ValidateFunction {
  const { $schema: dialect, ...rest } = schema;
  const said = dialect ?? original['$schema'];
  return (typeof said === 'string' && said.includes('draft-07') ? new Ajv(options) : new Ajv2020(options)).compile(rest);
}

/** Everything the normalizer promises, held against one schema. */
function judge(original: Schema, figures: Figures, place: string): void {
  const violation = (words: string): void => void figures.violations.push(`${place}: ${words}`);
  const before = JSON.stringify(original);
  const tools: Tool[] = [newFunctionTool('tool', 'A tool', original as Record<string, unknown>)];
  const result = (sanitizeToolSchemas(tools)[0]?.function?.parameters ?? {}) as Schema;
  figures.schemas++;
  if (JSON.stringify(original) !== before) violation('the caller’s schema was changed');
  const left = [...subschemas(result)].flatMap((one) => forbidden.filter((keyword) => Object.hasOwn(one, keyword)));
  if (left.length > 0) violation(`${[...new Set(left)].join(', ')} left`);
  const inside = ![...subschemas(original)].some((one) => forbidden.some((keyword) => Object.hasOwn(one, keyword)));
  if (inside && result !== original) violation('a schema inside the subset came back as another object');
  if (result !== original) figures.rewritten++;
  const again = sanitizeToolSchemas([newFunctionTool('tool', 'A tool', result as Record<string, unknown>)]);
  if (again[0]?.function?.parameters !== result) violation('the result is rewritten once more');
  if (result === original) return;
  const accepts = compile(original, original);
  const stillAccepts = compile(result, original);
  for (const value of fc.sample(samples(original), { numRuns: pairsPerSchema, seed: 7 })) {
    if (!accepts(value)) continue;
    figures.pairs++;
    if (!stillAccepts(value)) violation(`narrowed: ${JSON.stringify(value)} ${JSON.stringify(stillAccepts.errors?.[0])}`);
  }
}

describe('tool schemas of real MCP servers', () => {
  it('come out without a forbidden keyword and accept all that they accepted', () => {
    const total: Figures = { schemas: 0, rewritten: 0, lossy: 0, pairs: 0, violations: [] };
    for (const source of sources) {
      for (const { name, inputSchema } of source.tools) {
        judge(inputSchema, total, `${source.package} ${name}`);
        if (explainToolSchema(inputSchema).some(({ lossy }) => lossy)) total.lossy++;
      }
    }
    const { violations, ...figures } = total;
    console.log('corpus', { servers: sources.length, ...figures, violations: violations.length });
    expect(figures.schemas).toBeGreaterThan(300);
    expect(violations).toEqual([]);
  });
});
