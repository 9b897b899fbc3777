import { isObject, type JsonSchema } from './json-schema.ts';
import { KEYWORDS } from './keywords.ts';
import { MAX_DEPTH, MAX_SCHEMAS } from './limits.ts';

const FAST_NODES = 2_000;

/**
 * Whether the schema can be sent unchanged: no construct that has to go is in a schema position, and the schema can be
 * serialized. (A cyclic object cannot. Objects shared in doubling layers become too large.)
 */
export function insideSubset(schema: JsonSchema): boolean {
  let nodes = 0;
  let depth = 0;
  let gaveUp = false;
  // The common case, without allocation. It does not track visited schemas, so it gives up early.
  const scan = (node: object): boolean => {
    if (++nodes > FAST_NODES || depth > MAX_DEPTH) gaveUp = true;
    if (gaveUp) return true;
    depth++;
    const clean = eachBelow(node, scan);
    depth--;
    return clean;
  };
  const clean = scan(schema);
  return clean && gaveUp ? thoroughScan(schema) : clean;
}

/** The scan for large, deep, shared or cyclic schemas: of every object, and then of every place where one is used. */
function thoroughScan(root: JsonSchema): boolean {
  const objects = new Set<object>([root]);
  for (const schema of objects) if (!eachBelow(schema, (child) => objects.add(child).size > 0)) return false;
  const places: object[] = [root];
  let left = Math.max(MAX_SCHEMAS, 2 * objects.size);
  const add = (child: object): boolean => --left > 0 && places.push(child) > 0;
  for (let schema = places.pop(); schema !== undefined; schema = places.pop()) if (!eachBelow(schema, add)) return false;
  return true;
}

type Visit = (child: object) => boolean;

/**
 * Visits the objects in schema positions directly below, and lists: misplaced schemas in a list must not be sent either. Ends with
 * `false` at a construct that has to go, or where `visit` returns `false`.
 */
function eachBelow(schema: object, visit: Visit): boolean {
  if (Array.isArray(schema)) return eachValue(schema, visit);
  for (const keyword in schema) {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined) continue;
    if (kind.forbidden) return false;
    const value = (schema as JsonSchema)[keyword];
    if (typeof value !== 'object' || value === null) continue;
    if (kind.map ? isObject(value) && !eachValue(value, visit) : (kind.schema || kind.list) && !visit(value)) return false;
  }
  return true;
}

function eachValue(values: object, visit: Visit): boolean {
  for (const name in values) {
    const value: unknown = (values as JsonSchema)[name];
    if (typeof value === 'object' && value !== null && !visit(value)) return false;
  }
  return true;
}
