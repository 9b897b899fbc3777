import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { losesMeaning } from '../../scripts/service/corpus/schemas.ts';
import type { Growth } from '../../src/overlay/tool-schema/growth.ts';
import { explainToolSchema, type JsonSchema, type SchemaRewrite, sanitizeToolSchemas } from '../../src/overlay/tool-schema/index.ts';
import { normalizeToolSchema as flattened } from '../../src/overlay/tool-schema/normalize.ts';
import { runs } from '../support/deep.ts';

const normalizeToolSchema = (schema: JsonSchema): JsonSchema => sanitizeToolSchemas([{ input_schema: schema }])[0]?.input_schema as JsonSchema;

// TOOL_SCHEMA_RUNS=50000 looks harder than a deep run.
const RUNS = Number(process.env['TOOL_SCHEMA_RUNS'] ?? runs(3_000).numRuns);
const SEED = Number(process.env['TOOL_SCHEMA_SEED'] ?? 20_251_121);
const INSTANCES = 24;

// ── schemas ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const NAMES = ['a', 'b', 'kind', 'x-1', 'anyOf', '$ref', 'not'];
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<unknown>('a', 'b', 'ab', '', 0, 1, 2, -1, 1.5, true, false, null);
const value = fc.oneof({ weight: 6, arbitrary: scalar }, { weight: 1, arbitrary: fc.constantFrom<unknown>([], [1], {}, { a: 1 }, { anyOf: ['a'] }) });
const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');
// A literal key of this name makes the linter think of promises.
const THEN = 'then';
const small = fc.integer({ min: 0, max: 3 });
const REFERENCES = ['#/$defs/A', '#/$defs/B', '#/$defs/B', '#/$defs/C~1d%25', '#/$defs/L/anyOf/1', '#here', '#', '#/properties/a'];

type Dictionary = Record<string, unknown>;

/** Own entries only, `__proto__` among them. */
function fromPairs(pairs: readonly (readonly [string, unknown])[]): Dictionary {
  return Object.fromEntries(pairs);
}

function mapOf(schema: fc.Arbitrary<unknown>, names: fc.Arbitrary<string> = name): fc.Arbitrary<Dictionary> {
  return fc.uniqueArray(fc.tuple(names, schema), { maxLength: 3, selector: ([key]) => key }).map(fromPairs);
}

function some(record: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Dictionary> {
  const keys = Object.keys(record);
  return fc
    .subarray(keys, { maxLength: Math.min(4, keys.length) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, record[key] as fc.Arbitrary<unknown>]))));
}

const { schema } = fc.letrec<{ schema: unknown; plain: Dictionary; combined: Dictionary; rare: Dictionary; object: Dictionary }>((tie) => {
  const below = tie('schema');
  const branches = fc.array(below, { minLength: 1, maxLength: 3 });
  const words = some({
    title: fc.constantFrom('T', 'U'),
    description: fc.constantFrom('one', 'two'),
    default: value,
    examples: fc.constant([{ $ref: '#' }]),
  });
  const typed = fc.oneof(
    { weight: 4, arbitrary: typeName.map((type): Dictionary => ({ type })) },
    { weight: 1, arbitrary: typeName.map((type): Dictionary => ({ type, nullable: true })) },
    { weight: 1, arbitrary: fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 }).map((type): Dictionary => ({ type })) },
    { weight: 2, arbitrary: fc.constant<Dictionary>({}) },
  );
  const valued = fc.oneof(
    value.map((one): Dictionary => ({ const: one })),
    fc.array(value, { minLength: 1, maxLength: 4 }).map((values): Dictionary => ({ enum: values })),
  );
  const scalarKeywords = some({
    minLength: small,
    maxLength: small,
    pattern: fc.constantFrom('^a', 'b$', '^[ab]*$'),
    format: fc.constantFrom('date', 'int32', 'color'),
    minimum: fc.integer({ min: -2, max: 2 }),
    maximum: fc.integer({ min: -1, max: 3 }),
    exclusiveMinimum: fc.integer({ min: -3, max: 1 }),
    exclusiveMaximum: fc.integer({ min: 0, max: 4 }),
    multipleOf: fc.constantFrom(1, 2, 3, 0.5),
    contentSchema: below,
  });
  const required = fc.uniqueArray(name, { maxLength: 2 });
  const objectKeywords = fc
    .tuple(
      mapOf(below),
      some({
        required,
        additionalProperties: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>(false) }, { weight: 2, arbitrary: below }),
        patternProperties: mapOf(below, fc.constantFrom('^x-', 'a', '^(a|b)$', '.*')),
        propertyNames: below,
        minProperties: small,
        maxProperties: small,
        dependentRequired: mapOf(required),
        dependentSchemas: mapOf(below),
        dependencies: mapOf(fc.oneof(required, below)),
        unevaluatedProperties: fc.oneof(fc.constant(false), below),
      }),
    )
    .map(([properties, others]): Dictionary => ({ type: 'object', properties, ...others }));
  const arrayKeywords = some({
    type: fc.constant('array'),
    items: below,
    prefixItems: fc.array(below, { minLength: 1, maxLength: 2 }),
    contains: below,
    minContains: small,
    maxContains: small,
    minItems: small,
    maxItems: small,
    unevaluatedItems: fc.oneof(fc.constant(false), below),
    // ajv forgets `contains` when an array is shorter than `prefixItems`.
  }).map(
    ({ prefixItems, ...others }): Dictionary =>
      prefixItems === undefined || Object.hasOwn(others, 'contains') ? others : { prefixItems, ...others },
  );
  const joined = (...parts: fc.Arbitrary<Dictionary>[]): fc.Arbitrary<Dictionary> =>
    fc.tuple(...parts).map((all) => ({ ...Object.assign({}, ...all) }) as Dictionary);
  const kinds = fc.uniqueArray(fc.constantFrom('a', 'b', 'ab'), { minLength: 2, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'medium', withCrossShrink: true },
      { weight: 4, arbitrary: tie('plain') },
      { weight: 5, arbitrary: tie('combined') },
      { weight: 3, arbitrary: tie('object') },
      { weight: 2, arbitrary: tie('rare') },
      { weight: 1, arbitrary: fc.boolean() },
    ),
    plain: fc.oneof(joined(typed, words), joined(typed, scalarKeywords), joined(words, valued), joined(typed, valued)),
    object: objectKeywords,
    combined: fc.oneof(
      joined(
        words,
        fc.oneof(some({ anyOf: branches, type: typeName }), some({ oneOf: branches, description: fc.constant('own') }), some({ allOf: branches })),
      ),
      joined(
        words,
        below.map((one): Dictionary => ({ anyOf: [one, { type: 'null' }] })),
      ),
      joined(
        fc.constantFrom(...REFERENCES).map((reference): Dictionary => ({ $ref: reference })),
        fc.oneof(words, tie('object')),
      ),
      joined(
        tie('object'),
        fc.oneof(
          branches.map((anyOf): Dictionary => ({ anyOf })),
          branches.map((allOf): Dictionary => ({ allOf })),
        ),
      ),
      fc.tuple(kinds, fc.array(tie('object'), { minLength: 3, maxLength: 3 })).map(
        ([values, objects]): Dictionary => ({
          oneOf: values.map((kind, index) => {
            const branch = objects[index] ?? {};
            return { ...branch, properties: { ...(branch['properties'] as Dictionary), kind: { const: kind } }, required: ['kind'] };
          }),
        }),
      ),
      joined(arrayKeywords, some({ anyOf: branches, allOf: branches, oneOf: branches })),
      joined(scalarKeywords, typed, some({ anyOf: branches, allOf: branches })),
    ),
    rare: fc.oneof(
      arrayKeywords,
      joined(words, some({ not: below, if: below, [THEN]: below, else: below, allOf: branches })),
      joined(tie('object'), some({ if: below, [THEN]: below, unevaluatedProperties: fc.constant(false) })),
      some({ $comment: fc.constant('c'), 'x-anyOf': branches, readOnly: fc.boolean(), deprecated: fc.boolean() }),
    ),
  };
});

const nested: fc.Arbitrary<JsonSchema> = fc.tuple(schema, schema, schema, schema, schema, fc.boolean()).map(([top, a, b, c, anchored, extra]) => ({
  ...(typeof top === 'object' ? (top as Dictionary) : { allOf: [top] }),
  $defs: {
    A: a,
    B: b,
    'C/d%': c,
    L: { anyOf: [true, typeof a === 'object' ? a : {}] },
    N: { $anchor: 'here', ...(typeof anchored === 'object' ? anchored : {}) },
  },
  ...(extra ? { $schema: 'https://json-schema.org/draft/2020-12/schema', definitions: { A: b } } : {}),
}));

/** Several schemas for the same kind of value, close to each other: where merging is hard. */
function alike(): fc.Arbitrary<JsonSchema> {
  const number = some({
    type: fc.constantFrom('integer', 'number'),
    minimum: fc.integer({ min: -2, max: 2 }),
    maximum: fc.integer({ min: 0, max: 4 }),
    exclusiveMinimum: fc.integer({ min: -2, max: 2 }),
    exclusiveMaximum: fc.integer({ min: 0, max: 4 }),
    multipleOf: fc.constantFrom(1, 2, 3, 4, 6, 0.5),
  });
  const nullable = typeName.map((type): unknown => ({ type, nullable: true }));
  const string = some({ type: fc.constant('string'), minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b$') });
  const valued = fc.oneof(
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values): Dictionary => ({ enum: values })),
    scalar.map((one): Dictionary => ({ const: one })),
  );
  const simple = fc.oneof(
    { weight: 2, arbitrary: typeName.map((type): unknown => ({ type })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>({ type: ['string', 'null'] }, { type: 'integer', nullable: true }, { type: 'boolean' }, {}, true, false),
    },
    { weight: 2, arbitrary: valued },
    { weight: 2, arbitrary: number },
    { weight: 1, arbitrary: string },
  );
  const leaf = fc.oneof({ weight: 5, arbitrary: simple }, { weight: 1, arbitrary: fc.tuple(simple, simple).map((anyOf): unknown => ({ anyOf })) });
  const few = fc.constantFrom('a', 'b', 'x-1');
  const required = fc.uniqueArray(few, { maxLength: 2 });
  const object = fc
    .tuple(
      mapOf(leaf, few),
      some({
        type: fc.constant('object'),
        required,
        additionalProperties: fc.oneof(fc.constant(false), leaf),
        patternProperties: mapOf(leaf, fc.constantFrom('^x-', 'a', '^(a|b)$', '.')),
        propertyNames: string,
        minProperties: small,
        maxProperties: small,
        dependentRequired: mapOf(required, few),
        dependentSchemas: mapOf(some({ required, properties: mapOf(leaf, few) }), few),
      }),
    )
    .map(([properties, others]): Dictionary => ({ properties, ...others }));
  const pattern = fc.constantFrom('^x-', 'a', '^(a|b)$', '^[ab]', '.');
  const patterned = fc
    .tuple(
      fc.uniqueArray(fc.tuple(pattern, simple), { minLength: 1, maxLength: 2, selector: ([one]) => one }),
      mapOf(simple, few),
      some({ required, additionalProperties: fc.oneof(fc.constant(false), simple) }),
    )
    .map(
      ([patterns, properties, others]): Dictionary => ({
        patternProperties: fromPairs(patterns),
        properties,
        additionalProperties: false,
        ...others,
      }),
    );
  const closed = fc
    .tuple(mapOf(simple, few), fc.oneof(fc.constant(false), simple))
    .map(([properties, additionalProperties]): Dictionary => ({ properties, additionalProperties }));
  const items = { items: fc.oneof(fc.constant(false), leaf), minItems: small, maxItems: small };
  // Not `uniqueItems`: in addition to `prefixItems` and `items` ajv compares only items of the latter's type.
  const tuple = some({ type: fc.constant('array'), prefixItems: fc.array(leaf, { minLength: 1, maxLength: 3 }), ...items });
  const counted = fc
    .tuple(leaf, some({ type: fc.constant('array'), minContains: small, maxContains: small, uniqueItems: fc.boolean(), ...items }), fc.boolean())
    .map(([contains, others, without]): Dictionary => (without ? others : { contains, ...others }));
  const families: [fc.Arbitrary<unknown>, fc.Arbitrary<unknown>][] = [
    [fc.oneof({ weight: 3, arbitrary: number }, { weight: 1, arbitrary: valued }), number],
    [fc.oneof({ weight: 3, arbitrary: string }, { weight: 1, arbitrary: valued }), string],
    [simple, simple],
    [fc.oneof(nullable, simple), fc.oneof(nullable, simple)],
    [object, object],
    [fc.oneof(patterned, closed), closed],
    [tuple, tuple],
    [counted, counted],
  ];
  return fc.oneof(
    ...families.map(([branch, own]) => {
      const branches = fc.array(branch, { minLength: 2, maxLength: 3 });
      const asObject = own.map((one): Dictionary => (typeof one === 'object' ? (one as Dictionary) : {}));
      const beside = fc.oneof(
        branches.map((anyOf): Dictionary => ({ anyOf })),
        branches.map((oneOf): Dictionary => ({ oneOf })),
        branches.map((allOf): Dictionary => ({ allOf })),
        branch.map((target): Dictionary => ({ $ref: '#/$defs/A', $defs: { A: target } })),
        fc.tuple(branch, branch, branch).map(([one, two, three]): Dictionary => ({ if: one, [THEN]: two, else: three, anyOf: [true] })),
      );
      const closing = fc.constantFrom<Dictionary>(
        {},
        {},
        {},
        { unevaluatedProperties: false },
        { unevaluatedItems: false },
        { unevaluatedProperties: { type: 'integer' } },
      );
      return fc
        .tuple(fc.oneof(fc.constant<Dictionary>({}), asObject), closing, beside)
        .map((parts): JsonSchema => Object.assign({}, ...parts) as JsonSchema);
    }),
  );
}

/** One object for each schema: what generators share would count as recursion. */
const root: fc.Arbitrary<JsonSchema> = fc
  .oneof({ weight: 1, arbitrary: nested }, { weight: 3, arbitrary: alike() })
  .map((one) => structuredClone(one));

// ── instances ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Values near what a schema accepts; the schema is the original, so that this does not depend on the tested code. */
class Instances {
  #state: number;
  readonly #root: JsonSchema;

  constructor(root: JsonSchema, seed: number) {
    this.#root = root;
    this.#state = seed | 0;
  }

  #random(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  next(): unknown {
    if (this.#random(5) === 0) return this.plain();
    const made = this.of(this.#root, 7);
    return this.#random(8) === 0 ? this.#mutate(made) : made;
  }

  #mutate(made: unknown): unknown {
    if (typeof made !== 'object' || made === null || this.#random(4) === 0) return this.any(2);
    if (Array.isArray(made))
      return this.#random(2) === 0 ? [...made, this.any(1)] : made.map((item) => (this.#random(2) === 0 ? this.#mutate(item) : item));
    const pairs = Object.entries(made).filter(() => this.#random(5) > 0);
    return fromPairs([
      ...pairs.map(([key, item]) => [key, this.#random(3) === 0 ? this.#mutate(item) : item] as const),
      ...(this.#random(3) === 0 ? [[this.#pick(NAMES), this.any(1)] as const] : []),
    ]);
  }

  /** Something of the kind that the root seems to be about. */
  plain(): unknown {
    const about = JSON.stringify(this.#root);
    const scalarValue = (): unknown => this.#pick<unknown>(['a', 'b', 'ab', '', 0, 1, 2, 3, -1, 1.5, 6, 12, true, false, null]);
    if (about.includes('ropert')) return fromPairs(['a', 'b', 'x-1'].filter(() => this.#random(2) === 0).map((key) => [key, scalarValue()] as const));
    if (/[iI]tems|ontains/.test(about)) return Array.from({ length: this.#random(5) }, scalarValue);
    return scalarValue();
  }

  any(depth: number): unknown {
    const kind = this.#random(depth > 0 ? 10 : 8);
    if (kind < 3) return this.#pick(['a', 'b', 'ab', '', 'bab']);
    if (kind < 6) return this.#pick([0, 1, 2, 3, -1, 1.5, 4]);
    if (kind === 6) return this.#pick([true, false]);
    if (kind === 7) return null;
    if (kind === 8) return Array.from({ length: this.#random(3) }, () => this.any(depth - 1));
    return fromPairs(Array.from({ length: this.#random(3) }, () => [this.#pick(NAMES), this.any(depth - 1)] as const));
  }

  of(schema: unknown, depth: number): unknown {
    if (typeof schema !== 'object' || schema === null || depth <= 0) return this.any(1);
    const node = schema as Dictionary;
    if (Object.hasOwn(node, 'const')) return node['const'];
    if (Array.isArray(node['enum'])) return this.#pick(node['enum']);
    const parts: unknown[] = [];
    if (typeof node['$ref'] === 'string') parts.push(this.#target(node['$ref']));
    for (const part of (node['allOf'] as unknown[] | undefined) ?? []) parts.push(part);
    for (const keyword of ['anyOf', 'oneOf']) if (Array.isArray(node[keyword])) parts.push(this.#pick(node[keyword]));
    for (const keyword of ['then', 'else']) if (node[keyword] !== undefined && this.#random(2) === 0) parts.push(node[keyword]);
    const made = parts.map((part) => this.of(part, depth - 1));
    const own = this.#ownValue(node, depth, made.length === 0);
    const values = own === undefined ? made : [...made, own];
    if (values.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one)))
      return fromPairs(values.flatMap((one) => Object.entries(one as Dictionary)));
    return this.#pick(values);
  }

  #ownValue(node: Dictionary, depth: number, alone: boolean): unknown {
    const declared = Array.isArray(node['type']) ? this.#pick(node['type'] as unknown[]) : node['type'];
    const type = declared ?? (node['properties'] ? 'object' : node['items'] || node['prefixItems'] || node['contains'] ? 'array' : undefined);
    switch (type) {
      case 'string':
        return this.#pick(['a', 'b', 'ab', '', 'bab', 'aab']);
      case 'integer':
        return this.#pick([0, 1, 2, 3, -1, 4, 6, 12]);
      case 'number':
        return this.#pick([0, 1, 2, 3, -1, 1.5, 0.5]);
      case 'boolean':
        return this.#pick([true, false]);
      case 'null':
        return null;
      case 'object':
        return this.#object(node, depth);
      case 'array': {
        const prefix = (node['prefixItems'] as unknown[] | undefined) ?? [];
        const length = Math.max((node['minItems'] as number | undefined) ?? 0, this.#random(4));
        return Array.from({ length }, (_, index) =>
          this.of(prefix[index] ?? (this.#random(2) === 0 ? node['contains'] : undefined) ?? node['items'] ?? {}, depth - 1),
        );
      }
      default:
        return alone ? this.any(2) : undefined;
    }
  }

  #object(node: Dictionary, depth: number): Dictionary {
    const properties = (node['properties'] as Dictionary | undefined) ?? {};
    const required = (node['required'] as string[] | undefined) ?? [];
    const names = new Set([...required, ...Object.keys(properties).filter(() => this.#random(3) > 0)]);
    if (this.#random(3) === 0) names.add(this.#pick(NAMES));
    return fromPairs(
      [...names].map((key) => [key, this.of(Object.hasOwn(properties, key) ? properties[key] : node['additionalProperties'], depth - 1)] as const),
    );
  }

  #target(reference: string): unknown {
    if (reference === '#here') return (this.#root['$defs'] as Dictionary)['N'];
    let at: unknown = this.#root;
    for (const step of reference.slice(1).split('/').slice(1)) at = (at as Dictionary | undefined)?.[decodeURIComponent(step).replaceAll('~1', '/')];
    return at;
  }
}

// ── judging ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  logger: false,
  validateSchema: false,
  addUsedSchema: false,
  messages: false,
  inlineRefs: false,
  code: { optimize: false },
});
const metaAjv = new Ajv2020({ strict: false, logger: false });

function compile(schema: JsonSchema): ValidateFunction | undefined {
  try {
    return ajv.compile(schema);
  } catch {
    // A reference without a target, or `nullable` without a type.
    return undefined;
  } finally {
    ajv.removeSchema(schema);
  }
}

/** `undefined` when ajv itself fails: a schema refers to itself without end, or its generated code is wrong. */
function accepts(validate: ValidateFunction, instance: unknown): boolean | undefined {
  try {
    return validate(instance) === true;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

const SCHEMA_KEYWORDS = [
  'items',
  'additionalItems',
  'additionalProperties',
  'propertyNames',
  'contains',
  'contentSchema',
  'unevaluatedItems',
  'unevaluatedProperties',
  'not',
  'if',
  'then',
  'else',
];
const MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', 'definitions'];

/** Written apart from the implementation: the five constructs wherever a schema can be. */
function forbidden(schema: unknown, at = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((item, index) => forbidden(item, `${at}/${index}`));
  const node = schema as Dictionary;
  const found = ['anyOf', 'oneOf', 'allOf', '$ref', '$defs'].filter((keyword) => Object.hasOwn(node, keyword)).map((keyword) => `${at}/${keyword}`);
  for (const keyword of [...SCHEMA_KEYWORDS, 'prefixItems'])
    if (Object.hasOwn(node, keyword)) found.push(...forbidden(node[keyword], `${at}/${keyword}`));
  for (const keyword of MAP_KEYWORDS) {
    if (Object.hasOwn(node, keyword))
      for (const [key, child] of Object.entries(node[keyword] as Dictionary)) found.push(...forbidden(child, `${at}/${keyword}/${key}`));
  }
  return found;
}

function deepFreeze<T>(given: T): T {
  if (typeof given === 'object' && given !== null && !Object.isFrozen(given)) {
    Object.freeze(given);
    for (const child of Object.values(given)) deepFreeze(child);
  }
  return given;
}

const collapsedPointers = (rewrites: readonly SchemaRewrite[]): string[] =>
  rewrites.filter(({ action }) => action === 'null-collapsed').map(({ pointer }) => pointer);

/** The schema that the contract's rule makes of it first: the `null` branches of unions accept no value. */
function withoutNullBranches(schema: JsonSchema, pointers: readonly string[]): JsonSchema {
  const copy = structuredClone(schema);
  for (const pointer of pointers) {
    const steps = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    expect(['anyOf', 'oneOf']).toContain(steps.at(-1));
    const list = steps.reduce<unknown>((at, step) => (at as Dictionary)[step], copy);
    (list as unknown[])[Number(last)] = false;
  }
  return copy;
}

/** Whether the schema at the pointer really is the null branch that the report names. */
function acceptsOnlyNull(schema: JsonSchema, pointer: string): boolean {
  ajv.addSchema({ ...schema, $id: 'https://example.test/whole' });
  const branch = ajv.compile({ $ref: `https://example.test/whole#${pointer.split('/').map(encodeURIComponent).join('/')}` });
  ajv.removeSchema('https://example.test/whole');
  ajv.removeSchema(branch.schema);
  return !['a', '', 0, 1.5, true, false, [], ['a'], {}, { a: 1 }, { kind: 'a' }].some((instance) => accepts(branch, instance) === true);
}

/** The schema rewritten within a share of its bytes, or `undefined` if it needs no cut for that. */
function cutResult(original: JsonSchema, factor: number): JsonSchema | undefined {
  const within = (growth: Growth): JsonSchema => JSON.parse(JSON.stringify(flattened(structuredClone(original), growth))) as JsonSchema;
  const result = within({ factor, always: 0 });
  const [bound, bytes] = [factor * Buffer.byteLength(JSON.stringify(original)), Buffer.byteLength(JSON.stringify(result))];
  // The type of the root is always written.
  expect(bytes).toBeLessThanOrEqual(Math.max(bound, JSON.stringify({ type: result['type'], nullable: true }).length));
  if (isDeepStrictEqual(result, within({ factor: 1, always: Number.POSITIVE_INFINITY }))) return undefined;
  expect(forbidden(result)).toEqual([]);
  expect(normalizeToolSchema(result)).toBe(result);
  return result;
}

function withObjectNames(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"x-1"', '"__proto__"').replaceAll('"not"', '"constructor"')) as JsonSchema;
}

describe('normalized tool schemas', () => {
  test(
    'accept whatever the original accepts, and fit the bound when they are cut',
    () => {
      const count = {
        schemas: 0,
        rewritten: 0,
        lossy: 0,
        cut: 0,
        uncompilable: 0,
        judged: 0,
        judgedCut: 0,
        nullOnly: 0,
        refusedBefore: 0,
        refusedBoth: 0,
        undecided: 0,
        collapsed: 0,
      };
      const factors = fc.constantFrom(0, 0.1, 0.3, 0.6, 1);
      fc.assert(
        fc.property(root, factors, fc.noShrink(fc.integer()), (original, factor, seed) => {
          const before = compile(original);
          if (before === undefined) {
            count.uncompilable++;
            return;
          }
          count.schemas++;
          const result = normalizeToolSchema(original);
          if (result !== original) count.rewritten++;
          const rewrites = explainToolSchema(original);
          const lossless = !rewrites.some(losesMeaning);
          if (!lossless) count.lossy++;
          const pointers = collapsedPointers(rewrites);
          const admitted = pointers.length === 0 ? before : compile(withoutNullBranches(original, pointers));
          if (admitted === undefined) throw new Error('the schema without null branches does not compile');
          for (const pointer of pointers.slice(0, 2)) {
            count.collapsed++;
            expect(acceptsOnlyNull(original, pointer), pointer).toBe(true);
          }
          const judges = [result, cutResult(original, factor)].filter((one) => one !== undefined).map((one) => ({ one, after: ajv.compile(one) }));
          for (const { one } of judges) ajv.removeSchema(one);
          if (judges.length > 1) count.cut++;
          const instances = new Instances(original, seed);
          for (let index = 0; index < INSTANCES; index++) {
            const instance = instances.next();
            const accepted = accepts(before, instance);
            if (accepted === undefined) count.undecided++;
            else if (!accepted) {
              count.refusedBefore++;
              if (judges[0] !== undefined && accepts(judges[0].after, instance) === false) count.refusedBoth++;
              else if (lossless) throw new Error(`reported as lossless, accepts ${JSON.stringify(instance)}\nby ${JSON.stringify(result)}`);
            } else if (pointers.length > 0 && !accepts(admitted, instance)) count.nullOnly++;
            else {
              count.judged++;
              if (judges.length > 1) count.judgedCut++;
              for (const { one, after } of judges)
                if (!accepts(after, instance)) throw new Error(`refused ${JSON.stringify(instance)}\nby ${JSON.stringify(one)}`);
            }
          }
        }),
        { numRuns: RUNS, seed: SEED },
      );
      console.info('tool schemas judged by ajv:', JSON.stringify(count));
      expect(count.judged).toBeGreaterThanOrEqual(Math.min(10_000, RUNS * 5));
      expect(count.judgedCut).toBeGreaterThanOrEqual(Math.min(5_000, RUNS * 2));
    },
    RUNS * 500,
  );

  test(
    'have none of the five constructs, are valid, and stay what they are',
    () => {
      fc.assert(
        // ajv takes inherited properties for present ones, so that it could not judge these names above.
        fc.property(root.map(withObjectNames), (original) => {
          const frozen = deepFreeze(original);
          const copy = structuredClone(original);
          const result = normalizeToolSchema(frozen);
          expect(forbidden(result)).toEqual([]);
          expect(normalizeToolSchema(deepFreeze(result))).toBe(result);
          expect(explainToolSchema(result)).toEqual([]);
          expect(frozen).toEqual(copy);
          if (metaAjv.validateSchema(original) === true) expect(metaAjv.validateSchema(result), JSON.stringify(metaAjv.errors)).toBe(true);
        }),
        { numRuns: Math.ceil(RUNS / 5), seed: SEED + 1 },
      );
    },
    RUNS * 500,
  );
});
