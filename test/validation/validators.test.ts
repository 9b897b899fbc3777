import type { ErrorObject, ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ajvOf } from '../../scripts/generate/check/ajv.ts';
import { isLinear } from '../../scripts/generate/check/patterns.ts';
import { schemasOf } from '../../scripts/generate/code/request-rules.ts';
import { readOperations } from '../../scripts/generate/document/operations.ts';
import { isObject, type Json, type JsonObject } from '../../scripts/generate/document/source.ts';
import { nodeOf, rewriteNodes } from '../../scripts/generate/document/walk.ts';
import { allRoutes, anthropicCreate } from '../../src/generated/routes.ts';
import type { Rule } from '../../src/generated/rules.ts';
import { check } from '../../src/overlay/validation/validation.ts';
import { type Violation, worstViolation } from '../../src/overlay/validation/violations.ts';
import { openapi } from '../support/openapi.ts';

const operations = readOperations(openapi);
const { defs, roots } = schemasOf(openapi, operations);
const ajv = ajvOf(defs, { allErrors: true });
const ajvWithoutRanges = ajvOf(Object.fromEntries(Object.entries(defs).map(([name, schema]) => [name, withoutRanges(schema)])));

const oddities: readonly Json[] = [null, '', 'x', 'y'.repeat(2000), 0, -1, 0.5, 3, 10, 1e21, true, false, [], ['a'], [{}], {}, { a: 1 }];

/** Values that the schema names, and their neighbors: allowed values, bounds and one beyond, texts of the bounding length. */
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

/** Every value that any schema of an operation suggests, by the name of the field it is under. */
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

/** The schema without ranges of numbers and lengths. An empty text or list is still refused. */
function withoutRanges(schema: Json): Json {
  return rewriteNodes(nodeOf('schema', schema, []), (node) =>
    Object.fromEntries(
      Object.entries(node).filter(([word, limit]) => {
        if (word === 'enum') return !(limit as Json[]).every((one) => typeof one === 'number');
        return typeof limit !== 'number' || word === 'maxContains' || ((word === 'minLength' || word === 'minItems') && limit === 1);
      }),
    ),
  );
}

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

function ruleOf(name: string): Rule {
  const [constant = '', part] = name.split('_');
  const route = allRoutes.find((one) => one.id.replace(/\.(.)/, (_all, letter: string) => letter.toUpperCase()) === constant);
  const rule = part === 'body' ? route?.rules?.body : route?.rules?.parameters;
  if (!rule) throw new Error(`${name} has no rules`);
  return rule;
}

/** ajv's errors, without those that follow from another: a failed condition, and items that `contains` does not count. */
function errorsOf(validate: ValidateFunction, value: unknown): ErrorObject[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(({ keyword, schemaPath }) => keyword !== 'if' && !schemaPath.includes('/contains/'));
}

const pointer = (path: Violation['path']): string => path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
const depth = (place: string): number => place.split('/').length - 1;

/** True for one of ajv's errors that is as deep as the deepest. A field that another one excludes is not counted. */
function isWorst({ path, keyword, wanted }: Violation, errors: readonly ErrorObject[]): boolean {
  const here = errors.filter((error) => error.instancePath === pointer(path));
  const named = new Set(here.flatMap(({ params }) => Object.values(params as object).flat() as unknown[]));
  return (
    here.some((error) => error.keyword === (keyword === 'maxContains' ? 'contains' : keyword)) &&
    // An inner rule, or the violation of one, has no counterpart.
    wanted.every((one) => (isObject(one as Json) && !(one instanceof RegExp) ? true : named.has(one instanceof RegExp ? one.source : one))) &&
    errors.every(({ params, instancePath }) => params['type'] === 'null' || depth(instancePath) <= path.length)
  );
}

describe('a value is valid if it is for ajv, where null counts as absent, and its fault is the deepest error of ajv', () => {
  it.each([...roots])('%s', (name, definition) => {
    const rule = ruleOf(name);
    const schema: Json = { $ref: `spec#/$defs/${definition}` };
    const strict = ajv.compile(schema as JsonObject);
    const lenient = ajvWithoutRanges.compile(schema as JsonObject);
    let right = 0;
    let wrong = 0;
    const one = (value: unknown): void => {
      const full = withoutNulls(value);
      const errors = errorsOf(strict, full);
      const fault = worstViolation(rule, value);
      const expected = errors.length > 0 ? true : undefined;
      // An assertion that holds takes longer than the check of most values.
      if ((fault && isWorst(fault, errors)) !== expected) expect({ fault, isWorst: fault && isWorst(fault, errors) }).toEqual({ isWorst: expected });
      const isLenient = worstViolation(rule, value, false) === undefined;
      if (isLenient !== lenient(full)) expect({ value, isLenient }).toEqual({ value, isLenient: !isLenient });
      if (fault) wrong++;
      else right++;
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
    const rule = ruleOf('chatCreate_body');
    const strict = ajv.compile({ $ref: 'spec#/$defs/ChatRequest' });
    const tool = { type: 'function', function: { name: 'f' } };
    const messages = [{ role: 'system', content: 'a' }, ...Array.from({ length: 3 }, () => ({ role: 'assistant', content: 'b' }))];
    for (const [count, role, keyword] of [
      [128, 'user', undefined],
      [129, 'user', 'maxContains'],
      [1, 'assistant', 'contains'],
    ] as const) {
      const request = { model: 'm', messages: [...messages, { role, content: 'c' }], tools: Array.from({ length: count }, () => tool) };
      expect(worstViolation(rule, request)?.keyword).toBe(keyword);
      expect(strict(request)).toBe(keyword === undefined);
    }
  });
});

describe('of several faults, the error names the one that a person should read', () => {
  const messages = [{ role: 'user', content: 'hi' }];
  const chat = { model: 'glm-4.6', messages };
  const said = (part: string, value: unknown): unknown => {
    try {
      return check(ruleOf(part), value);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each<[what: string, part: string, value: unknown, text: string]>([
    ['a value of no form: the types of all forms', 'embeddingsCreate_body', { model: 'm', input: 5 }, 'input must be a string or an array'],
    [
      'a value of no form, deeper',
      'agentsInvoke_body',
      { agent_id: 'a', messages: [{ role: 'user', content: 5 }] },
      'messages[0].content must be a string, an object or an array',
    ],
    ['a value of one form: its own fault', 'embeddingsCreate_body', { model: 'm', input: ['a', 5] }, 'input[1] must be a string'],
    ['an empty value of one form', 'embeddingsCreate_body', { model: 'm', input: '' }, 'input must not be empty'],
    ['neither of two fields', 'audioTranscribe_body', { model: 'm' }, 'file or file_base64 is required'],
    [
      'a wrong field before a missing one',
      'chatCreate_body',
      { messages: [{ role: 'user', content: 5 }] },
      'messages[0].content must be a string, an array or null',
    ],
    ['a wrong value before a wrong type', 'chatCreate_body', { ...chat, temperature: '1', top_p: 5 }, 'top_p must be at most 1'],
    ['of equal faults, the first in the spec', 'chatCreate_body', { top_p: 5, temperature: 5, ...chat }, 'temperature must be at most 1'],
    ['a required field before one that a condition requires', 'anthropicCountTokens_body', { ...chat, tools: [{}] }, 'tools[0].name is required'],
    [
      'a missing field before one that it excludes',
      'chatCreate_body',
      { ...chat, tools: [{ type: 'mcp', function: { name: 'f' } }] },
      'tools[0].mcp is required',
    ],
    ['a wrong entry of a map', 'batchCreate_body', { input_file_id: 'a', endpoint: 'b', metadata: { 0: 5 } }, 'metadata[0] must be a string'],
    [
      'a name of an entry',
      'batchCreate_body',
      { input_file_id: 'a', endpoint: 'b', metadata: { ['k'.repeat(65)]: 'a' } },
      'metadata must have names of at most 64 characters',
    ],
    ['a number that JSON does not have', 'chatCreate_body', { ...chat, temperature: Number.NaN }, 'temperature must be a number'],
  ])('%s', (_what, part, value, text) => expect(said(part, value)).toBe(text));
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
