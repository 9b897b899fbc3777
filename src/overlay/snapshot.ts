/**
 * A copy of plain lists and objects, all the way down; anything else is kept as it is. A request is taken as it was when the call was made: where a
 * part of the library has to be loaded first, a caller who goes on filling his list of messages must not change what is sent.
 */
export function snapshot<T>(value: T): T {
  return copied(value, new Map(), 0) as T;
}

/** Beyond it the given objects are kept: a schema nested by thousands is nobody's list of messages, and must not end in a stack overflow. */
const maxDepth = 1000;

function copied(value: unknown, known: Map<object, unknown>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  const before = known.get(value);
  if (before !== undefined) return before;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    known.set(value, list);
    for (const item of value) list.push(copied(item, known, depth + 1));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return value;
  const fields: Record<string, unknown> = {};
  known.set(value, fields);
  // Not an assignment: `__proto__` is a field like any other in JSON.
  for (const [name, field] of Object.entries(value))
    Object.defineProperty(fields, name, { value: copied(field, known, depth + 1), writable: true, enumerable: true, configurable: true });
  return fields;
}
