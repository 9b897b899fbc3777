import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EditProblem, type Leaf, type Path } from '../../../../src/cli/coding/edits/edit.ts';
import { openJson, openJsonc } from '../../../../src/cli/coding/edits/json.ts';
import { drawn, write } from './json-documents.ts';
import { single } from './single.ts';

const jsonEditor = single(openJson);
const jsoncEditor = single(openJsonc);

/** Text before, path, value, text after. The undo gives the text before. */
const insertions: readonly (readonly [name: string, before: string, path: Path, value: Leaf, after: string])[] = [
  ['an empty file', '', ['env', 'URL'], 'x', '{\n  "env": {\n    "URL": "x"\n  }\n}\n'],
  ['a file with a line end', '\r\n', ['a'], true, '{\r\n  "a": true\r\n}\r\n'],
  ['a file with a comment only', '// Settings\n', ['a'], 1, '// Settings\n{\n  "a": 1\n}\n'],
  ['an empty object', '{}\n', ['a'], ['x', 1], '{\n  "a": ["x", 1]\n}\n'],
  ['a sibling', '{\n  "a": 1\n}\n', ['b'], 2, '{\n  "a": 1,\n  "b": 2\n}\n'],
  ['tabs and CRLF', '{\r\n\t"a": 1\r\n}\r\n', ['b', 'c'], 2, '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'],
  ['a null in the place of an object', '{\n  "env": null,\n  "b": 1\n}\n', ['env', 'A'], 'x', '{\n  "env": {\n    "A": "x"\n  },\n  "b": 1\n}\n'],
  ['a null in one line', '{"m":null}', ['m', { name: 'x' }, 'a'], 1, '{"m":[{"name":"x","a":1}]}'],
  ['a null far above', '{ "a": null }', ['a', 'b', 'c'], 1, '{ "a": { "b": { "c": 1 } } }'],
  ['a minified document', '{"a":1,"b":{}}', ['b', 'c', 'd'], [1, 2], '{"a":1,"b":{"c":{"d":[1,2]}}}'],
  ['one line with spaces', '{ "a": 1 }', ['b', 'c'], 2, '{ "a": 1, "b": { "c": 2 } }'],
  ['an empty object of one line', '{\n    "env": {}\n}', ['env', 'A'], 'x', '{\n    "env": {\n        "A": "x"\n    }\n}'],
  ['spaces around the colon', '{\n  "a" : 1\n}', ['b'], 2, '{\n  "a" : 1,\n  "b" : 2\n}'],
  ['a brace on the line of the last member', '{\n  "a": 1 }', ['b'], 2, '{\n  "a": 1,\n  "b": 2 }'],
  ['blanks at the end of a line', '{\n  "a": 1  \n}', ['b'], 2, '{\n  "a": 1,  \n  "b": 2\n}'],
  ['a comment behind the last member', '{\n  "a": 1 // one\n}', ['b'], 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
  ['a comment on the last line', '{\n  "a": 1,\n  // "b": 2\n}', ['c'], 3, '{\n  "a": 1,\n  "c": 3,\n  // "b": 2\n}'],
  ['a line comment in one line', '{ "a": 1 // one\n}', ['b'], 2, '{ "a": 1, // one\n  "b": 2\n}'],
  ['a block comment in one line', '{ "a": 1 /* one */ }', ['b'], 2, '{ "a": 1 /* one */, "b": 2 }'],
  ['a trailing comma', '{\n  "a": 1, // one\n}', ['b'], 2, '{\n  "a": 1, // one\n  "b": 2,\n}'],
  ['a comment in an empty object', '{\n    // Add settings\n}', ['a', 'b'], 1, '{\n    // Add settings\n    "a": {\n      "b": 1\n    }\n}'],
  [
    'a new list',
    '{\n  "a": 1\n}',
    ['models', { name: 'x' }, 'url'],
    'u',
    '{\n  "a": 1,\n  "models": [\n    {\n      "name": "x",\n      "url": "u"\n    }\n  ]\n}',
  ],
  [
    'a new item',
    '{\n  "models": [{\n    "name": "y"\n  }]\n}',
    ['models', { name: 'x' }, 'url'],
    'u',
    '{\n  "models": [{\n    "name": "y"\n  }, {\n    "name": "x",\n    "url": "u"\n  }]\n}',
  ],
  ['an item with the fields', '[{"name":"x"},{"name":"y"}]', [{ name: 'y' }, 'url'], 'u', '[{"name":"x"},{"name":"y","url":"u"}]'],
  ['the key __proto__', '{"a":1}', ['__proto__', 'isAdmin'], true, '{"a":1,"__proto__":{"isAdmin":true}}'],
  ['a number beyond the safe integers', '{"a":1}', ['b'], 2 ** 60, '{"a":1,"b":1.152921504606847e+18}'],
  ['minus zero', '{}', ['a'], -0, '{\n  "a": -0\n}'],
];

describe('a new member looks like its neighbors', () => {
  test.each(insertions)('%s', (_, before, path, value, after) => {
    const result = jsoncEditor.set(before, path, value);
    expect(result.text).toBe(after);
    expect(jsoncEditor.undo(after, result.undo)).toBe(before);
  });
});

describe('a value is replaced by its source', () => {
  const list = '{ "a": [1,\n 2] /* two */, "a" : 12345678901234567890 }';
  test.each<[string, string, Path, string, string]>([
    ['a number', list, ['a'], '{ "a": [1,\n 2] /* two */, "a" : "x" }', '12345678901234567890'],
    ['an object', '{"a": {\n// c\n}}', ['a'], '{"a": "x"}', '{\n// c\n}'],
    ['a string', '{"a": "\\u00e9"}', ['a'], '{"a": "x"}', '"\\u00e9"'],
  ])('%s', (_, before, path, after, source) => {
    const result = jsoncEditor.set(before, path, 'x');
    expect(result).toEqual({ text: after, undo: { path, before: source } });
    expect(jsoncEditor.undo(after, result.undo)).toBe(before);
  });
});

describe('an undo after other changes', () => {
  const set = (text: string, ...paths: Path[]) =>
    paths.map((path) => {
      const result = jsoncEditor.set(text, path, 'x');
      text = result.text;
      return result.undo;
    });

  test.each<[string, string, Path, string, string]>([
    ['a member behind', '{\n  "a": 1\n}', ['b'], '{\n  "a": 1,\n  "b": "x",\n  "c": 1\n}', '{\n  "a": 1,\n  "c": 1\n}'],
    ['a reformatted document', '{"a":1}', ['b'], '{\n  "a": 1,\n  "b": "x"\n}', '{\n  "a": 1\n}'],
    ['a minified document', '{\n  "a": 1\n}', ['b', 'c'], '{"b":{"c":"x"},"a":1}', '{"a":1}'],
    ['other line ends', '{\n  "a": 1\n}', ['b'], '{\r\n  "a": 1,\r\n  "b": "x"\r\n}', '{\r\n  "a": 1\r\n}'],
    ['a comment behind', '{\n  "a": 1\n}', ['b'], '{\n  "a": 1,\n  "b": "x" // note\n}', '{\n  "a": 1\n  // note\n}'],
    ['a comma first', '{"a":1}', ['b'], '{ "a": 1\n, "b": "x"\n}', '{ "a": 1\n}'],
    ['a member in a made container', '{}', ['env', 'A'], '{\n  "env": {\n    "A": "x",\n    "B": 1\n  }\n}', '{\n  "env": {\n    "B": 1\n  }\n}'],
    ['a comment in a made container', '{}', ['env', 'A'], '{"env": {"A": "x" /* note */}}', '{"env": {/* note */}}'],
    ['a made item with more', '[]', [{ id: 'i' }, 'a'], '[{"id":"i","a":"x","b":1}]', '[{"id":"i","b":1}]'],
    ['a made item reformatted', '{}', ['l', { id: 'i' }, 'a'], '{ "l": [ { "a": "x", "id": "i" } ] }', '{}'],
    ['a reformatted file that was empty', '', ['a', 'b'], '{ "a": { "b": "y" } }', ''],
    ['a comment above a file that was empty', '', ['a'], '// note\n{ "a": "x" }\n', '// note\n'],
    ['a removed member', '{}', ['a', 'b'], '{ "a": {} }', '{ "a": {} }'],
    ['a scalar on the way', '{}', ['a', 'b'], '{ "a": 1 }', '{ "a": 1 }'],
    ['a removed document', '{}', ['a', 'b'], ' \n', ' \n'],
    ['the last of equal keys', '{"a":1}', ['b'], '{"b":1,"a":1,"b":"x"}', '{"b":1,"a":1}'],
  ])('%s', (_, before, path, now, after) => {
    const [undo] = set(before, path);
    expect(undo && jsoncEditor.undo(now, undo)).toBe(after);
  });

  test('two members are taken back in the order in which they came', () => {
    const before = '{\n  "a": {}\n}\n';
    const [first, second] = set(before, ['a', 'b'], ['a', 'c']);
    const both = '{\n  "a": {\n    "b": "x",\n    "c": "x"\n  }\n}\n';
    const one = first && jsoncEditor.undo(both, first);
    expect(one).toBe('{\n  "a": {\n    "c": "x"\n  }\n}\n');
    expect(one && second && jsoncEditor.undo(one, second)).toBe(before);
  });
});

describe('a text is refused with its place and without its content', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  test.each<[string, string]>([
    ['{\n  "a": 1,\n  // c\n}', 'has a comment at line 3, column 3, which plain JSON does not allow'],
    ['{\r\n "a": [1,]}', 'has a trailing comma at line 2, column 9, which plain JSON does not allow'],
    ['// c', 'has a comment at line 1, column 1, which plain JSON does not allow'],
    ['{"a": secret}', 'has an unknown word or sign at line 1, column 7'],
    ['{"a" "secret"}', 'has no colon at line 1, column 6'],
    ['{"a": 1 "b": 2}', 'has no comma at line 1, column 9'],
    ['{"a": 1,, "b": 2}', 'has no key at line 1, column 9'],
    ['[,]', 'has no value at line 1, column 2'],
    ['{"a": 1', 'has no closing brace at line 1, column 8'],
    ['[1', 'has no closing bracket at line 1, column 3'],
    ['{} {}', 'has more text after its value at line 1, column 4'],
    ['{"a": "secret', 'has a string without an end at line 1, column 7'],
    ['"\\x"', 'has an invalid escape in a string at line 1, column 1'],
    ['"\t"', 'has a control character in a string at line 1, column 1'],
    ['[1.]', 'has an incomplete number at line 1, column 2'],
    ['\uFEFF{}', 'has an unknown word or sign at line 1, column 1'],
    [deep(10_000), 'is nested deeper than 500 levels at line 1, column 501'],
  ])('%j', (text, message) => {
    const problem = new EditProblem(message);
    expect(() => jsonEditor.parse(text)).toThrow(problem);
    expect(() => jsonEditor.find(text, ['a'])).toThrow(problem);
    expect(() => jsonEditor.set(text, ['a'], 1)).toThrow(problem);
    expect(() => jsonEditor.undo(text, { path: ['a'] })).toThrow(problem);
  });

  test.each<[string, string, Path, Leaf, string]>([
    ['a scalar on the path', '{\n  "env": 1\n}', ['env', 'A'], 1, 'has no object at env (line 2, column 10)'],
    ['a list on the path', '{"env": []}', ['env', 'A'], 1, 'has no object at env (line 1, column 9)'],
    ['an object in place of a list', '{"m": {}}', ['m', { name: 'x' }, 'a'], 1, 'has no array at m (line 1, column 7)'],
    ['a list as the document', '[]', ['a'], 1, 'has no object at its root (line 1, column 1)'],
    ['a number that JSON has not', '{}', ['a'], Number.NaN, 'cannot be edited at `a` without changing other values'],
    ['an identity that the edit changes', '[]', [{ name: 'x' }, 'name'], 'y', 'cannot be edited at `[name=x].name` without changing other values'],
    ['a path that is too deep', '{}', Array(600).fill('a'), 1, `cannot be edited at \`${'a.'.repeat(599)}a\` without changing other values`],
  ])('%s', (_, text, path, value, message) => {
    expect(() => jsonEditor.set(text, path, value)).toThrow(new EditProblem(message));
  });

  test('a comment without an end', () => {
    expect(() => jsoncEditor.parse('{} /* secret')).toThrow(new EditProblem('has a comment without an end at line 1, column 4'));
  });

  test('an earlier value that is no value', () => {
    for (const before of ['1, "b": 2', '{', '', '// c']) expect(() => jsoncEditor.undo('{"a":1}', { path: ['a'], before })).toThrow(EditProblem);
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
      expect(outcome(() => rounded(jsonEditor.parse(text)))).toEqual(outcome(() => JSON.parse(text)));
    }),
    { numRuns: 3000 },
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

test('values are read exactly, and the last of equal keys counts', () => {
  const text = '{"a": 9007199254740993, "b": -0, "a": -12345678901234567890, "__proto__": {"c": 1.5}}';
  expect(jsonEditor.find(text, ['a'])).toBe(-12345678901234567890n);
  expect(jsonEditor.find(text, ['b'])).toBe(-0);
  expect(jsonEditor.find(text, ['__proto__', 'c'])).toBe(1.5);
  expect(jsonEditor.find(text, ['toString'])).toBeUndefined();
  expect(jsonEditor.find('', ['a'])).toBeUndefined();
  expect(jsonEditor.parse('')).toEqual({});
  expect(Object.getPrototypeOf(jsonEditor.parse(text))).toBe(Object.prototype);
});
