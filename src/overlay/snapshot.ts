/** A copy of plain data as it is now, to be sent later. Shared parts and cycles stay so; anything but arrays and plain objects is kept itself. */
export function snapshotOf<T>(value: T): T {
  try {
    return copyOf(value, new Map()) as T;
  } catch {
    // Nested deeper than the stack: it cannot be written as JSON either, and the call says so.
    return value;
  }
}

function copyOf(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value) list.push(copyOf(item, copies));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const fields: Record<string, unknown> = {};
  copies.set(value, fields);
  // Defined and not assigned: a field may be named `__proto__`.
  for (const [name, field] of Object.entries(value))
    Object.defineProperty(fields, name, { value: copyOf(field, copies), enumerable: true, writable: true, configurable: true });
  return fields;
}
