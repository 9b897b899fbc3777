// A schema of a document as one shape, to be compared with another document's.

import { isDeepStrictEqual } from 'node:util';
import { entries, list } from '../../generate/document/operations.ts';
import { isObject, type Json, type JsonObject, resolve } from '../../generate/document/source.ts';

/** A schema, and its name for claims: of the schema that a reference leads to, else of the field that holds it. */
export interface Part {
  readonly node: JsonObject;
  readonly name: string;
}

/** A schema with its references followed and its alternatives as one: the loosest of their rules. */
export interface Shape {
  readonly parts: readonly Part[];
  readonly fields: ReadonlyMap<string, readonly Part[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly Part[];
}

export function wordsOf({ parts }: Shape): Json[] | undefined {
  const lists = parts.map(({ node }) => node['enum'] ?? node['x-extensible-enum'] ?? (node['const'] === undefined ? undefined : [node['const']]));
  const words = lists.filter(Array.isArray).flat();
  return words.length > 0 ? [...new Map(words.map((word) => [JSON.stringify(word), word])).values()] : undefined;
}

/** The default of all parts; undefined where they differ. */
export function defaultOf({ parts }: Shape): Json | undefined {
  const [first, ...others] = parts.map(({ node }) => node['default']);
  return others.every((one) => isDeepStrictEqual(one, first)) ? first : undefined;
}

export function loosest(key: string, { parts }: Shape): number | undefined {
  const numbers = parts.map(({ node }) => node[key]).filter((one) => typeof one === 'number');
  if (numbers.length === 0) return undefined;
  return key.startsWith('min') ? Math.min(...numbers) : Math.max(...numbers);
}

/** The types that a side states, sorted. Null is left out: documents of vendors rarely have it. */
export function typesOf({ parts }: Shape): string[] | undefined {
  const types = parts.flatMap(({ node }) => (Array.isArray(node['type']) ? node['type'] : [node['type']])).filter((one) => typeof one === 'string');
  return types.length === 0 ? undefined : [...new Set(types)].filter((one) => one !== 'null').sort();
}

export function shapeOf(document: JsonObject, holders: readonly Part[]): Shape {
  const parts = holders.flatMap((one) => partsOf(document, one, 0));
  const fields = new Map<string, Part[]>();
  for (const { node, name } of parts)
    for (const [key, child] of entries(node['properties']))
      if (isObject(child)) fields.set(key, [...(fields.get(key) ?? []), { node: child, name: `${name}.${key}` }]);
  const holding = parts.filter(({ node }) => isObject(node['properties']));
  return {
    parts,
    fields,
    required: new Set([...fields.keys()].filter((key) => holding.every(({ node }) => list(node['required']).includes(key)))),
    items: parts.flatMap(({ node, name }) => (isObject(node['items']) ? [{ node: node['items'], name: `${name}[]` }] : [])),
  };
}

/** A schema and its alternatives, references followed. Conditions are left out. */
function partsOf(document: JsonObject, { node, name }: Part, depth: number): Part[] {
  if (depth > 8) return [];
  const reference = typeof node['$ref'] === 'string' ? node['$ref'] : undefined;
  const target = reference === undefined ? undefined : resolve(document, reference);
  if (reference !== undefined && isObject(target)) return partsOf(document, { node: target, name: reference.split('/').at(-1) ?? name }, depth + 1);
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => list(node[key])).filter((one) => isObject(one) && one['if'] === undefined);
  return [{ node, name }, ...(branches as JsonObject[]).flatMap((one) => partsOf(document, { node: one, name }, depth + 1))];
}
