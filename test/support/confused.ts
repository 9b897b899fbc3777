import fc from 'fast-check';

/** Represents a value with 14,000 levels, which overflows the stack of any recursion: the smallest ends at about 12,000. `wireText` writes it out. */
const deepMark = '@deep@';
const deep = `${'[{"a":'.repeat(7_000)}1${'}]'.repeat(7_000)}`;

/** The JSON text of a confused value. */
export function wireText(value: unknown): string {
  return JSON.stringify(value).replaceAll(`"${deepMark}"`, deep);
}

/** Values to put instead of another type, including names and fields that every object inherits. */
const wrong: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  '',
  'x',
  'constructor',
  [],
  {},
  [null],
  [[], 'x'],
  { a: { b: [null] } },
  JSON.parse('{"toString":1,"valueOf":1,"toJSON":1,"length":"x","then":1,"map":1}'),
  deepMark,
  JSON.parse('{"__proto__":{"x":1},"constructor":null}'),
];

type Change = (value: unknown) => unknown;
const dropped = Symbol('dropped');
const doubled = Symbol('doubled');

/** Number of nodes of a JSON value, itself included. */
function size(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, child) => sum + size(child), 0);
}

/** A copy in which the node at `place`, counted depth first, is changed. */
function changed(value: unknown, place: number, change: Change): unknown {
  if (place === 0) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  let before = 1;
  const children = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const at = place - before;
    before += size(child);
    const now = at >= 0 && at < size(child) ? changed(child, at, change) : child;
    if (now === dropped) return [];
    return now === doubled
      ? [
          [name, child],
          [`${name}2`, child],
        ]
      : [[name, now]];
  });
  return Array.isArray(value) ? children.map(([, child]) => child) : Object.fromEntries(children);
}

const changes: readonly Change[] = [
  ...wrong.map(
    (one): Change =>
      () =>
        one,
  ),
  () => dropped,
  () => doubled,
];

/** The places of the nodes of a value. Of more than two neighbors in a list that have one shape, the first and the last are enough. */
function* places(value: unknown, own = 0): Generator<number> {
  yield own;
  if (typeof value !== 'object' || value === null) return;
  const children: unknown[] = Object.values(value);
  const shapes = children.map(shapeOf);
  let place = own + 1;
  for (const [index, child] of children.entries()) {
    const isBetween = Array.isArray(value) && shapes[index - 1] === shapes[index] && shapes[index] === shapes[index + 1];
    if (!isBetween) yield* places(child, place);
    place += size(child);
  }
}

/** Every way to confuse one node of a value. */
export function* confusions(value: unknown): Generator<unknown> {
  for (const place of places(value))
    for (const change of changes) {
      const made = changed(value, place, change);
      if (typeof made !== 'symbol') yield made;
    }
}

/** A value with one to four of its nodes confused. */
export function confused(value: unknown): fc.Arbitrary<unknown> {
  const step = fc.record({ place: fc.nat(), change: fc.constantFrom(...changes) });
  return fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => {
    let made = value;
    for (const { place, change } of steps) made = changed(made, place % size(made), change);
    return typeof made === 'symbol' ? null : made;
  });
}

/** The names and types of a value, without its content. Values of one shape need to be confused only once. */
export function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'object' ? inner : typeof inner));
}
