// The laws of edits in random documents of each format. They judge the libraries, too: parsers that no editor uses read the results.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml, stringify as printToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify as printYaml } from 'yaml';
import { Draft } from '../../../../src/cli/coding/edits/draft.ts';
import { type DocumentFormat, EditProblem, hasFields, type Leaf, type Path, type Step, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { json, jsonc } from '../../../../src/cli/coding/edits/json.ts';
import { reversalOf, reversed } from '../../../../src/cli/coding/edits/reversal.ts';
import { toml } from '../../../../src/cli/coding/edits/toml.ts';
import { yaml } from '../../../../src/cli/coding/edits/yaml.ts';
import { runs } from '../../../support/deep.ts';
import { drawn, write } from './json-documents.ts';
import { tomlDocument } from './toml-documents.ts';
import { yamlText } from './yaml-documents.ts';

const law = runs(300);

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'env', 'model', 'models', 'name', 'zai-coding-plan', 'glm-5.3[1m]', 'with space', 'ключ', '"quoted"', 'yes'),
  fc.string({ minLength: 1, maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'true', 'no', '1', '12:30', 'null', '~', '# no', 'a: b', "it's", 'C:\\x', '$(x)', '{', '- x', 'https://a.example/v1'),
  fc.boolean(),
  fc.integer(),
);
const leaf: fc.Arbitrary<Leaf> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));

/** Choices by which a path is picked in a document that is known only later. */
const choices = fc.array(fc.record({ pick: fc.nat(), fresh: key, isFresh: fc.boolean(), isItem: fc.boolean() }), { minLength: 1, maxLength: 4 });
const edits = fc.array(fc.record({ choices, value: leaf }), { minLength: 1, maxLength: 4 });
type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

interface Subject {
  readonly name: string;
  readonly format: DocumentFormat;
  readonly documents: fc.Arbitrary<string>;
  /** Another parser, and a writer that keeps no byte. */
  parse(text: string): unknown;
  print(value: unknown): string;
  /** Edits of a hundred that may be refused: the library of YAML changes some folded texts when it writes them. */
  readonly refusals: number;
}

const small = (_key: unknown, value: unknown): unknown => (typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value);
const printJson = (value: unknown): string => JSON.stringify(value, null, 3);
const subjects: readonly Subject[] = [
  { name: 'JSON', format: json, documents: drawn.map((one) => write(one, false)), parse: JSON.parse, print: printJson, refusals: 0 },
  {
    name: 'JSONC',
    format: jsonc,
    documents: drawn.map((one) => write(one, true)),
    parse: (text) => parseJsonc(text, [], { allowTrailingComma: true }),
    print: printJson,
    refusals: 0,
  },
  {
    name: 'TOML',
    format: toml,
    documents: tomlDocument,
    parse: (text) => parseToml(text, { integersAsBigInt: 'asNeeded' }),
    print: (value) => printToml(value as object),
    refusals: 0,
  },
  // Many programs read YAML of version 1.1, in which `yes` is a boolean.
  {
    name: 'YAML',
    format: yaml,
    documents: yamlText.filter((text) => isValid(yaml, text)),
    parse: (text) => parseYaml(text, small, { version: '1.1', intAsBigInt: true, logLevel: 'silent' }) ?? {},
    print: (value) => printYaml(value, { version: '1.1' }),
    refusals: 1,
  },
];

describe.each(subjects)('$name', ({ format, documents, parse, print, refusals }) => {
  test('an edit sets one leaf, and other values, comments and line ends stay; taken back, the bytes are the same as before', () => {
    let [made, refused] = [0, 0];
    fc.assert(
      fc.property(documents, edits, (text, wanted) => {
        const done = editsOf(format, text, wanted, (before, after, path, value) => {
          made++;
          expectSame(parse(after), withLeaf(before.trim() === '' ? {} : parse(before), path, value));
          if (isLf(before) !== undefined) expect(isLf(after) ?? isLf(before), after).toBe(isLf(before));
        });
        refused += done.refused;
        if (done.undos.every(({ before }) => before === undefined))
          for (const [mark, count] of marksIn(text)) expect(marksIn(done.text).get(mark), done.text).toBeGreaterThanOrEqual(count);
        expect(reversed(done.text, [reversalOf(`${text} `, ''), reversalOf(done.text, text)])).toBe(text);
        expect(reversed(`${done.text} `, [reversalOf(done.text, text)])).toBeUndefined();
      }),
      law,
    );
    expect(refused * 100).toBeLessThanOrEqual(made * refusals);
  });

  test('after another program has written the document again, its values stay and ours go', () => {
    let foreign = 0;
    fc.assert(
      fc.property(documents, edits, choices, (text, wanted, where) => {
        const original = format.read(text).value ?? {};
        const done = editsOf(format, text, wanted);
        const path = pathIn(original, where)?.slice(0, -1) ?? [];
        const isThere = path.every((step) => typeof step === 'string') && isObject(valueAt(done.value, path));
        const theirs = isThere ? [...path, 'theirs'] : ['theirs'];
        const changed = isObject(done.value) ? tried(() => print(withLeaf(parse(done.text), theirs, 1))) : undefined;
        // A writer may not write all that it reads.
        const expected = isObject(done.value) ? withLeaf(original, theirs, 1) : original;
        const isFaithful =
          changed !== undefined &&
          isDeepStrictEqual(
            tried(() => format.read(changed).value),
            withLeaf(done.value, theirs, 1),
          );
        if (isFaithful) foreign++;
        const draft = new Draft(format, isFaithful ? changed : done.text);
        // The record is JSON.
        for (const undo of done.undos.reverse()) draft.undo(JSON.parse(JSON.stringify(undo)) as Undo);
        const back = format.read(draft.finish()).value ?? {};
        expectSame(back, isFaithful ? expected : original);
      }),
      law,
    );
    expect(foreign).toBeGreaterThan(law.numRuns / 4);
  });
});

interface Edited {
  readonly text: string;
  readonly value: unknown;
  readonly undos: Undo[];
  readonly refused: number;
}

/** Applies edits, each in a draft of its own. */
function editsOf(
  format: DocumentFormat,
  text: string,
  wanted: Edits,
  check: (before: string, after: string, path: Path, value: Leaf) => void = () => undefined,
): Edited {
  let current = text;
  let refused = 0;
  const undos: Undo[] = [];
  let content = format.read(text).value ?? {};
  for (const { choices: picks, value } of wanted) {
    const path = pathIn(content, picks);
    if (!path) continue;
    const draft = new Draft(format, current);
    try {
      const undo = draft.set(path, value);
      const after = draft.finish();
      check(current, after, path, value);
      undos.push(undo);
      current = after;
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      refused++;
    }
    content = format.read(current).value ?? {};
  }
  return { text: current, value: content, undos, refused };
}

/** True if all line ends are line feeds, false if all are CRLF. */
function isLf(text: string): boolean | undefined {
  if (!/\r(?!\n)/.test(text) && /^(?:[^\n]|(?<=\r)\n)*$/.test(text)) return text.includes('\n') ? false : undefined;
  return text.includes('\r') ? undefined : true;
}

/** The words of comments in the random documents. */
function marksIn(text: string): Map<string, number> {
  const marks = new Map<string, number>();
  for (const [, mark = ''] of text.matchAll(/[#/*] *(c|note|comment|tab|far|two|one|head|end)\b/g)) marks.set(mark, (marks.get(mark) ?? 0) + 1);
  return marks;
}

/** `toEqual` for values that are almost always equal: an `expect` of its own takes longer than a small edit. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

function isValid(format: DocumentFormat, text: string): boolean {
  return tried(() => format.read(text)) !== undefined;
}

function tried<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/**
 * A path that exists up to a random depth, through objects and items of lists. Undefined if it would lead through another value, end at an
 * item, or change a field that identifies an item.
 */
function pathIn(root: unknown, picks: Edits[number]['choices']): Path | undefined {
  const path: Step[] = [];
  let place: unknown = root;
  for (const [at, { pick, fresh, isFresh, isItem }] of picks.entries()) {
    const isLast = at === picks.length - 1;
    const last = path.at(-1);
    if (Array.isArray(place) || (place === undefined && typeof last === 'string' && isItem && !isLast)) {
      if (isLast) return undefined;
      const list: readonly unknown[] = Array.isArray(place) ? place : [];
      // Two names are not texts in YAML 1.1.
      const isName = (name: unknown): boolean => typeof name === 'string' && name !== 'yes' && name !== '2001-01-01';
      const names = list.flatMap((item) => (isObject(item) && isName(item['name']) ? [item['name']] : []));
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
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isObject(value) ? value[step as string] : undefined), root);
}

/** A copy of a document with one leaf set. */
function withLeaf(document: unknown, path: Path, value: Leaf): unknown {
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
