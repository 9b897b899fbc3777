// Edits of documents, and refused edits.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../../../src/cli/coding/edits/draft.ts';
import { type DocumentFormat, EditProblem, type Leaf, type Path, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { json, jsonc } from '../../../../src/cli/coding/edits/json.ts';
import { toml } from '../../../../src/cli/coding/edits/toml.ts';
import { yaml } from '../../../../src/cli/coding/edits/yaml.ts';
import { drawn, write } from './json-documents.ts';

function set(format: DocumentFormat, text: string, path: Path, value: Leaf): { readonly text: string; readonly undo: Undo } {
  const draft = new Draft(format, text);
  const undo = draft.set(path, value);
  return { text: draft.finish(), undo };
}

function undone(format: DocumentFormat, text: string, undo: Undo): string {
  const draft = new Draft(format, text);
  draft.undo(undo);
  return draft.finish();
}

const model = ['models', { name: 'GLM' }, 'apiKey'];

describe('an edit follows the style of its neighbors', () => {
  test.each<[string, DocumentFormat, string, Path, Leaf, string]>([
    ['an empty file', jsonc, '', ['env', 'URL'], 'x', '{\n  "env": {\n    "URL": "x"\n  }\n}\n'],
    ['a file with a line end', jsonc, '\r\n', ['a'], true, '{\r\n  "a": true\r\n}\r\n'],
    ['a file with a comment only', jsonc, '// Settings\n', ['a'], 1, '// Settings\n{\n  "a": 1\n}\n'],
    ['tabs and CRLF', jsonc, '{\r\n\t"a": 1\r\n}\r\n', ['b', 'c'], 2, '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'],
    ['a null in one line', jsonc, '{"m":null}', ['m', { name: 'x' }, 'a'], 1, '{"m":[{"name":"x","a":1}]}'],
    ['a minified document', jsonc, '{"a":1,"b":{}}', ['b', 'c', 'd'], [1, 2], '{"a":1,"b":{"c":{"d":[1,2]}}}'],
    ['one line with spaces', jsonc, '{ "a": 1 }', ['b'], 2, '{ "a": 1, "b": 2 }'],
    ['an empty object of one line', jsonc, '{\n    "env": {}\n}', ['env', 'A'], 'x', '{\n    "env": {\n        "A": "x"\n    }\n}'],
    ['a comment behind the last member', jsonc, '{\n  "a": 1 // one\n}', ['b'], 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['a comment on the last line', jsonc, '{\n  "a": 1,\n  // "b": 2\n}', ['c'], 3, '{\n  "a": 1,\n  "c": 3,\n  // "b": 2\n}'],
    ['a trailing comma', jsonc, '{\n  "a": 1, // one\n}', ['b'], 2, '{\n  "a": 1, // one\n  "b": 2,\n}'],
    ['a comment in an empty object', jsonc, '{\n    // Add settings\n}', ['a'], 1, '{\n    // Add settings\n    "a": 1\n}'],
    ['the key __proto__', jsonc, '{"a":1}', ['__proto__', 'isAdmin'], true, '{"a":1,"__proto__":{"isAdmin":true}}'],
    ['a number beyond the safe integers', jsonc, '{"a":1}', ['b'], 2 ** 60, '{"a":1,"b":1.152921504606847e+18}'],
    ['minus zero', jsonc, '{"a":1}', ['b'], -0, '{"a":1,"b":-0}'],
    ['a text of comments', toml, '# mine\n', ['a'], 1, '# mine\n\na = 1\n'],
    ['a last line without an end', toml, 'a = 1', ['b'], 2, 'a = 1\nb = 2'],
    ['a new table, and CRLF', toml, 'a = 1\r\n', ['t', 'b'], 2, 'a = 1\r\n\r\n[t]\r\nb = 2\r\n'],
    ['a first root key above the comment of a header', toml, '# mine\n\n# t\n[t]\n', ['a'], 1, '# mine\n\na = 1\n\n# t\n[t]\n'],
    ['a key above the comment of the next header', toml, '[t]\na = 1\n\n# u\n[u]\n', ['t', 'b'], 2, '[t]\na = 1\nb = 2\n\n# u\n[u]\n'],
    ['indentation', toml, '[t]\n\ta = 1\n', ['t', 'b'], 2, '[t]\n\ta = 1\n\tb = 2\n'],
    ['a table without a header of its own', toml, '[t.u]\na = 1\n', ['t', 'b'], 2, '[t.u]\na = 1\n\n[t]\nb = 2\n'],
    ['keys that need quotes', toml, '', ['m', 'glm-5.3[1m]', 'é "x"'], 's', '[m."glm-5.3[1m]"]\n"é \\"x\\"" = "s"\n'],
    ['strings with escapes', toml, '', ['a'], 'C:\\x\n\x1b\x7f', 'a = "C:\\\\x\\n\\u001b\\u007f"\n'],
    ['an inline table on lines', toml, 'h = {\n  a = 1, # one\n}\n', ['h', 'b'], 2, 'h = {\n  a = 1, # one\n  b = 2,\n}\n'],
    ['dotted keys', toml, 't.a = 1\nz = 1\n', ['t', 'b'], 2, 't.a = 1\nt.b = 2\nz = 1\n'],
    ['a new list', toml, 'a = 1\n', ['l', { name: 'x' }, 'b'], 2, 'a = 1\nl = [{ name = "x", b = 2 }]\n'],
    [
      'a new item with a table, after the other items',
      toml,
      '[[l]]\nname = "y"\n\n[t]\n',
      ['l', { name: 'x' }, 'u', 'b'],
      2,
      '[[l]]\nname = "y"\n\n[[l]]\nname = "x"\n\n[l.u]\nb = 2\n\n[t]\n',
    ],
    [
      'a table of the first of two items',
      toml,
      '[[l]]\nname = "x"\n\n[[l]]\nname = "y"\n',
      ['l', { name: 'x' }, 't', 'b'],
      2,
      '[[l]]\nname = "x"\n\n[l.t]\nb = 2\n\n[[l]]\nname = "y"\n',
    ],
    ['the only table of a table', toml, '[p.a]\nb = 1\n', ['p', 'a'], 2, '[p]\na = 2\n'],
    ['a list of tables', toml, 'z = 1\n[[a]]\nb = 1\n[[a]]\n', ['a'], 2, 'z = 1\na = 2\n'],
    ['a file of comments', yaml, '# Aider\n# model: x\n', ['model'], 'openai/glm-5.3', '# Aider\n# model: x\nmodel: openai/glm-5.3\n'],
    ['an end without a beginning', yaml, '...\n', ['a'], 'x', 'a: x\n...\n'],
    ['a start marker', yaml, '---\n# c\n', ['model'], 'glm', '---\n# c\nmodel: glm\n'],
    ['a scalar with a comment', yaml, 'GOOSE_MODEL: gpt # mine\nz: 1\n', ['GOOSE_MODEL'], 'glm', 'GOOSE_MODEL: glm # mine\nz: 1\n'],
    ['an indentation, and CRLF', yaml, 'a:\r\n    b: 1\r\nz: 1\r\n', ['a', 'c'], 2, 'a:\r\n    b: 1\r\n    c: 2\r\nz: 1\r\n'],
    ['dashes below the key', yaml, 'models:\n- name: A\n', model, 'k', 'models:\n- name: A\n- name: GLM\n  apiKey: k\n'],
    ['an item', yaml, 'models:\n  - name: GLM\n    b: 1\n', model, 'k', 'models:\n  - name: GLM\n    b: 1\n    apiKey: k\n'],
    ['a null', yaml, 'models: ~\n', model, 'k', 'models:\n  - name: GLM\n    apiKey: k\n'],
    ['a flow map', yaml, 'a: {b: 1}\n', ['a', 'c'], 'on', 'a: {b: 1, c: "on"}\n'],
    ['a flow map with spaces', yaml, 'a: { b: 1 }\n', ['a', 'c'], '5', 'a: { b: 1, c: "5" }\n'],
    ['quotes', yaml, "'a': 'b'\nc: \"d\"\n", ['a'], "it's", "'a': 'it''s'\nc: \"d\"\n"],
    ['a block', yaml, 'a: |\n  text\n\nb: ~\n', ['a'], 'x', 'a: x\n\nb: ~\n'],
    ['values of YAML 1.1', yaml, 'y: no\nd: 2001-01-01\nn: 1_000\ne: 1e3\n', ['z'], 1, 'y: no\nd: 2001-01-01\nn: 1_000\ne: 1e3\nz: 1\n'],
  ])('%s', (_, format, before, path, value, after) => {
    expect(set(format, before, path, value).text).toBe(after);
  });

  test('strings that a reader of YAML 1.1 takes for something else get quotes', () => {
    const words = 'yes No on y null ~ 1 0x1 1_000 12:30 2001-01-01 .inf 1e3 *a &a << = {'.split(' ');
    for (const word of ['', '- x', '# x', 'a: b', ...words]) expect(set(yaml, '', ['k'], word).text).toBe(`k: ${JSON.stringify(word)}\n`);
  });
});

describe('an undo after other changes', () => {
  test.each<[string, DocumentFormat, string, Path, string, string]>([
    ['a comment behind', jsonc, '{\n  "a": 1\n}', ['b'], '{\n  "a": 1,\n  "b": "x" // note\n}', '{\n  "a": 1\n  // note\n}'],
    ['a member in our container', jsonc, '{}', ['env', 'A'], '{\n  "env": {\n    "A": "x",\n    "B": 1\n  }\n}', '{\n  "env": {\n    "B": 1\n  }\n}'],
    ['a made item with more', jsonc, '[]', [{ id: 'i' }, 'a'], '[{"id":"i","a":"x","b":1}]', '[{"id":"i","b":1}]'],
    ['a made item in other order', jsonc, '{"z":1}', ['l', { id: 'i' }, 'a'], '{"z":1,"l":[{"a":"x","id":"i"}]}', '{"z":1}'],
    ['a null', jsonc, '{"a":null}', ['a', 'b'], '{ "a": { "b": "x" } }', '{ "a": null }'],
    ['a comment above a file that was empty', jsonc, '', ['a'], '// note\n{ "a": "x" }\n', '// note'],
    ['a removed member', jsonc, '{}', ['a', 'b'], '{ "a": {} }', '{ "a": {} }'],
    ['a scalar on the way', jsonc, '{}', ['a', 'b'], '{ "a": 1 }', '{ "a": 1 }'],
    ['our table has a key of another program', toml, '', ['t', 'a'], '[t]\na = "x"\ntheirs = 2\n', '[t]\ntheirs = 2\n'],
    ['our table has a table of another program', toml, '', ['t', 'a'], '[t]\na = "x"\n\n[t.u]\nb = 1\n', '[t]\n\n[t.u]\nb = 1\n'],
    ['our line is between blank lines', toml, '[t]\n', ['a'], 'z = 1\n\na = "x"\n\n[t]\n', 'z = 1\n\n[t]\n'],
    ['our tables are inline now', toml, '', ['t', 'u', 'a'], 't = { u = { a = "x" }, b = 2 }\n', 't = { b = 2 }\n'],
    ['the earlier table has no header now', toml, '[t]\n', ['t', 'u', 'a'], '[t.u]\na = "x"\n', '[t]\n'],
    ['the list of our item has a header now', toml, '[t]\na = []\n', ['t', 'a', { n: 'x' }, 'b'], '[[t.a]]\nn = "x"\nb = "x"\n', '[t]\na = []\n'],
    ['a container that others emptied', yaml, 'a:\n  b: 1\n', ['a', 'c'], 'a:\n  c: x\n', 'a: {}\n'],
    ['a member in front of a dash', yaml, 'm:\n  - n: GLM\n', ['m', { n: 'GLM' }, 'a'], 'm:\n  - a: x\n    n: GLM\n', 'm:\n  - n: GLM\n'],
    ['a merge key of another program', yaml, 'a: 1\n', ['b'], 'm: &m {c: 1}\n<<: *m\na: 1\nb: x\n', 'm: &m {c: 1}\n<<: *m\na: 1\n'],
  ])('%s', (_, format, before, path, now, after) => {
    expect(undone(format, now, set(format, before, path, 'x').undo)).toBe(after);
  });

  test.each<[string, DocumentFormat, string, Undo, string]>([
    ['JSON', json, '{"a":"x"}', { path: ['a'], before: '{ "b": 1 }' }, '{"a":{"b":1}}'],
    ['JSON with text around it', json, '{"a":1,"b":"x"}', { path: ['b'], lead: ',' } as Undo, '{"a":1}'],
    ['TOML with its lines', toml, 'a = "x"\n', { path: ['a'], before: '{ b = 1 }', lines: [] } as Undo, 'a = { b = 1 }\n'],
    ['YAML with a block', yaml, 'a: x\n', { path: ['a'], before: '\n    b: |\n      c' }, 'a:\n  b: "c\\n"\n'],
    ['YAML without a colon', yaml, 'a: x\n', { path: ['a'], before: '', lead: ':' } as Undo, 'a: null\n'],
    ['YAML with an empty value', yaml, 'a:\n  b: x\n', { path: ['a', 'b'], made: 1, blank: ' ~' }, 'a: null\n'],
  ])('a record of the version before is taken back: %s', (_, format, text, undo, after) => {
    expect(undone(format, text, undo)).toBe(after);
  });
});

describe('a text is refused with its place and without its content', () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  test.each<[DocumentFormat, string, string]>([
    [json, '{\n  "a": 1,\n  // c\n}', 'has a comment at line 3, column 3, which plain JSON does not allow'],
    [json, '{\r\n "a": [1,]}', 'has a trailing comma at line 2, column 9, which plain JSON does not allow'],
    [json, '{"a": secret}', 'has an unknown word or sign at line 1, column 7'],
    [json, '{"a" "secret"}', 'has no colon at line 1, column 6'],
    [json, '{"a": 1 "b": 2}', 'has no comma at line 1, column 9'],
    [json, '{"a": 1', 'has no closing brace at line 1, column 8'],
    [json, '{} {}', 'has more text after its value at line 1, column 4'],
    [json, '{"a": "secret', 'has a string without an end at line 1, column 7'],
    [json, deep, 'is nested deeper than 500 levels at line 1, column 501'],
    [jsonc, '{} /* secret', 'has a comment without an end at line 1, column 4'],
    [toml, 'a = 1\nb = secret\n', 'is not valid TOML at line 2, column 5: unexpected character'],
    [toml, 'a = 1\na = 2\n', 'is not valid TOML at line 2, column 1: defining a key multiple times is invalid'],
    [yaml, 'a: 1\n---\nb: 1\n', 'has a second YAML document (only files with one can be edited) at line 2, column 1'],
    [yaml, 'a:\n\tb: secret\n', 'is not valid YAML: it is indented with a tab at line 2, column 1'],
    [yaml, 'a: {secret\n', 'is not valid YAML at line 2, column 1'],
    [yaml, 'a: *secret\n', 'is not valid YAML: an alias has no anchor, or too many aliases are used'],
  ])('%#', (format, text, message) => {
    expect(() => format.read(text)).toThrow(new EditProblem(message));
  });

  test.each<[string, DocumentFormat, string, Path, string]>([
    ['a scalar on the path', json, '{\n  "env": 1\n}', ['env', 'A'], 'has no object at `env`'],
    ['an object in place of a list', json, '{"m": {}}', ['m', { name: 'x' }, 'a'], 'has no array at `m`'],
    ['a list as the document', json, '[]', ['a'], 'has no object at its root'],
    ['a field of an item', json, '[{"n":"x"}]', [{ n: 'x' }, 'n'], 'cannot be edited at `[n=x].n` without changing other values'],
    ['a field that identifies a new item', json, '[]', [{ name: 'x' }, 'name'], 'cannot be edited at `[name=x].name` without changing other values'],
    ['a path that is too deep', json, '{}', Array(600).fill('a'), `cannot be edited at \`${'a.'.repeat(599)}a\` without changing other values`],
    ['a date on the way', toml, 'a = 1979-05-27\n', ['a', 'b'], 'has no table at `a`'],
    ['a table in place of a list', toml, '[a]\n', ['a', { n: 'x' }, 'b'], 'has no list of tables at `a`'],
    ['an anchor', yaml, 'a: &x secret\nb: *x\n', ['a'], 'has an anchor at line 1, column 7, which an edit cannot follow'],
    ['an anchor in a replaced value', yaml, 'a: [&x secret]\nb: *x\n', ['a'], 'has an anchor at line 1, column 8, which an edit cannot follow'],
    ['an alias', yaml, 'a: &x {c: 1}\nb: *x\n', ['b', 'c'], 'has an alias at line 2, column 4, which an edit cannot follow'],
    ['a tag', yaml, 'a: !!str secret\n', ['a'], 'has a tag at line 1, column 10, which an edit cannot follow'],
    ['a merge key', yaml, 'x: &x {}\na:\n  <<: *x\n', ['a', 'b'], 'has a merge key at line 3, column 3, which an edit cannot follow'],
    ['a key that stands twice', yaml, 'a: 1\nb: 1\na: secret\n', ['a'], 'has a key twice at line 3, column 1, which an edit cannot follow'],
    ['a complex key', yaml, '[a]: secret\n', ['b'], 'has a key that is not a scalar at line 1, column 1, which an edit cannot follow'],
    ['a list at the top', yaml, '- secret\n', ['a'], 'has no map at its root'],
  ])('%s', (_, format, text, path, message) => {
    expect(() => set(format, text, path, 'y')).toThrow(new EditProblem(message));
  });

  test('a value that the format has not', () => {
    const problem = new EditProblem('cannot be edited at `a` without changing other values');
    expect(() => set(json, '{}', ['a'], Number.NaN)).toThrow(problem);
    expect(() => set(toml, '', ['a'], '\ud800')).toThrow(problem);
  });
});

test('JSON is what JSON.parse accepts, with the same value but for large integers', () => {
  const damaged = fc.tuple(drawn, fc.boolean(), fc.nat(), fc.nat(3), fc.constantFrom('', ',', '"', '{', '1', ' ', '/', '\\', '\u00a0', '-', '.'));
  fc.assert(
    fc.property(damaged, ([draws, isJsonc, at, length, insert]) => {
      const whole = write(draws, isJsonc);
      const place = at % (whole.length + 1);
      const text = whole.slice(0, place) + insert + whole.slice(place + length);
      fc.pre(text.trim() !== '');
      expect(outcome(() => rounded(json.read(text).value))).toEqual(outcome(() => JSON.parse(text)));
    }),
    { numRuns: 500 },
  );
});

function outcome(parse: () => unknown): { readonly value?: unknown } {
  try {
    return { value: parse() };
  } catch {
    return {};
  }
}

function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]));
}

test.each([
  ['JSON', json, (lines: string) => `{${lines}"a":1}`],
  ['TOML', toml, (lines: string) => `${lines}a = 1\n`],
  ['YAML', yaml, (lines: string) => `${lines}a: 1\n`],
] as const)('100,000 empty lines in %s take no time', (_, format, documentOf) => {
  const { text, undo } = set(format, documentOf('\n'.repeat(100_000)), ['b'], 1);
  expect(format.read(text).value).toEqual({ a: 1, b: 1 });
  expect(format.read(undone(format, text, undo)).value).toEqual({ a: 1 });
});
