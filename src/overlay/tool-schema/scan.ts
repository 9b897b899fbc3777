import { isObject, type JsonSchema } from './json-schema.ts';
import { isData, isForbidden, isMap, KEYWORDS } from './keywords.ts';
import { MAX_DEPTH, MAX_SCHEMAS } from './limits.ts';

const FAST_NODES = 2_000;

/**
 * Whether the schema can be sent unchanged: none of the five constructs is in a schema position, and the schema can be
 * serialized. (A cyclic object cannot. Objects shared in doubling layers become too large.)
 */
export function insideSubset(schema: JsonSchema): boolean {
  const scan = new FastScan();
  const clean = scan.node(schema, 0);
  return clean && scan.gaveUp ? thoroughScan(schema) : clean;
}

/** The common case, without allocation. It does not track visited schemas, so it gives up early. */
class FastScan {
  gaveUp = false;
  #nodes = 0;

  node(schema: unknown, depth: number): boolean {
    if (typeof schema !== 'object' || schema === null) return true;
    if (++this.#nodes > FAST_NODES || depth > MAX_DEPTH) this.gaveUp = true;
    if (this.gaveUp) return true;
    if (Array.isArray(schema)) {
      // A list is not a schema, but the schemas in it must not be sent either.
      for (const item of schema) if (!this.node(item, depth + 1)) return false;
      return true;
    }
    for (const keyword in schema) {
      const kind = KEYWORDS.get(keyword);
      if (kind === undefined) continue;
      if (isForbidden(kind)) return false;
      if (isData(kind)) continue;
      const value = (schema as JsonSchema)[keyword];
      if (isMap(kind)) {
        if (!isObject(value)) continue;
        for (const name in value) if (!this.node(value[name], depth + 1)) return false;
      } else if (!this.node(value, depth + 1)) return false;
    }
    return true;
  }
}

interface Visit {
  readonly schema: object;
  readonly children: readonly object[];
  next: number;
  /** Schemas below, counted as often as they would be serialized. */
  size: number;
}

/** The scan for large, deep, shared or cyclic schemas. It visits every object once, with an explicit stack. */
function thoroughScan(root: JsonSchema): boolean {
  const sizes = new Map<object, number | 'open'>();
  const stack: Visit[] = [];
  const open = (schema: object): boolean => {
    const children = childObjects(schema);
    if (children === undefined) return false;
    sizes.set(schema, 'open');
    stack.push({ schema, children, next: 0, size: Array.isArray(schema) ? 0 : 1 });
    return true;
  };
  if (!open(root)) return false;
  for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
    const child = visit.children[visit.next++];
    if (child === undefined) {
      stack.pop();
      sizes.set(visit.schema, visit.size);
      const parent = stack.at(-1);
      if (parent !== undefined) parent.size += visit.size;
      continue;
    }
    const size = sizes.get(child);
    if (size === 'open') return false;
    if (size !== undefined) visit.size += size;
    else if (!open(child)) return false;
  }
  const size = sizes.get(root) as number;
  return size <= MAX_SCHEMAS || size <= 2 * sizes.size;
}

/** The objects (and misplaced lists) in schema positions directly below, or `undefined` if `schema` has a forbidden construct. */
function childObjects(schema: object): object[] | undefined {
  const children: object[] = [];
  const add = (child: unknown): void => {
    if (typeof child === 'object' && child !== null) children.push(child);
  };
  if (Array.isArray(schema)) {
    schema.forEach(add);
    return children;
  }
  for (const keyword of Object.keys(schema)) {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined) continue;
    if (isForbidden(kind)) return undefined;
    if (isData(kind)) continue;
    const value = (schema as JsonSchema)[keyword];
    if (!isMap(kind)) add(value);
    else if (isObject(value)) Object.keys(value).forEach((name) => void add(value[name]));
  }
  return children;
}
