// The work of an edit, counted in texts that the parser reads: no time is measured.
import { visit } from 'jsonc-parser';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openJson, openJsonc } from '../../../../src/cli/coding/edits/json.ts';
import { single } from './single.ts';

/** The real parser, with a list of its calls. */
vi.mock('jsonc-parser', { spy: true });

const editor = single(openJsonc);

beforeEach(() => void vi.mocked(visit).mockClear());

/** Characters that the parser has read since the beginning of the test. */
function charactersRead(): number {
  return vi.mocked(visit).mock.calls.reduce((sum, [text]) => sum + text.length, 0);
}

test.each<[string, (members: number) => string]>([
  [
    'long',
    (members) =>
      `{${Array.from({ length: members }, (_, at) => `\n  "k${at}": {"a": [1, "x"]} // c${at}`).join(',')}\n}`.replaceAll(/\/\/ (c\d+),/g, ', // $1'),
  ],
  ['minified', (members) => `{${Array.from({ length: members }, (_, at) => `"k${at}":{"a":[1,"x"]}`).join(',')}}`],
  ['commented', (members) => `{"a":1${'/* c */'.repeat(members * 3)}}`],
])('the parser reads a %s document as often as a short one', (_, documentOf) => {
  const reads = [10, 4000].map((members) => {
    vi.mocked(visit).mockClear();
    const text = documentOf(members);
    const result = editor.set(text, ['new', 'x'], 1);
    expect(editor.undo(result.text, result.undo)).toBe(text);
    return vi.mocked(visit).mock.calls.length;
  });
  expect(reads[1]).toBe(reads[0]);
});

describe('edits of a small container in a large document', () => {
  const text = `{"small":{},"large":[${'{"a":[1,"x"]},'.repeat(1000)}0]}`;

  test('read the whole text at the beginning and at the end', () => {
    const draft = openJson(text);
    for (const name of 'abcdefghi') draft.set(['small', name], 1);
    const result = draft.finish();
    expect(charactersRead() - text.length - result.length).toBeLessThan(1000);
  });

  test('read the whole text at the end, whatever was read before', () => {
    const draft = openJson(text);
    draft.set(['small', 'a'], 1);
    const result = draft.finish();
    expect(vi.mocked(visit).mock.calls.at(-1)?.[0]).toBe(result);
  });

  test('read it once if there is no edit', () => {
    const draft = openJson(text);
    draft.find(['small']);
    expect(draft.finish()).toBe(text);
    expect(charactersRead()).toBe(text.length);
  });
});
