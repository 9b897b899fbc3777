import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { EditProblem, type Leaf, type Path, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { openYaml, yamlFormat } from '../../../../src/cli/coding/edits/yaml.ts';
import { checkLaws, documents, edits, expectSame, withLeaf } from './laws.ts';
import { readingOnce, single } from './single.ts';
import { yamlText } from './yaml-documents.ts';
import { changedBy, foreign, listEdits, pathThrough } from './yaml-foreign.ts';

const yamlEditor = single(openYaml);
const openOnce = readingOnce(yamlFormat);
const editorOnce = single(openOnce);

function isValid(text: string): boolean {
  try {
    editorOnce.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('an edit sets one leaf and keeps every other byte, and edits taken back in reverse give the bytes of the beginning', () => {
  const counts = { edited: 0, refused: 0 };
  fc.assert(
    fc.property(yamlText.filter(isValid), edits, (text, made) => {
      counts[checkLaws(openOnce, text, made) ? 'edited' : 'refused']++;
    }),
    { numRuns: documents },
  );
  expect(counts.refused / counts.edited).toBeLessThan(0.001);
});

test('edits through lists and empty values hold the same laws, and are taken back after other programs wrote the document', () => {
  const counts = { edits: 0, refused: 0, foreign: 0 };
  fc.assert(
    fc.property(yamlText.filter(isValid), listEdits, foreign, (text, made, program) => {
      const original = editorOnce.parse(text);
      const undos: Undo[] = [];
      let value = original;
      let edited = text;
      for (const edit of made) {
        const path = pathThrough(value, edit);
        if (!path) continue;
        counts.edits++;
        try {
          const result = editorOnce.set(edited, path, edit.value);
          edited = result.text;
          undos.unshift(result.undo);
        } catch (error) {
          if (!(error instanceof EditProblem)) throw error;
          counts.refused++;
          continue;
        }
        value = withLeaf(value, path, edit.value);
        expectSame(editorOnce.parse(edited), value);
        expectSame(editorOnce.find(edited, path), edit.value);
      }
      expectSame(undos.reduce(editorOnce.undo, edited), text);

      // The library does not write each document so that it reads it as it was.
      const change = changedBy(program, original, edited, value, undos);
      if (!change || !isValid(change.written) || !isDeepStrictEqual(editorOnce.parse(change.written), change.theirs)) return;
      const restored = undos.reduce(editorOnce.undo, change.written);
      expect(editorOnce.parse(restored), `${edited}\n--- other program\n${change.written}\n--- undone\n${restored}`).toEqual(change.expected);
      counts.foreign++;
    }),
    { numRuns: documents / 8 },
  );
  expect(counts.foreign).toBeGreaterThan(documents / 10);
  expect(counts.refused / counts.edits).toBeLessThan(0.02);
});

const key = ['models', { name: 'GLM' }, 'apiKey'];

test.each<[string, string, Path, Leaf, string]>([
  ['a file of comments', '# Aider\n# model: x\n', ['model'], 'openai/glm-5.3', '# Aider\n# model: x\nmodel: openai/glm-5.3\n'],
  ['an empty file', '', ['model'], 'glm', 'model: glm\n'],
  ['an end without a beginning', '...\n', ['a'], 'x', 'a: x\n...\n'],
  ['a document that ends', '# c\n---\n...\n', ['a'], 'x', '# c\n---\na: x\n...\n'],
  ['a start marker', '---\n# c\n', ['model'], 'glm', '---\n# c\nmodel: glm\n'],
  ['a scalar with a comment', 'GOOSE_MODEL: gpt # mine\nz: 1\n', ['GOOSE_MODEL'], 'glm', 'GOOSE_MODEL: glm # mine\nz: 1\n'],
  ['a last member with a comment', 'a: 1 # one\n# end\n', ['b'], 'x y', 'a: 1 # one\nb: "x y"\n# end\n'],
  ['no final line end', 'a: 1', ['b'], 2, 'a: 1\nb: 2'],
  ['CRLF', 'a:\r\n    b: 1\r\nz: 1\r\n', ['a', 'c', 'd'], 2, 'a:\r\n    b: 1\r\n    c:\r\n        d: 2\r\nz: 1\r\n'],
  ['a block scalar', 'a:\n  b: |\n    text\n\nz: 1\n', ['a', 'c'], 1, 'a:\n  b: |\n    text\n  c: 1\n\nz: 1\n'],
  ['an empty value', 'models: # none\nz: 1\n', key, 'k', 'models: # none\n  - name: GLM\n    apiKey: k\nz: 1\n'],
  ['a null', 'models: ~\n', key, 'k', 'models:\n  - name: GLM\n    apiKey: k\n'],
  ['dashes below the key', 'models:\n- name: A\n  b: 1\n', key, 'k', 'models:\n- name: A\n  b: 1\n- name: GLM\n  apiKey: k\n'],
  [
    'dashes deeper than the key',
    'models:\n  - name: GLM\n    b: 1\n  - name: B\n',
    key,
    'k',
    'models:\n  - name: GLM\n    b: 1\n    apiKey: k\n  - name: B\n',
  ],
  ['an empty list', 'models: []\n', key, 'k', 'models: [{name: GLM, apiKey: k}]\n'],
  ['a flow map', 'a: {b: 1}\n', ['a', 'c'], 'on', 'a: {b: 1, c: "on"}\n'],
  ['a flow map with spaces', 'a: { b: 1 }\n', ['a', 'c'], '5', 'a: { b: 1, c: "5" }\n'],
  ['a flow map on lines', 'a: {\n  b: 1, # one\n  }\n', ['a', 'c'], 1, 'a: {\n  b: 1, # one\n  c: 1,\n  }\n'],
  ['a flow map on lines, without a last comma', 'a: {\n  b: 1 # one\n  }\n', ['a', 'c'], 1, 'a: {\n  b: 1, # one\n  c: 1\n  }\n'],
  ['a list for a block', 'args:\n  - -y\n  - x # last\n', ['args'], ['-y', 'z'], 'args: ["-y", z] # last\n'],
  ['a key without a colon', '{a, b: 1}\n', ['a'], 'x', '{a: x, b: 1}\n'],
])('%s', (_, before, path, value, after) => {
  const { text, undo } = yamlEditor.set(before, path, value);
  expect(text).toBe(after);
  expect(yamlEditor.undo(text, undo)).toBe(before);
});

test('strings that a reader of YAML 1.1 takes for something else are quoted', () => {
  const strings = [
    'yes',
    'No',
    'on',
    'y',
    'null',
    '~',
    '',
    '1',
    '0x1',
    '1_000',
    '12:30',
    '2001-01-01',
    '.inf',
    '1e3',
    '- x',
    '# x',
    'a: b',
    '*a',
    '&a',
    '<<',
    '=',
    '{',
  ];
  for (const value of strings) {
    const { text } = yamlEditor.set('', ['k'], value);
    expect(text).toBe(`k: ${JSON.stringify(value)}\n`);
    expect(parse(text, { version: '1.1' })).toEqual({ k: value });
  }
  for (const value of [0.5, 1e21, 1e-7, -3, 2 ** 60, Number.POSITIVE_INFINITY, 'https://api.example.com/v1', 'line\u2028\u0085\n']) {
    const { text } = yamlEditor.set('', ['k'], value);
    expect(parse(text, { version: '1.1' })).toEqual({ k: value });
    expect(parse(text)).toEqual({ k: value });
  }
  expect(yamlEditor.set('', ['k'], 1e21).text).toBe('k: 1.0e+21\n');
});

test('integers beyond those of a number are kept', () => {
  const { text } = yamlEditor.set('a: 12345678901234567890\nb: 1\n', ['c'], 1);
  expect(yamlEditor.parse(text)).toEqual({ a: 12345678901234567890n, b: 1, c: 1 });
  expect(yamlEditor.find(text, ['a'])).toBe(12345678901234567890n);
});

test.each<[string, string, Path, string]>([
  ['two documents', 'a: 1\n---\nb: 1\n', ['a'], 'has a second YAML document (only files with one can be edited) at line 2, column 1'],
  ['a tab', 'a:\n\tb: secret\n', ['a', 'b'], 'is not valid YAML: it is indented with a tab at line 2, column 1'],
  ['invalid YAML', 'a: {secret\n', ['a'], 'is not valid YAML at line 2, column 1'],
  ['an unknown alias', 'a: *secret\n', ['b'], 'is not valid YAML: an alias has no anchor, or too many aliases are used'],
  ['an anchor', 'a: &x secret\nb: *x\n', ['a'], 'has an anchor at line 1, column 7, which an edit cannot follow'],
  ['an anchor in a replaced value', 'a: [&x secret]\nb: *x\n', ['a'], 'has an anchor or an alias at line 1, column 8, which an edit cannot follow'],
  ['an alias', 'a: &x {c: 1}\nb: *x\n', ['b', 'c'], 'has an alias at line 2, column 4, which an edit cannot follow'],
  ['a tag', 'a: !!str secret\n', ['a'], 'has a tag at line 1, column 10, which an edit cannot follow'],
  ['a merge key', 'x: &x {}\na:\n  <<: *x\n', ['a', 'b'], 'has a merge key at line 3, column 3, which an edit cannot follow'],
  ['a key that stands twice', 'a: 1\nb: 1\na: secret\n', ['a'], 'has a key twice at line 3, column 1, which an edit cannot follow'],
  ['a key after a question mark', '? a\n: secret\n', ['a'], 'has a key after `?` at line 1, column 3, which an edit cannot follow'],
  ['a complex key', '[a]: secret\n', ['b'], 'has a key that is no scalar at line 1, column 1, which an edit cannot follow'],
  ['a scalar on the path', 'a: secret\n', ['a', 'b'], 'has no map at `a` (line 1, column 4)'],
  ['a map in the place of a list', 'models: {secret: 1}\n', key, 'has no list at `models` (line 1, column 9)'],
  ['a list at the top', '- secret\n', ['a'], 'has no map at its top (line 1, column 1)'],
  ['a pair in a list without braces', 'models: [name: GLM]\n', key, 'has a map without braces at line 1, column 10'],
])('%s is refused', (_, text, path, message) => {
  expect(() => yamlEditor.set(text, path, 'x')).toThrow(new EditProblem(message));
});

test('edits taken back out of order leave what others added', () => {
  const first = yamlEditor.set('a: 1\n', key, 'k');
  const second = yamlEditor.set(first.text, ['models', { name: 'GLM' }, 'model'], 'glm');
  expect(yamlEditor.undo(second.text, first.undo)).toBe('a: 1\nmodels:\n  - name: GLM\n    model: glm\n');
  expect(yamlEditor.undo(second.text.replace('apiKey: k', 'apiKey: k\n    theirs: 1'), second.undo)).toBe(
    'a: 1\nmodels:\n  - name: GLM\n    apiKey: k\n    theirs: 1\n',
  );
  expect(yamlEditor.undo('a: 1\n', first.undo)).toBe('a: 1\n');
});

test('a container that was there stays when others emptied it', () => {
  const { text, undo } = yamlEditor.set('a:\n  b: 1\n', ['a', 'c'], 1);
  expect(yamlEditor.undo(text.replace('  b: 1\n', ''), undo)).toBe('a: {}\n');
});

test('a member in front of a dash gives its place to the next one', () => {
  const { undo } = yamlEditor.set('models:\n  - name: GLM\n', key, 'k');
  expect(yamlEditor.undo('models:\n  - apiKey: k\n    name: GLM\n', undo)).toBe('models:\n  - name: GLM\n');
  expect(yamlEditor.undo('models: [{apiKey: k, name: GLM}]\n', undo)).toBe('models: [{name: GLM}]\n');
});

test('an earlier block goes below its key where the key is now, and without the comment of our value', () => {
  const { undo } = yamlEditor.set('a:\n  b: |\n    x\n', ['a', 'b'], 'v');
  expect(yamlEditor.undo('a:\n      b: v # why\n', undo)).toBe('a:\n      b: |\n        x\n');
});

test('empty lines above the document take no time', () => {
  const lines = '\n'.repeat(500);
  expect(yamlEditor.set(`${lines}a: 1\n`, ['b'], 'x').text).toBe(`${lines}a: 1\nb: x\n`);
});
