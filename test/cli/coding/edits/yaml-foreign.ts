// Paths with lists, and other programs that change a YAML document between an edit and its undo.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parseDocument, stringify, type ToStringOptions } from 'yaml';
import { hasFields, type Identity, type Leaf, type Path, type Step, type Undo } from '../../../../src/cli/coding/edits/edit.ts';

type Value = Readonly<Record<string, unknown>> | readonly unknown[];
type Way = readonly (string | number)[];

const step = fc.record({
  pick: fc.nat(),
  fresh: fc.constantFrom('env', 'model', 'x-key', 'yes', 'a b'),
  isFresh: fc.boolean(),
  isList: fc.boolean(),
});
const leaf: fc.Arbitrary<Leaf> = fc.constantFrom<Leaf>('text', 'no', 'a: b', '# x', 2.25, false, ['a', 1], 'https://example.com');

export const listEdits = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), value: leaf }), { minLength: 1, maxLength: 3 });
type Steps = typeof listEdits extends fc.Arbitrary<readonly (infer T)[]> ? T : never;

/** A path through maps, lists and empty values. Undefined if it would lead through a scalar. */
export function pathThrough(root: unknown, { steps }: Steps): Path | undefined {
  const path: Step[] = [];
  let place: unknown = root;
  for (const { pick, fresh, isFresh, isList } of steps) {
    if (Array.isArray(place) || ((place === undefined || place === null) && isList && path.length > 0 && typeof path.at(-1) === 'string')) {
      const names = ((place ?? []) as readonly unknown[]).flatMap((item) =>
        isObject(item) && typeof item['name'] === 'string' ? [item['name']] : [],
      );
      const fields: Identity = { name: isFresh || names.length === 0 ? fresh : (names[pick % names.length] as string) };
      path.push(fields);
      place = Array.isArray(place) ? place.find((item) => isObject(item) && item['name'] === fields['name']) : undefined;
      continue;
    }
    if (place !== undefined && place !== null && !isObject(place)) break;
    const keys = Object.keys(place ?? {}).filter((key) => key !== 'name');
    const key = isFresh || keys.length === 0 ? fresh : (keys[pick % keys.length] as string);
    path.push(key);
    place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }
  if (typeof path[0] !== 'string') return undefined;
  return typeof path.at(-1) === 'string' ? path : [...path, 'apiKey'];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const foreign = fc.record({
  changes: fc.array(
    fc.record({ pick: fc.nat(), isNew: fc.boolean(), value: fc.constantFrom<unknown>('theirs', 7, null, ['x'], { deep: [{ er: 1 }] }) }),
    {
      maxLength: 3,
    },
  ),
  writer: fc.constantFrom('dump', 'library', 'library'),
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
});
export type Foreign = typeof foreign extends fc.Arbitrary<infer T> ? T : never;

/**
 * Changes parts that stood in a document before our edits. Gives the changed text and the document as it would be without our edits. Undefined
 * if the library does not write such a document correctly.
 */
export function changedBy({ changes, writer, indent, indentSeq }: Foreign, original: unknown, text: string, ours: unknown, undos: readonly Undo[]) {
  const replaced = undos.filter(({ before }) => before !== undefined).map(({ path }) => wayOf(ours, path));
  const targets: { readonly target: Way; readonly value: unknown }[] = [];
  let theirs = ours;
  let expected = original;
  for (const [at, { pick, isNew, value }] of changes.entries()) {
    // A change inside of a list that we set goes with the list.
    const ways = waysIn(original, isNew).filter(
      (way) => isSame(valueAt(original, way), valueAt(ours, way), isNew) && !replaced.some((leaf) => leaf.every((key, index) => way[index] === key)),
    );
    const way = ways[pick % ways.length];
    if (!way) continue;
    const target = isNew ? [...way, `foreign${at}`] : way;
    targets.push({ target, value });
    theirs = withValue(theirs, target, value);
    expected = withValue(expected, target, value);
  }
  const written =
    writer === 'dump' ? stringify(theirs, { indent, indentSeq, aliasDuplicateObjects: false }) : changedText(text, targets, { indent, indentSeq });
  return written === undefined ? undefined : { written, theirs, expected };
}

/** A path with the positions of its items. */
function wayOf(document: unknown, path: Path): Way {
  let place = document;
  return path.map((step) => {
    // A later edit may have replaced the list by a leaf.
    const key = typeof step === 'string' ? step : Array.isArray(place) ? place.findIndex((item) => hasFields(item, step)) : -1;
    place = valueAt(place, [key]);
    return key;
  });
}

/** The library finds no keys that are numbers, and does not write all that it reads. */
function changedText(
  text: string,
  targets: readonly { readonly target: Way; readonly value: unknown }[],
  style: ToStringOptions,
): string | undefined {
  const document = parseDocument(text, { intAsBigInt: true });
  try {
    for (const { target, value } of targets) document.setIn(target, document.createNode(value));
    return document.toString(style);
  } catch {
    return undefined;
  }
}

function isSame(before: unknown, after: unknown, isContainer: boolean): boolean {
  return isContainer ? isObject(before) && isObject(after) : isDeepStrictEqual(before, after);
}

/** Ways to the maps of a document, or to its scalars. */
function waysIn(value: unknown, isMap: boolean, way: Way = []): readonly Way[] {
  if (!isObject(value) && !Array.isArray(value)) return isMap || way.at(-1) === 'name' ? [] : [way];
  const below = Array.isArray(value)
    ? value.flatMap((item, at) => waysIn(item, isMap, [...way, at]))
    : Object.entries(value).flatMap(([key, item]) => waysIn(item, isMap, [...way, key]));
  return isMap && isObject(value) ? [way, ...below] : below;
}

function valueAt(value: unknown, way: Way): unknown {
  return way.reduce<unknown>((place, key) => (typeof place === 'object' && place !== null ? (place as Value)[key as never] : undefined), value);
}

function withValue(place: unknown, [key, ...rest]: Way, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(place)) return place.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  const object = place as Readonly<Record<string, unknown>>;
  return { ...object, [key]: withValue(object[key], rest, value) };
}
