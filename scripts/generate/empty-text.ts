import type { Operation } from './operations.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from './source.ts';

type Place = readonly (string | number)[];

/** Refuse a required text of a request that may be empty: it needs `minLength`, or `x-may-be-empty` with the reason. */
export function checkRequiredTexts(source: Source, operations: readonly Operation[]): void {
  const seen = new Set<Json>();
  for (const { body, parameters } of operations) {
    if (body) visit(source, body.schema, [...body.place, 'schema'], seen);
    for (const { name, in: at, required, schema, place } of parameters)
      if (required && at !== 'header' && mayBeEmpty(source.value, schema)) throw problem(source, [...place, 'schema'], name);
  }
}

function visit(source: Source, schema: Json | undefined, place: Place, seen: Set<Json>): void {
  if (!isObject(schema) || seen.has(schema)) return;
  seen.add(schema);
  const { $ref: ref, properties } = schema;
  if (typeof ref === 'string') visit(source, resolve(source.value, ref), ref.slice(2).split('/'), seen);
  const required = requiredNames(schema);
  for (const [name, field] of Object.entries(isObject(properties) ? properties : {})) {
    const at = [...place, 'properties', name];
    if (required.has(name) && schema['x-may-be-empty'] === undefined && mayBeEmpty(source.value, field)) throw problem(source, at, name);
    visit(source, field, at, seen);
  }
  for (const key of ['items', 'additionalProperties']) visit(source, schema[key], [...place, key], seen);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const [index, branch] of listOf(schema[key]).entries()) visit(source, branch, [...place, key, index], seen);
}

/** The names that the schema requires, always or under a condition. */
function requiredNames(schema: Json | undefined): Set<Json> {
  if (!isObject(schema)) return new Set();
  const branches = [schema['then'], ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]))];
  return new Set([...listOf(schema['required']), ...branches.flatMap((branch) => [...requiredNames(branch)])]);
}

function mayBeEmpty(document: JsonObject, field: Json | undefined): boolean {
  if (!isObject(field) || field['x-may-be-empty'] !== undefined || field['format'] === 'binary') return false;
  const { $ref: ref, type, enum: words, const: word, pattern, minLength } = field;
  if (minLength !== undefined || words !== undefined || word !== undefined) return minLength === 0;
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test('')) return false;
  if (typeof ref === 'string') return mayBeEmpty(document, resolve(document, ref));
  return [type].flat().includes('string') || ['anyOf', 'oneOf'].some((key) => listOf(field[key]).some((branch) => mayBeEmpty(document, branch)));
}

function problem(source: Source, place: Place, name: string): Error {
  return source.error(place, `the required text ${name} may be empty: add minLength: 1, or x-may-be-empty with the reason`);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
