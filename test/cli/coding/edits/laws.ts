// The laws of an editor, checked on random documents. One file a format gives the documents.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Draft, EditProblem, hasFields, type Leaf, type Open, type Path, type Step, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { single } from './single.ts';

/** Runs of the property in the suite. */
export const documents = 10_000;

const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'env',
    'model',
    'models',
    'name',
    'ANTHROPIC_BASE_URL',
    'zai-coding-plan',
    'glm-5.3[1m]',
    'with space',
    'ключ',
    '"quoted"',
  ),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'true', '1', 'null', '~', '# no', 'a: b', "it's", 'C:\\x', '$(x)', '{', '- x'),
  fc.boolean(),
  fc.integer(),
);
const leaf: fc.Arbitrary<Leaf> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));

/** Choices by which a path is picked in a document that is known only later. */
const choices = fc.array(fc.record({ pick: fc.nat(), fresh: key, isFresh: fc.boolean(), isItem: fc.boolean() }), { minLength: 1, maxLength: 4 });

export const edits = fc.array(fc.record({ choices, value: leaf }), { minLength: 1, maxLength: 4 });
export type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

/** Called with the draft and the path of an edit that was refused. */
type OnRefused = (problem: EditProblem, draft: Draft, path: Path) => void;

/**
 * Applies edits to a document, each in a draft of its own, and takes them back. Returns false if the editor refused the first of them. The laws:
 * the result parses to the document with the leaf set; all other bytes stay, in their order; taken back in reverse, the bytes are those of the
 * beginning.
 */
export function checkLaws(open: Open, text: string, made: Edits, onRefused?: OnRefused): boolean {
  const texts = [text];
  const undos: Undo[] = [];
  let current = text;
  let draft = open(text);
  let content = draft.find([]);
  for (const { choices: picks, value } of made) {
    const path = pathIn(content, picks);
    if (!path) continue;
    let undo: Undo;
    let after: string;
    try {
      undo = draft.set(path, value);
      after = draft.finish();
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      draft = open(current);
      onRefused?.(error, draft, path);
      if (undos.length === 0) return false;
      continue;
    }
    draft = open(after);
    const expected = withLeaf(content, path, value);
    content = draft.find([]);
    expectSame(content, expected);
    expectSame(draft.find(path), value);
    expectKept(current, after, undo);
    // The record is JSON.
    undos.push(JSON.parse(JSON.stringify(undo)) as Undo);
    current = after;
    texts.push(current);
  }
  const editor = single(open);
  for (const undo of undos.reverse()) {
    expectSame(texts.pop(), current);
    current = editor.undo(current, undo);
  }
  expectSame(current, text);
  return true;
}

/** `toEqual` for values that are almost always equal: an `expect` of its own takes longer than a small edit. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

/** Applies edits and takes some of them back in one draft, and the same in a draft each. Both give the same text, values and records. */
export function checkDraft(open: Open, text: string, made: Edits): void {
  const editor = single(open);
  const draft = open(text);
  const undos: Undo[] = [];
  let current = text;
  let content = draft.find([]);
  for (const { choices: picks, value } of made) {
    const path = pathIn(content, picks);
    if (!path) continue;
    const result = editor.set(current, path, value);
    expectSame(draft.set(path, value), result.undo);
    current = result.text;
    content = editor.parse(current);
    expectSame(draft.find([]), content);
    undos.push(result.undo);
  }
  for (const undo of undos.reverse().slice(0, 2)) {
    current = editor.undo(current, undo);
    draft.undo(undo);
    expectSame(draft.find([]), editor.parse(current));
  }
  expectSame(draft.finish(), current);
}

/** The text before is the text after without its insertions, or with one replaced value. */
function expectKept(text: string, after: string, undo: Undo): void {
  const before = (undo.lines ?? []).reduce((rest, line) => rest.slice(0, line.at) + rest.slice(line.at + line.text.length), text);
  if (undo.before === undefined || undo.lines) {
    let at = 0;
    for (const character of after) if (at < before.length && before.startsWith(character, at)) at += character.length;
    if (at !== before.length) expect(at, `the bytes of the document stay in order:\n${after}`).toBe(before.length);
    return;
  }
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const changed = before.length - start - end;
  if (undo.before.length < changed) expect(undo.before.length, 'only the value is replaced').toBeGreaterThanOrEqual(changed);
}

/**
 * A path that exists up to a random depth, through objects and items of lists. Undefined if it would lead through another value, end at an
 * item, or change a field that identifies an item.
 */
export function pathIn(root: unknown, picks: Edits[number]['choices']): Path | undefined {
  const path: Step[] = [];
  let place: unknown = root;
  for (const [at, { pick, fresh, isFresh, isItem }] of picks.entries()) {
    const isLast = at === picks.length - 1;
    const last = path.at(-1);
    if (Array.isArray(place) || (place === undefined && typeof last === 'string' && isItem && !isLast)) {
      if (isLast) return undefined;
      const list: readonly unknown[] = Array.isArray(place) ? place : [];
      const names = list.flatMap((item) => (isObject(item) && typeof item['name'] === 'string' ? [item['name']] : []));
      const fields = { name: isFresh || names.length === 0 ? fresh : (names[pick % names.length] as string) };
      path.push(fields);
      place = list.find((item) => hasFields(item, fields)) ?? fields;
      continue;
    }
    if (place !== undefined && !isObject(place)) return undefined;
    const keys =
      place === undefined ? [] : Object.keys(place).filter((name) => isLast || typeof (place as Record<string, unknown>)[name] === 'object');
    const next: string = isFresh || keys.length === 0 ? fresh : (keys[pick % keys.length] as string);
    if (next === '__proto__' || (typeof last === 'object' && Object.hasOwn(last, next))) return undefined;
    path.push(next);
    place = isObject(place) && Object.hasOwn(place, next) ? place[next] : undefined;
  }
  return path;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A copy of a document with one leaf set. */
export function withLeaf(document: unknown, path: Path, value: Leaf): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'string') {
    const object = isObject(document) ? document : {};
    return { ...object, [step]: withLeaf(Object.hasOwn(object, step) ? object[step] : undefined, rest, value) };
  }
  const list = Array.isArray(document) ? document : [];
  const at = list.findIndex((item) => hasFields(item, step));
  if (at < 0) return [...list, withLeaf({ ...step }, rest, value)];
  return list.map((item, index) => (index === at ? withLeaf(item, rest, value) : item));
}
