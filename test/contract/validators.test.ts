import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ajvOf } from '../../scripts/generate/ajv.ts';
import { compact } from '../../scripts/generate/compact/compact.ts';
import { readOperations } from '../../scripts/generate/operations.ts';
import { isObject, type Json, loadYaml } from '../../scripts/generate/source.ts';
import { ajvCode, hasRules, schemasOf } from '../../scripts/generate/validators.ts';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { type Violation, violationsOf } from '../../src/overlay/checks.ts';
import { isConnectionError } from '../../src/overlay/index.ts';
import { rulesOf } from '../../src/overlay/rules.ts';
import { failureOf } from './spec.ts';

const source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
const operations = readOperations(source).filter(hasRules);
const { defs, roots } = schemasOf(source, operations);
/** ajv as it is, of the schemas as the spec has them: nothing shared, nothing compacted. */
const ajv = ajvOf(defs, { source: true });

const oddities: readonly Json[] = [null, '', 'x', 'y'.repeat(2000), 0, -1, 0.5, 3, 10, 1e21, true, false, [], ['a'], [{}], {}, { a: 1 }];

/** What the schema says about values, and what is near to it: allowed values, bounds and one beyond, texts of the bounding length. */
function suggestions(schema: Json): Json[] {
  if (!isObject(schema)) return [];
  const bound = [schema['minimum'], schema['maximum'], schema['exclusiveMinimum'], schema['exclusiveMaximum'], schema['multipleOf']];
  const length = [schema['minLength'], schema['maxLength']].filter((one) => typeof one === 'number');
  const count = [schema['minItems'], schema['maxItems']].filter((one) => typeof one === 'number');
  return [
    ...(Array.isArray(schema['enum']) ? schema['enum'] : []),
    ...('const' in schema ? [schema['const'] ?? null] : []),
    ...bound.filter((one) => typeof one === 'number').flatMap((one) => [one - 1, one, one + 1]),
    ...length.flatMap((one) => ['é'.repeat(one), '𝒳'.repeat(one + 1), 'z'.repeat(Math.max(0, one - 1))]),
    ...count.flatMap((one) => [Array.from({ length: one + 1 }, () => 'a'), Array.from({ length: Math.max(0, one - 1) }, () => 'a')]),
  ];
}

/** Every value that any schema of an operation suggests, by the name of the field it stands under. */
function valuesByField(schema: Json, name = '', found = new Map<string, Json[]>(), seen = new Set<Json>()): Map<string, Json[]> {
  if (Array.isArray(schema)) for (const one of schema) valuesByField(one, name, found, seen);
  if (!isObject(schema) || seen.has(schema)) return found;
  seen.add(schema);
  const to = schema['$ref'];
  if (typeof to === 'string') valuesByField(defs[to.replace('spec#/$defs/', '')] ?? {}, name, found, seen);
  found.set(name, [...(found.get(name) ?? []), ...suggestions(schema)]);
  for (const [key, child] of Object.entries(schema))
    if (key === 'properties' && isObject(child)) for (const [field, property] of Object.entries(child)) valuesByField(property, field, found, seen);
    else if (typeof child === 'object') valuesByField(child, name, found, seen);
  return found;
}

/** A value of the schema's own shape, mostly: each part of it may be missing, doubled, or something else. */
function likely(schema: Json, name: string, values: ReadonlyMap<string, Json[]>, depth: number): fc.Arbitrary<Json> {
  const near = [...(values.get(name) ?? []), ...oddities];
  const odd = fc.constantFrom(...near);
  if (depth === 0 || !isObject(schema)) return odd;
  const to = schema['$ref'];
  if (typeof to === 'string') return likely(defs[to.replace('spec#/$defs/', '')] ?? {}, name, values, depth - 1);
  const shapes: { weight: number; arbitrary: fc.Arbitrary<Json> }[] = [{ weight: 1, arbitrary: odd }];
  for (const branch of [schema['anyOf'], schema['oneOf']].flat())
    if (isObject(branch) && !Array.isArray(branch['required'])) shapes.push({ weight: 4, arbitrary: likely(branch, name, values, depth - 1) });
  const { properties } = schema;
  if (isObject(properties)) {
    const model = Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, likely(child, key, values, depth - 1)]));
    const required = Array.isArray(schema['required']) ? schema['required'].map(String).filter((key) => key in model) : [];
    shapes.push({ weight: 6, arbitrary: fc.record(model, { requiredKeys: required }) as fc.Arbitrary<Json> });
    shapes.push({ weight: 1, arbitrary: fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Json> });
  }
  if (schema['items'] !== undefined)
    shapes.push({ weight: 6, arbitrary: fc.array(likely(schema['items'], name, values, depth - 1), { maxLength: 5 }) });
  if (isObject(schema['additionalProperties'])) {
    const keys = fc.constantFrom('a', 'b/c', 'd~e', 'k'.repeat(70), '__proto__');
    shapes.push({ weight: 4, arbitrary: fc.dictionary(keys, likely(schema['additionalProperties'], name, values, depth - 1)) as fc.Arbitrary<Json> });
  }
  const kinds = [schema['type']].flat();
  if (kinds.includes('string')) shapes.push({ weight: 4, arbitrary: fc.constantFrom('user', 'text', 'function', 'abc', '512x512', 'glm-4.6') });
  return fc.oneof(...shapes);
}

const bare = (all: readonly Violation[]): Violation[] => all.map(({ instancePath, keyword, params }) => ({ instancePath, keyword, params }));

async function compiled(name: string): Promise<(value: unknown) => Violation[]> {
  const [constant = '', part] = name.split('_');
  const route = allRoutes.find((one) => one.id.replace(/\.(.)/, (_all, letter: string) => letter.toUpperCase()) === constant);
  const rules = route === undefined ? {} : await rulesOf(route);
  const validate = part === 'body' ? rules.body : rules.parameters;
  if (!validate) throw new Error(`${name} has no rules`);
  return (value) => violationsOf(validate, value);
}

describe('the generated validators say what ajv says, error for error', () => {
  it.each([...roots])('%s', async (name, definition) => {
    const ours = await compiled(name);
    const theirs = ajv.getSchema(`spec#/$defs/${definition}`);
    const schema: Json = { $ref: `spec#/$defs/${definition}` };
    let right = 0;
    let wrong = 0;
    const one = (value: unknown): void => {
      const expected = theirs?.(value) ? [] : bare((theirs?.errors ?? []) as Violation[]);
      expect(bare(ours(value))).toEqual(expected);
      if (expected.length === 0) right++;
      else wrong++;
    };
    const examples = Object.values(operations.find((op) => op.constant === name.split('_')[0])?.body?.examples ?? {});
    const values = examples.map((example) => (isObject(example) && 'value' in example ? example['value'] : example));
    for (const value of [...values, ...oddities]) one(value);
    fc.assert(fc.property(likely(schema, '', valuesByField(schema), 8), one), { seed: 7, numRuns: 3000 });
    // Neither all right nor all wrong would prove anything.
    expect(wrong).toBeGreaterThan(10);
    if (name.endsWith('body')) expect(right).toBeGreaterThan(0);
  });

  it('counts function tools up to 128, and wants one message of the user', async () => {
    const ours = await compiled('chatCreate_body');
    const theirs = ajv.getSchema('spec#/$defs/ChatRequest');
    const tool = { type: 'function', function: { name: 'f' } };
    const messages = [{ role: 'system', content: 'a' }, ...Array.from({ length: 3 }, () => ({ role: 'assistant', content: 'b' }))];
    for (const [count, role, keywords] of [
      [128, 'user', []],
      [129, 'user', ['contains', 'if']],
      [1, 'assistant', ['const', 'contains']],
    ] as const) {
      const request = { model: 'm', messages: [...messages, { role, content: 'c' }], tools: Array.from({ length: count }, () => tool) };
      theirs?.(request);
      expect(bare(ours(request))).toEqual(bare((theirs?.errors ?? []) as Violation[]));
      expect([...new Set(ours(request).map((violation) => violation.keyword))].sort()).toEqual([...keywords].sort());
    }
  });
});

describe('compaction refuses what it does not know', () => {
  const chat = ajvCode(
    source,
    operations.filter((operation) => operation.group === 'chat'),
  );

  it('takes the code as ajv writes it', () => {
    expect(compact(chat).entries.size).toBe(2);
  });

  it.each([
    ['a test that does not belong to its error', (code: string) => code.replace('typeof data.url !== "string"', 'typeof data.url !== "number"')],
    ['a bound that is not the one reported', (code: string) => code.replace('data.length > 4', 'data.length > 5')],
    ['an error that is not kept', (code: string) => code.replace(/vErrors\.push\(err\d+\);/, '')],
    ['an error without a count', (code: string) => code.replace('errors++;', '')],
    ['other bookkeeping', (code: string) => code.replace('let errors = 0;', 'let errors = 1;')],
    ['a function of ajv’s own', (code: string) => `const func0 = require("ajv/dist/runtime/equal").default;\n${code}`],
    ['a call that it has no word for', (code: string) => code.replace('Array.isArray(data)', 'isArray(data)')],
    ['a list of values that is not the one reported', (code: string) => code.replace('=== "function") ||', '=== "functions") ||')],
    ['a brace too few', (code: string) => code.replace(/\n\}\n/, '\n')],
    ['two statements on a line', (code: string) => code.replace('let errors = 0;', 'let errors = 0; {')],
  ])('%s', (_what, change) => {
    const code = change(chat);
    expect(code).not.toBe(chat);
    expect(() => compact(code)).toThrow();
  });
});

describe('rules are loaded once', () => {
  const route = (rules: Route['rules']): Route => ({ ...(allRoutes[0] as Route), ...(rules && { rules }) });

  it('a promise at first, the same for all who wait, and then the plain object', async () => {
    let loads = 0;
    const rules = {};
    const one = route(async () => {
      loads++;
      return rules;
    });
    const first = rulesOf(one);
    expect(first).toBeInstanceOf(Promise);
    expect(rulesOf(one)).toBe(first);
    expect(await first).toBe(rules);
    expect(rulesOf(one)).toBe(rules);
    expect(loads).toBe(1);
  });

  it('a load that failed is a ConnectionError, and the next call tries again', async () => {
    const rules = {};
    let isOnline = false;
    const one = route(() => (isOnline ? Promise.resolve(rules) : Promise.reject(new TypeError('Failed to fetch'))));
    const error = await failureOf(async () => rulesOf(one));
    expect(isConnectionError(error)).toBe(true);
    expect((error as Error).cause).toBeInstanceOf(TypeError);
    isOnline = true;
    expect(await rulesOf(one)).toBe(rules);
  });

  it('an operation without rules has none to load', () => {
    const { rules: _, ...without } = allRoutes[0] as Route;
    expect(rulesOf(without)).toEqual({});
  });
});

describe('one file of rules per service group', () => {
  const folder = new URL('../../src/generated/validators/', import.meta.url);
  const groups = [...new Set(operations.map((operation) => operation.group))];

  it('and no other', async () => {
    expect((await readdir(folder)).sort()).toEqual(groups.map((group) => `${group}.ts`).sort());
  });

  it.each(groups)('%s: the rules of its operations, and no function that they do not use', async (group) => {
    const text = await readFile(new URL(`${group}.ts`, folder), 'utf8');
    const exported = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
    expect(exported).toEqual(operations.filter((operation) => operation.group === group).map((operation) => operation.constant));
    for (const [, name] of text.matchAll(/^function (\w+)/gm)) expect(text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length, name).toBeGreaterThan(1);
  });
});
