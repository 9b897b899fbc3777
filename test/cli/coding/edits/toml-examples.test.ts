import { expect, test } from 'vitest';
import { EditProblem, type Leaf, type Path } from '../../../../src/cli/coding/edits/edit.ts';
import { openToml } from '../../../../src/cli/coding/edits/toml.ts';
import { single } from './single.ts';

const { find, parse, set, undo } = single(openToml);

/** Edits in order; they are taken back to the same bytes. */
function edited(text: string, ...edits: readonly (readonly [Path, Leaf])[]): string {
  let current = text;
  const undos = edits.map(([path, value]) => {
    const result = set(current, path, value);
    current = result.text;
    return result.undo;
  });
  let earlier = current;
  for (const record of undos.toReversed()) earlier = undo(earlier, record);
  expect(earlier).toBe(text);
  return current;
}

const provider = ['model_providers', 'modelsvc'] as const;

test('a Codex configuration gets a provider, and keeps its comments', () => {
  const before = `# Codex configuration

# model = "gpt"
model_reasoning_effort = "high" # slow

# The project
[projects."/home/me/app"]
trust_level = "trusted"

[mcp_servers.docs]
command = "docs"

[mcp_servers.docs.env]
TOKEN = "t" # mine
`;
  const after = `# Codex configuration

# model = "gpt"
model_reasoning_effort = "max" # slow
model = "glm-5.3"
model_provider = "modelsvc"

# The project
[projects."/home/me/app"]
trust_level = "trusted"

[mcp_servers.docs]
command = "docs"

[mcp_servers.docs.env]
TOKEN = "t" # mine
REGION = "global"

[model_providers.modelsvc]
name = "modelsvc"
base_url = "https://example.test/v1"
requires_openai_auth = false

[model_providers.modelsvc.auth]
command = "modelsvc"
args = ["auth", "token"]
`;
  expect(
    edited(
      before,
      [['model_reasoning_effort'], 'max'],
      [['model'], 'glm-5.3'],
      [['model_provider'], 'modelsvc'],
      [[...provider, 'name'], 'modelsvc'],
      [[...provider, 'base_url'], 'https://example.test/v1'],
      [[...provider, 'requires_openai_auth'], false],
      [[...provider, 'auth', 'command'], 'modelsvc'],
      [
        [...provider, 'auth', 'args'],
        ['auth', 'token'],
      ],
      [['mcp_servers', 'docs', 'env', 'REGION'], 'global'],
    ),
  ).toBe(after);
});

test.each<readonly [string, string, Path, Leaf, string]>([
  ['an empty text', '', ['a'], 1, 'a = 1\n'],
  ['a text of comments', '# mine\n', ['a'], 1, '# mine\n\na = 1\n'],
  ['a new table in an empty text', '', ['t', 'a'], 1, '[t]\na = 1\n'],
  ['the last line has no end', 'a = 1', ['b'], 2, 'a = 1\nb = 2'],
  ['a new table after a last line without an end', 'a = 1', ['t', 'b'], 2, 'a = 1\n\n[t]\nb = 2'],
  ['CRLF', 'a = 1\r\n', ['t', 'b'], 2, 'a = 1\r\n\r\n[t]\r\nb = 2\r\n'],
  ['a first root key above the comment of a header', '# mine\n\n# t\n[t]\n', ['a'], 1, '# mine\n\na = 1\n\n# t\n[t]\n'],
  ['a first root key above the first header', '[t]\n', ['a'], 1, 'a = 1\n\n[t]\n'],
  ['a key above the comment of the next header', '[t]\na = 1\n\n# u\n[u]\n', ['t', 'b'], 2, '[t]\na = 1\nb = 2\n\n# u\n[u]\n'],
  ['a key below comments of its table', '[t]\na = 1 # one\n# c = 1\n\n[u]\n', ['t', 'b'], 2, '[t]\na = 1 # one\n# c = 1\nb = 2\n\n[u]\n'],
  ['indentation', '[t]\n\ta = 1\n', ['t', 'b'], 2, '[t]\n\ta = 1\n\tb = 2\n'],
  ['equal signs without space', 'a=1\n', ['b'], 2, 'a=1\nb=2\n'],
  ['a table without a header of its own', '[t.u]\na = 1\n', ['t', 'b'], 2, '[t.u]\na = 1\n\n[t]\nb = 2\n'],
  ['keys that need quotes', '', ['m', 'glm-5.3[1m]', 'é "x"'], 's', '[m."glm-5.3[1m]"]\n"é \\"x\\"" = "s"\n'],
  ['strings with escapes', '', ['a'], 'C:\\x\n\x1b\x7f', 'a = "C:\\\\x\\n\\u001b\\u007f"\n'],
  ['an inline table', 'h = { a = 1 } # x\n', ['h', 'b'], 2, 'h = { a = 1, b = 2 } # x\n'],
  ['an empty inline table', 'h = {}\n', ['h', 'b'], 2, 'h = { b = 2 }\n'],
  ['a table in an inline table', 'h = { a = 1 }\n', ['h', 't', 'b'], 2, 'h = { a = 1, t.b = 2 }\n'],
  ['an inline table on lines', 'h = {\n  a = 1 # one\n}\n', ['h', 'b'], 2, 'h = {\n  a = 1, # one\n  b = 2\n}\n'],
  ['a last comma', 'h = {\n  a = 1, # one\n}\n', ['h', 'b'], 2, 'h = {\n  a = 1, # one\n  b = 2,\n}\n'],
  ['dotted keys', 't.a = 1\nz = 1\n', ['t', 'b'], 2, 't.a = 1\nt.b = 2\nz = 1\n'],
  ['a value on lines', 'a = [\n  1, # one\n]\nb = 2\n', ['a'], ['x'], 'a = ["x"]\nb = 2\n'],
  ['a new list', 'a = 1\n', ['l', { name: 'x' }, 'b'], 2, 'a = 1\n\n[[l]]\nname = "x"\nb = 2\n'],
  [
    'a new item with a table, after the other items',
    '[[l]]\nname = "y"\n\n[t]\n',
    ['l', { name: 'x' }, 'u', 'b'],
    2,
    '[[l]]\nname = "y"\n\n[[l]]\nname = "x"\n\n[l.u]\nb = 2\n\n[t]\n',
  ],
  [
    'a table of the first of two items',
    '[[l]]\nname = "x"\n\n[[l]]\nname = "y"\n',
    ['l', { name: 'x' }, 't', 'b'],
    2,
    '[[l]]\nname = "x"\n\n[l.t]\nb = 2\n\n[[l]]\nname = "y"\n',
  ],
  ['an item of an inline list', 'l = [{ name = "x" }]\n', ['l', { name: 'x' }, 'b'], 2, 'l = [{ name = "x", b = 2 }]\n'],
  ['a table for a value', '[z]\n\n[a] # one\nb = 1\n# two\n[a.c]\n\n[y]\n', ['a'], 2, 'a = 2\n\n[z]\n\n[y]\n'],
  ['a table in parts', '[a]\nb = 1\n[z]\n[a.c]\nd = 1', ['a'], 2, 'a = 2\n\n[z]\n'],
  ['the only table of a table', '[p.a]\nb = 1\n', ['p', 'a'], 2, '[p]\na = 2\n'],
  ['a list of tables', 'z = 1\n[[a]]\nb = 1\n[[a]]\n', ['a'], 2, 'z = 1\na = 2\n'],
  ['dotted keys for a value', '[t]\na.b = 1\nc = 1\na.d = 1\n', ['t', 'a'], 2, '[t]\nc = 1\na = 2\n'],
  ['a new item of an inline list', 'l = []\n', ['l', { name: 'x' }, 'b'], 2, 'l = [{ name = "x", b = 2 }]\n'],
])('%s', (_name, before, path, value, after) => {
  expect(edited(before, [path, value])).toBe(after);
});

test('an item of a list above the header of the table that the list is in', () => {
  const after = '[[a.b]]\n\n[[a.b]]\nname = "x"\nc = 1\n[[d]]\n\n[a]\ne = 1\n';
  expect(edited('[[a.b]]\n[[d]]\n', [['a', 'e'], 1], [['a', 'b', { name: 'x' }, 'c'], 1])).toBe(after);
});

test.each<readonly [string, string, Path, Leaf, string, string]>([
  ['our table has a key of another program', '', ['t', 'a'], 1, '[t]\na = 1\ntheirs = 2\n', '[t]\ntheirs = 2\n'],
  ['our table has a table of another program', '', ['t', 'a'], 1, '[t]\na = 1\n\n[t.u]\nb = 1\n', '[t.u]\nb = 1\n'],
  ['our table has a comment of another program', '', ['t', 'a'], 1, '[t]\n# theirs\na = 1\n', '# theirs\n'],
  ['our line has a comment of another program', 'z = 1\n', ['a'], 1, 'z = 1\na = 1 # theirs\nb = 2\n', 'z = 1\nb = 2\n'],
  ['our line is between blank lines', '[t]\n', ['a'], 1, 'z = 1\n\na = 1\n\n[t]\n', 'z = 1\n\n[t]\n'],
  ['our item has a key of another program', '', ['l', { n: 'x' }, 'a'], 1, '[[l]]\nn = "x"\na = 1\nb = 2\n', '[[l]]\nn = "x"\nb = 2\n'],
  ['our item has a table of another program', '', ['l', { n: 'x' }, 'a'], 1, '[[l]]\nn = "x"\na = 1\n[l.t]\n', '[[l]]\nn = "x"\n[l.t]\n'],
  ['our tables are inline now', '', ['t', 'u', 'a'], 1, 't = { u = { a = 1 }, b = 2 }\n', 't = { b = 2 }\n'],
  ['our key is the first of an inline table now', 't = { z = 1 }\n', ['t', 'a'], 1, 't = { a = 1, z = 1 }\n', 't = { z = 1 }\n'],
  ['the earlier table has no header now', '[t]\n', ['t', 'u', 'a'], 1, '[t.u]\na = 1\n', '[t]\n'],
  ['the list of our item is a part of its header now', '[t]\na = []\n', ['t', 'a', { n: 'x' }, 'b'], 1, '[[t.a]]\nn = "x"\nb = 1\n', '[t]\na = []\n'],
  ['our dotted key has a header now', 'a.a.a = 1\n', ['a', ' ', ' '], 1, '[a.a]\na = 1\n\n[a." "]\n" " = 1\n', '[a.a]\na = 1\n'],
  ['our dotted key has a header in a table now', 'a.a = 1\n', ['a', 'b', 'a'], 1, '[a]\na = 1\n\n[a.b]\na = 1\n', '[a]\na = 1\n'],
  ['our key is gone', '', ['t', 'a'], 1, '[t]\nb = 2\n', '[t]\nb = 2\n'],
  ['our key is a table now', 'a = 1\n', ['a'], 2, '[a]\nb = 2\n', '[a]\nb = 2\n'],
  ['the way leads through a scalar now', '', ['t', 'a'], 1, 't = 1\n', 't = 1\n'],
])('undo: %s', (_name, before, path, value, theirs, after) => {
  expect(undo(theirs, set(before, path, value).undo)).toBe(after);
});

test('a table comes back with its values when others wrote around it', () => {
  const { undo: record } = set('[a] # one\nb = 1\n\n[z]\n', ['a'], 2);
  expect(undo('theirs = 1\na = 2\n\n[z]\n', record)).toBe('theirs = 1\na = { b = 1 }\n\n[z]\n');
  expect(undo('a = 2\n\n[z]\ntheirs = 1\n', record)).toBe('[a] # one\nb = 1\n\n[z]\ntheirs = 1\n');
});

test('two tables are taken back in the order in which they were made', () => {
  const first = set('a = 1\n', ['t', 'a'], 1);
  const second = set(first.text, ['u', 'a'], 1);
  expect(undo(undo(second.text, first.undo), second.undo)).toBe('a = 1\n');
});

test('two root keys are taken back in the order in which they were made', () => {
  const first = set('# mine\n\n[t]\n', ['a'], 1);
  const second = set(first.text, ['b'], 1);
  expect(undo(undo(second.text, first.undo), second.undo)).toBe('# mine\n\n[t]\n');
});

test('integers beyond 53 bits are kept, and numbers are written so that they stay the same', () => {
  expect(parse('a = 9007199254740993\n')).toEqual({ a: 9007199254740993n });
  for (const value of [2 ** 60, 1e21, -0, 1.5, Number.NaN, -Infinity]) expect(find(edited('', [['a'], value]), ['a'])).toBe(value);
});

test.each<readonly [string, string, Path, string]>([
  ['an invalid text', 'a = 1\nb = secret\n', ['a'], 'is not valid TOML at line 2, column 5: unexpected character'],
  ['a doubled key', 'a = 1\na = 2\n', ['a'], 'is not valid TOML at line 2, column 1: defining a key multiple times is invalid'],
  ['a scalar on the way', 'a = 1\n', ['a', 'b'], 'has no table at `a`'],
  ['a list on the way', '[[a]]\n', ['a', 'b'], 'has no table at `a`'],
  ['a table instead of a list', '[a]\n', ['a', { n: 'x' }, 'b'], 'has no tables in a list at `a`'],
  ['a list of scalars', 'a = [1]\n', ['a', { n: 'x' }, 'b'], 'has no tables in a list at `a`'],
  ['a part of keys in an inline table', 'h = { a.b = 1 }\n', ['h', 'a'], 'has a table at `h.a`, which is not replaced by a value'],
  ['a field that identifies an item', '', ['a', { n: 'x' }, 'n'], 'has an item that is found by `a[n=x].n`, a field that is not changed'],
])('refuses %s', (_name, text, path, message) => {
  expect(() => set(text, path, 2)).toThrow(new EditProblem(message));
});

test('refuses a string that TOML cannot hold', () => {
  expect(() => set('', ['a'], '\ud800')).toThrow(new EditProblem('cannot be edited at `a` without changing other values'));
});
