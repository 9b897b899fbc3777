import { isFields, isObject } from '../json/json-value.ts';
import type { JsonSchema } from '../json/schema.ts';
import { FORMS } from '../json/schema-document.ts';
import { FORBIDDEN } from './keywords.ts';
import { MAX_OBJECTS } from './limits.ts';

/**
 * Whether the schema can be sent unchanged: no schema position has an `unfit` keyword, and the schema can be serialized. A cyclic object cannot,
 * and objects shared in doubling layers become too large.
 */
export function insideSubset(schema: JsonSchema, unfit: ReadonlySet<string> = FORBIDDEN): boolean {
  const places: object[] = [schema];
  let most = MAX_OBJECTS;
  let count = 0;
  const add = (child: object): boolean => {
    // Only shared objects have more places than one, so this bound refuses no tree, however large.
    if (++count === MAX_OBJECTS) most = Math.max(most, 2 * objectsIn(schema, unfit));
    return count < most && places.push(child) > 0;
  };
  for (let at = places.pop(); at !== undefined; at = places.pop()) if (!eachBelow(at, unfit, add)) return false;
  return true;
}

function objectsIn(schema: JsonSchema, unfit: ReadonlySet<string>): number {
  const objects = new Set<object>([schema]);
  for (const object of objects) eachBelow(object, unfit, (child) => objects.add(child).size > 0);
  return objects.size;
}

/**
 * Visits the objects and lists in schema positions directly below. A list in the place of a schema counts too, because its schemas must not be
 * sent either. Ends with `false` at an unfit keyword, or where `visit` returns `false`.
 */
function eachBelow(schema: object, unfit: ReadonlySet<string>, visit: (child: object) => boolean): boolean {
  if (Array.isArray(schema)) return eachValue(schema, visit);
  for (const keyword in schema) {
    if (unfit.has(keyword)) return false;
    const form = FORMS.get(keyword);
    const value: unknown = (schema as JsonSchema)[keyword];
    if (form === undefined || !isObject(value)) continue;
    if (form === 'map' ? isFields(value) && !eachValue(value, visit) : !visit(value)) return false;
  }
  return true;
}

function eachValue(values: object, visit: (child: object) => boolean): boolean {
  for (const name in values) {
    const value: unknown = (values as JsonSchema)[name];
    if (isObject(value) && !visit(value)) return false;
  }
  return true;
}
