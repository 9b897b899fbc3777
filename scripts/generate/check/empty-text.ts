import { isOwnHeader, list, type Operation } from '../document/operations.ts';
import { isObject, type Json, type JsonObject, type Source } from '../document/source.ts';
import { type Node, nodeOf, type Place, reached, walk } from '../document/walk.ts';

/** Refuse a required text of a request that may be empty: it needs `minLength`, which is 0 for one that may be. */
export function checkRequiredTexts(source: Source, operations: readonly Operation[]): void {
  const seen = new Set<string>();
  for (const { body, parameters } of operations) {
    if (body) checkFields(source, body.schema, [...body.place, 'schema'], seen);
    for (const one of parameters)
      if (one.required && !isOwnHeader(one) && mayBeEmpty(source, one.schema)) throw problem(source, [...one.place, 'schema'], one.name);
  }
}

const declaring = new Set(['', 'properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf']);

function checkFields(source: Source, schema: Json, place: Place, seen: Set<string>): void {
  // A condition declares no field: what it requires counts where the field is declared.
  for (const { kind, value, place: at } of reached(source, nodeOf('schema', schema, place), seen, ({ under }) => declaring.has(under))) {
    if (kind !== 'schema' || !isObject(value) || !isObject(value['properties'])) continue;
    const required = requiredNames(value);
    for (const [name, field] of Object.entries(value['properties']))
      if (required.has(name) && mayBeEmpty(source, field)) throw problem(source, [...at, 'properties', name], name);
  }
}

const branching = new Set(['', 'then', 'allOf', 'anyOf', 'oneOf']);

/** The names that the schema requires, always or under a condition. */
function requiredNames(schema: JsonObject): Set<Json> {
  const names = new Set<Json>();
  walk(nodeOf('schema', schema, []), true, ({ value, under }) => {
    if (!branching.has(under) || !isObject(value)) return undefined;
    for (const name of list(value['required'])) names.add(name);
    return true;
  });
  return names;
}

function mayBeEmpty(source: Source, field: Json): boolean {
  const enters = ({ value, under }: Node): boolean => ['', 'anyOf', 'oneOf'].includes(under) && isObject(value) && !isNeverEmpty(value);
  const forms = reached(source, nodeOf('schema', field, []), new Set(), enters);
  return forms.some(({ value }) => isObject(value) && [value['type']].flat().includes('string'));
}

function isNeverEmpty(schema: JsonObject): boolean {
  const { format, enum: words, const: word, pattern, minLength } = schema;
  const isChecked = words !== undefined || word !== undefined || typeof minLength === 'number';
  return isChecked || format === 'binary' || (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(''));
}

function problem(source: Source, place: Place, name: string): Error {
  return source.error(place, `the required text ${name} may be empty: add minLength: 1, or minLength: 0 if it may`);
}
