import { isObject, isSubschema, type JsonSchema, mapOf, put, type Subschema } from './json-schema.ts';
import type { Located, References } from './resolve.ts';

const MAX_VISITED = 500;
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const OPEN = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'];

/**
 * The properties that `unevaluatedProperties` may find evaluated in any of the schemas applied beside it: once those are
 * merged, they are the ones that are not additional. `undefined` when they cannot be listed.
 */
export function evaluatedProperties(references: References, start: Located): JsonSchema | undefined {
  const names: Record<string, unknown> = {};
  const seen = new Set<Subschema>();
  const queue: Located[] = [start];
  for (let located = queue.pop(); located !== undefined; located = queue.pop()) {
    const { schema, pointer, resource } = located;
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (seen.size > MAX_VISITED) return undefined;
    if (schema !== start.schema && OPEN.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
    if (Object.hasOwn(schema, '$dynamicRef') || Object.hasOwn(schema, '$recursiveRef')) return undefined;
    for (const name of Object.keys(mapOf(schema['properties']))) put(names, name, true);
    const beside: unknown[] = BRANCHES.flatMap((keyword) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : []));
    beside.push(
      schema['if'],
      schema['then'],
      schema['else'],
      ...Object.values(mapOf(schema['dependentSchemas'])),
      ...Object.values(mapOf(schema['dependencies'])),
    );
    for (const child of beside) if (isSubschema(child)) queue.push(references.locate(child, pointer, resource));
    if (typeof schema['$ref'] === 'string') {
      const target = references.resolve(schema['$ref'], resource);
      if (target === undefined) return undefined;
      queue.push(target);
    }
  }
  return names;
}
