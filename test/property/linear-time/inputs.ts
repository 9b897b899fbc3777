export function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function fields(count: number, make: (index: number) => unknown, prefix = 'p'): Record<string, unknown> {
  return Object.fromEntries(list(count, (index) => [`${prefix}${index}`, make(index)]));
}

/** `levels` times wrapped. */
export function nested(levels: number, wrap: (inner: unknown) => unknown, bottom: unknown): unknown {
  let value = bottom;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

export async function* streamOf<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  for (const item of items) yield item;
}

export async function drained(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count++;
  return count;
}
