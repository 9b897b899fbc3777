import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ajvOf } from '../../scripts/generate/ajv.ts';
import { readOperations } from '../../scripts/generate/operations.ts';
import { isLinear } from '../../scripts/generate/patterns.ts';
import { schemasOf } from '../../scripts/generate/request-rules.ts';
import { isObject, type Json, loadYaml } from '../../scripts/generate/source.ts';
import { allRoutes, anthropicCreate } from '../../src/generated/routes.ts';
import { check } from '../../src/overlay/validation/validation.ts';
import { type Violation, violationsOf } from '../../src/overlay/validation/violations.ts';

const source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
const operations = readOperations(source);
const { defs, roots } = schemasOf(source, operations);
const ajv = ajvOf(defs, { allErrors: true });

const oddities: readonly Json[] = [null, '', 'x', 'y'.repeat(2000), 0, -1, 0.5, 3, 10, 1e21, true, false, [], ['a'], [{}], {}, { a: 1 }];

/** Values that the schema names, and their neighbours: allowed values, bounds and one beyond, texts of the bounding length. */
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

/** The names of all declared fields. */
const declared = new Set(Object.values(defs).flatMap(namesIn));

function namesIn(schema: Json): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = isObject(schema) && isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

/** The value without declared fields that are null, because they count as absent. Entries of maps are not declared. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, field]) => field !== null || !declared.has(name));
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field)]));
}

function checkerOf(name: string): (value: unknown) => Violation[] {
  const [constant = '', part] = name.split('_');
  const route = allRoutes.find((one) => one.id.replace(/\.(.)/, (_all, letter: string) => letter.toUpperCase()) === constant);
  const rule = part === 'body' ? route?.rules?.body : route?.rules?.parameters;
  if (!rule) throw new Error(`${name} has no rules`);
  return (value) => violationsOf(rule, value);
}

describe('violations are those of ajv, error for error, where null counts as absent', () => {
  it.each([...roots])('%s', (name, definition) => {
    const ours = checkerOf(name);
    const theirs = ajv.getSchema(`spec#/$defs/${definition}`);
    const schema: Json = { $ref: `spec#/$defs/${definition}` };
    let right = 0;
    let wrong = 0;
    const one = (value: unknown): void => {
      const expected = theirs?.(withoutNulls(value)) ? [] : bare((theirs?.errors ?? []) as Violation[]);
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

  it('counts function tools up to 128, and wants one message of the user', () => {
    const ours = checkerOf('chatCreate_body');
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

describe('patterns that take linear time', () => {
  it.each(['^[A-Za-z0-9_-]{1,64}$', '^(?!data:)', '^[0-9]+x[0-9]+$', '^\\d{4}-\\d{2}', '^a+'])('%s', (pattern) => {
    expect(isLinear(pattern)).toBe(true);
  });
  it.each(['[a-z]+$', '^(a+)+$', '^a+a+$', '^[a-z]+[a-c]$', '^a+b?a+$', '^.*x', '^(a|a)*$', '^\\w+$'])('%s is refused', (pattern) => {
    expect(isLinear(pattern)).toBe(false);
  });
});

it('a request nested by thousands is a ValidationError', () => {
  let block: object = { type: 'text', text: 'x' };
  for (let level = 0; level < 20_000; level++) block = { type: 'tool_result', tool_use_id: 'a', content: [block] };
  const request = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: [block] }] };
  expect(() => check(anthropicCreate.rules?.body, request)).toThrow(/cannot be checked: it is nested too deep/);
});
