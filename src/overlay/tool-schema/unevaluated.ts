import { isObject, isSubschema, type JsonSchema, mapOf, put, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import type { Located } from './resolve.ts';

const MAX_VISITED = 500;
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const OPEN = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'];

/**
 * The properties that schemas beside `unevaluatedProperties` may evaluate. After merging, all other properties are
 * additional. Returns `undefined` if they cannot be listed.
 */
export function evaluatedProperties(pass: Pass, start: Located): JsonSchema | undefined {
  const { references } = pass;
  const names: Record<string, unknown> = {};
  const seen = new Set<Subschema>();
  const queue: Located[] = [start];
  let found = 1;
  for (let located = queue.pop(); located !== undefined; located = queue.pop()) {
    const { schema, pointer, resource } = located;
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (schema !== start.schema && OPEN.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
    if (Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef')) return undefined;
    const own = Object.keys(mapOf(schema['properties']));
    if (!pass.spend(own.length + 1)) return undefined;
    for (const name of own) put(names, name, true);
    for (const child of beside(schema)) {
      if (++found > MAX_VISITED) return undefined;
      if (isSubschema(child)) queue.push(references.locate(child, pointer, resource));
    }
    if (typeof schema['$ref'] === 'string') {
      const target = references.resolve(schema['$ref'], resource);
      if (target === undefined) return undefined;
      queue.push(target);
    }
  }
  return names;
}

/** The schemas that apply to the same value. */
function* beside(schema: JsonSchema): Generator<unknown, void, undefined> {
  for (const keyword of BRANCHES) if (Array.isArray(schema[keyword])) yield* schema[keyword] as unknown[];
  for (const keyword of ['if', 'then', 'else']) yield schema[keyword];
  for (const keyword of ['dependentSchemas', 'dependencies']) yield* Object.values(mapOf(schema[keyword]));
}
