import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { explainToolSchema, sanitizeToolSchemas } from '../../../src/overlay/index.ts';
import type { SchemaRewrite, ToolSchemaOptions } from '../../../src/types/index.ts';
import { samples, subschemas } from '../../../test/support/schema-samples.ts';

export type Schema = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
}

interface Kept {
  kept: number;
  total: number;
}

/** Effects of rewriting a corpus of tool schemas. Sizes are bytes of JSON; growth is output to input. */
export interface SchemaFigures {
  readonly tools: number;
  rewritten: number;
  lossy: number;
  readonly growth: { readonly largest: number; readonly median: number; readonly aboveTwice: number; readonly largestBytes: number };
  /** Tools above twice their input and above 12 kB. */
  readonly aboveBound: string[];
  pairs: number;
  /** Broken promises, one line each. */
  readonly violations: string[];
  readonly names: Kept;
  readonly descriptions: Kept;
  readonly enums: Kept;
}

/** The two functions of the rewriter. Another version of it can be judged instead of the one of this tree. */
export interface Rewriter {
  readonly sanitizeToolSchemas: typeof sanitizeToolSchemas;
  readonly explainToolSchema: typeof explainToolSchema;
}

const ours: Rewriter = { sanitizeToolSchemas, explainToolSchema };

const lossy: readonly SchemaRewrite['action'][] = ['cut', 'widened', 'dropped', 'null-collapsed'];

/** Whether another set of values may be accepted after the rewrite. */
export function losesMeaning({ action }: SchemaRewrite): boolean {
  return lossy.includes(action);
}

const forbidden = ['anyOf', 'oneOf', 'allOf', '$ref', '$defs'];
const pairsPerSchema = 40;

/** Rewrites every tool schema below `folder`: those in `mcp-tools.json`, and one in each file of `schemas/`, as far as they exist. */
export function schemas(folder: string): SchemaFigures {
  return figuresOf(toolsIn(folder));
}

export function toolsIn(folder: string): Tool[] {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'));
  const has = (path: string): boolean => existsSync(join(folder, path));
  const published = (has('mcp-tools.json') ? read('mcp-tools.json') : { sources: [] }) as {
    readonly sources: readonly { readonly package: string; readonly tools: readonly Tool[] }[];
  };
  const own = has('schemas') ? readdirSync(join(folder, 'schemas')).sort() : [];
  return [
    ...published.sources.flatMap((source) => source.tools.map((tool) => ({ ...tool, name: `${source.package} ${tool.name}` }))),
    ...own.map((file) => read(join('schemas', file)) as Tool),
  ];
}

export function figuresOf(tools: readonly Tool[], options?: ToolSchemaOptions, rewriter: Rewriter = ours): SchemaFigures {
  const rewrite = (schema: Schema): Schema => rewriter.sanitizeToolSchemas([{ input_schema: schema }], options)[0]?.input_schema as Schema;
  const isLossy = (schema: Schema): boolean => rewriter.explainToolSchema(schema, options).some(losesMeaning);
  const sizes = tools.map(({ name, inputSchema }) => {
    const [before, after] = [bytesOf(inputSchema), bytesOf(rewrite(inputSchema))];
    return { name, before, after, growth: after / before };
  });
  const growths = sizes.map(({ growth }) => growth).sort((a, b) => a - b);
  const figures: SchemaFigures = {
    tools: tools.length,
    rewritten: 0,
    lossy: 0,
    growth: {
      largest: growths.at(-1) ?? 1,
      median: growths[growths.length >> 1] ?? 1,
      aboveTwice: growths.filter((growth) => growth > 2).length,
      largestBytes: sizes.reduce((most, { after }) => Math.max(most, after), 0),
    },
    aboveBound: sizes.filter(({ before, after }) => after > Math.max(2 * before, 12_000)).map(({ name }) => name),
    pairs: 0,
    violations: [],
    names: { kept: 0, total: 0 },
    descriptions: { kept: 0, total: 0 },
    enums: { kept: 0, total: 0 },
  };
  for (const { name, inputSchema } of tools) judge(inputSchema, figures, name, rewrite, isLossy);
  return figures;
}

function bytesOf(schema: Schema): number {
  return Buffer.byteLength(JSON.stringify(schema));
}

const lenient = { strict: false, validateFormats: false, logger: false } as const;

/** The dialect defines the meaning of `items` with a list. A rewritten schema does not name a dialect, so the original's is used. */
function compile(schema: Schema, original: Schema): ValidateFunction {
  const { $schema: dialect, ...rest } = schema;
  const said = dialect ?? original['$schema'];
  return (typeof said === 'string' && said.includes('draft-07') ? new Ajv(lenient) : new Ajv2020(lenient)).compile(rest);
}

/** Checks every promise of the rewriter with one schema. */
function judge(
  original: Schema,
  figures: SchemaFigures,
  place: string,
  rewrite: (schema: Schema) => Schema,
  isLossy: (schema: Schema) => boolean,
): void {
  const violation = (words: string): void => void figures.violations.push(`${place}: ${words}`);
  const before = JSON.stringify(original);
  const result = rewrite(original);
  if (JSON.stringify(original) !== before) violation('the schema of the caller was changed');
  const left = [...subschemas(result)].flatMap((one) => forbidden.filter((keyword) => Object.hasOwn(one, keyword)));
  if (left.length > 0) violation(`${[...new Set(left)].join(', ')} left`);
  const unfit = [...forbidden, 'definitions'];
  const inside = ![...subschemas(original)].some((one) => unfit.some((keyword) => Object.hasOwn(one, keyword)));
  if (inside !== (result === original)) violation(inside ? 'a schema inside the subset came back as another object' : 'was not rewritten');
  if (rewrite(result) !== result) violation('the result is rewritten once more');
  if (result === original) return;
  figures.rewritten++;
  if (isLossy(original)) figures.lossy++;
  countKept(original, result, figures);
  const accepts = compile(original, original);
  const stillAccepts = compile(result, original);
  for (const value of fc.sample(samples(original), { numRuns: pairsPerSchema, seed: 7 })) {
    if (!accepts(value)) continue;
    figures.pairs++;
    if (!stillAccepts(value)) violation(`narrowed: ${JSON.stringify(value)} ${JSON.stringify(stillAccepts.errors?.[0])}`);
  }
}

interface Content {
  readonly names: Set<string>;
  readonly descriptions: Set<string>;
  readonly enums: Set<string>;
}

/**
 * Counts the facts of the original, also of definitions that it does not use. A name is kept if the result has a property of that name. A
 * description is kept if a description of the result contains it. A list of values is kept if one list of the result has all of them.
 */
function countKept(original: Schema, result: Schema, figures: SchemaFigures): void {
  const [before, after] = [contentOf(original), contentOf(result)];
  const count = (kept: Kept, wanted: ReadonlySet<string>, has: (one: string) => boolean): void => {
    kept.total += wanted.size;
    kept.kept += [...wanted].filter(has).length;
  };
  count(figures.names, before.names, (name) => after.names.has(name));
  const texts = [...after.descriptions].join('\n');
  count(figures.descriptions, before.descriptions, (text) => texts.includes(text));
  const lists = [...after.enums].map((list) => new Set(valuesIn(list)));
  count(figures.enums, before.enums, (list) => lists.some((other) => valuesIn(list).every((value) => other.has(value))));
}

function valuesIn(list: string): string[] {
  return (JSON.parse(list) as unknown[]).map((value) => JSON.stringify(value));
}

function contentOf(schema: Schema): Content {
  const content: Content = { names: new Set(), descriptions: new Set(), enums: new Set() };
  for (const one of subschemas(schema)) {
    const { properties, description } = one;
    if (typeof properties === 'object' && properties !== null) for (const name of Object.keys(properties)) content.names.add(name);
    if (typeof description === 'string') content.descriptions.add(description);
    const values = Array.isArray(one['enum']) ? one['enum'] : Object.hasOwn(one, 'const') ? [one['const']] : undefined;
    if (values !== undefined) content.enums.add(JSON.stringify(values));
  }
  return content;
}

export function schemasReport(figures: SchemaFigures): string {
  const { growth, names, descriptions, enums } = figures;
  const kept = (one: Kept): string => `${one.kept} of ${one.total}`;
  return [
    `tool schemas: ${figures.tools}, ${figures.rewritten} rewritten, ${figures.lossy} of them lossy`,
    `growth: largest ${growth.largest.toFixed(2)}, median ${growth.median.toFixed(2)}, above twice ${growth.aboveTwice}, largest ${growth.largestBytes} bytes`,
    `above twice and 12 kB: ${figures.aboveBound.length}`,
    `pairs of value and schema: ${figures.pairs}, violations ${figures.violations.length}`,
    `kept: names ${kept(names)}, descriptions ${kept(descriptions)}, enums ${kept(enums)}`,
    ...figures.violations,
  ].join('\n');
}
