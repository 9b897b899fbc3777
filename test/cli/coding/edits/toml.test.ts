import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parse as parseWithLibrary, stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { type Draft, EditProblem, hasFields, type Leaf, type Path, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { tomlFormat } from '../../../../src/cli/coding/edits/toml.ts';
import { checkLaws, documents, type Edits, edits, expectSame, pathIn } from './laws.ts';
import { type Editor, readingOnce, single } from './single.ts';
import { tomlDocument } from './toml-documents.ts';

const openToml = readingOnce(tomlFormat);
const { parse, find, set, undo } = single(openToml);

test('the laws of an editor hold for TOML', () => {
  const refusals: string[] = [];
  fc.assert(
    fc.property(tomlDocument, edits, (text, made) => {
      checkLaws(openToml, text, made, ({ message }, draft, path) => {
        if (!isRightRefusal(message, draft.find(path), listsOn(draft, path))) refusals.push(message);
      });
    }),
    { numRuns: documents },
  );
  expect(refusals).toEqual([]);
});

/** A list of scalars gets no item, and a part of the keys of an inline table is not replaced by a value. */
function isRightRefusal(message: string, value: unknown, lists: readonly (readonly unknown[])[]): boolean {
  if (message.startsWith('has a table at ')) return isContainer(value) && !Array.isArray(value);
  return message.startsWith('has no tables in a list at ') && lists.some((list) => list.some((item) => !isContainer(item) || Array.isArray(item)));
}

function listsOn(draft: Draft, path: Path): readonly (readonly unknown[])[] {
  return path.map((_step, at) => draft.find(path.slice(0, at))).filter((value) => Array.isArray(value));
}

const foreignChange = fc.record({
  kind: fc.constantFrom('add', 'add', 'change', 'print', 'comment', 'indent', 'lineEnds'),
  picks: fc.array(fc.record({ pick: fc.nat(), fresh: fc.constant('zz'), isFresh: fc.constant(false), isItem: fc.constant(false) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

test('after the changes of another program, undo removes our members and keeps theirs', () => {
  fc.assert(
    fc.property(tomlDocument, edits, fc.array(foreignChange, { minLength: 1, maxLength: 4 }), (text, made, changes) => {
      const ours = applyAll(text, made);
      let current = ours.text;
      for (const [at, { kind, picks }] of changes.entries()) {
        if (kind !== 'add' && kind !== 'change') {
          current = rewritten(current, kind);
          continue;
        }
        const changed = kind === 'add' ? additionTo(parse(current), picks, at) : pathIn(parse(text), picks);
        if (!changed || ours.undos.some(({ path }) => isWithin(changed, path) || isWithin(path, changed))) continue;
        current = attempt(current, changed, at)?.text ?? current;
      }
      const expected = parse(current);
      for (const [at, record] of [...ours.undos.entries()].toReversed()) {
        current = undo(current, record);
        takeBack(expected, record, ours.earlier[at]);
      }
      expectSame(parse(current), expected);
    }),
    { numRuns: documents / 4 },
  );
});

interface Applied {
  readonly text: string;
  readonly undos: readonly Undo[];
  /** Values that stood at the paths before. */
  readonly earlier: readonly unknown[];
}

/** Takes an edit back in a document that was read. */
function takeBack(document: unknown, { path, before, made = 0 }: Undo, earlier: unknown): void {
  const places = [document];
  for (const step of path.slice(0, -1)) places.push(childOf(places.at(-1), step));
  const container = places.at(-1);
  const key = path.at(-1) as string;
  if (!isContainer(container) || !Object.hasOwn(container, key)) return;
  if (before !== undefined) Object.assign(container, { [key]: earlier });
  else Reflect.deleteProperty(container, key);
  for (let depth = path.length - 1; depth > 0 && depth >= path.length - made; depth--) {
    const [parent, child, step] = [places[depth - 1], places[depth], path[depth - 1]];
    const isEmpty = isContainer(child) && Object.keys(child).every((name) => typeof step === 'object' && name in step);
    if (isEmpty && Array.isArray(parent)) parent.splice(parent.indexOf(child), 1);
    else if (isEmpty) Reflect.deleteProperty(parent as object, step as string);
  }
}

function childOf(place: unknown, step: Path[number] | undefined): unknown {
  if (typeof step === 'string') return keyValue(place, step);
  return Array.isArray(place) && step ? place.find((item) => hasFields(item, step)) : undefined;
}

/** Applies edits whose paths may lead through items of lists. Refused ones are left out. */
function applyAll(text: string, made: Edits): Applied {
  let current = text;
  let document = parse(text);
  const undos: Undo[] = [];
  const earlier: unknown[] = [];
  for (const { choices, value } of made) {
    const path = pathIn(document, choices);
    const result = path && attempt(current, path, value);
    if (!path || !result) continue;
    earlier.push(find(current, path));
    current = result.text;
    document = parse(current);
    undos.push(JSON.parse(JSON.stringify(result.undo)) as Undo);
  }
  return { text: current, undos, earlier };
}

function attempt(text: string, path: Path, value: Leaf): ReturnType<Editor['set']> | undefined {
  try {
    return set(text, path, value);
  } catch (error) {
    if (error instanceof EditProblem) return undefined;
    throw error;
  }
}

function keyValue(place: unknown, key: string): unknown {
  return isContainer(place) && Object.hasOwn(place, key) ? place[key as keyof typeof place] : undefined;
}

/** Path of a key of another program in a table of the document. */
function additionTo(root: unknown, picks: Edits[number]['choices'], at: number): Path | undefined {
  const path = pathIn(root, picks);
  return path && [...path.slice(0, -1), `zz${at}`];
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, at) => JSON.stringify(step) === JSON.stringify(path[at]));
}

/** The same document in another form. The text as it is if the change of form would change the document. */
function rewritten(text: string, kind: string): string {
  const lines: Readonly<Record<string, () => string>> = {
    print: () => stringify(parseWithLibrary(text, { integersAsBigInt: 'asNeeded' })),
    comment: () => `${text.replaceAll(/([^\s,[{(])$/gm, '$1 # theirs').replaceAll(/^(\s*\[)/gm, '\n# theirs\n$1')}\n# theirs\n`,
    // Not `^`, which also matches after the CR of a line end: TOML has no CR without LF.
    indent: () => text.replaceAll(/(?<=^|\n)/g, '  '),
    lineEnds: () => (text.includes('\r') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n')),
  };
  try {
    const result = (lines[kind] ?? (() => text))();
    return isDeepStrictEqual(parse(result), parse(text)) ? result : text;
  } catch {
    return text;
  }
}
