import { describe, expect, test } from 'vitest';
import { Draft } from '../../../src/cli/coding/edits/draft.ts';
import { json } from '../../../src/cli/coding/edits/json.ts';
import { inherited, type PartEdits, setChanges, type TakeBack, takeBack, whileWriting } from '../../../src/cli/coding/part-edits.ts';
import { hashOf, type RecordEntry, type RecordedEdit } from '../../../src/cli/coding/record.ts';
import { type Change, leaves } from '../../../src/cli/coding/tool.ts';

const complete: TakeBack = { whenChanged: 'leave', isComplete: true };

interface PlannedText extends PartEdits {
  readonly text: string;
}

function plannedChanges(before: string, changes: readonly Change[], earlier: RecordEntry | undefined): PlannedText {
  const draft = new Draft(json, before);
  const planned = setChanges(draft, { changes: changes }, earlier);
  return { ...planned, text: draft.finish() };
}

function takenBack(before: string, edits: readonly RecordedEdit[], options: TakeBack): PlannedText {
  const draft = new Draft(json, before);
  const planned = takeBack(draft, edits, options);
  return { ...planned, text: draft.finish() };
}

function entryWith(edits: readonly RecordedEdit[], state: RecordEntry['state'] = 'written'): RecordEntry {
  return { tool: 't', part: 'load', file: '/f', format: 'json', state, keyMode: 'env', version: '1', time: '', edits };
}

describe('a plan', () => {
  test('leaves a value that the user has set alike', () => {
    const { text, edits } = plannedChanges('{"a":1}', leaves([], { a: 1, b: 2 }), undefined);
    expect(edits.map(({ path }) => path)).toEqual([['b']]);
    expect(takenBack(text, edits, complete)).toEqual({ text: '{"a":1}', edits: [], changed: [], rivals: [] });
  });

  test('of a second load over a value of the user takes that as the value before', () => {
    const first = plannedChanges('{"a":1}', leaves([], { a: 2 }), undefined);
    const second = plannedChanges('{"a":7}', leaves([], { a: 3 }), entryWith(first.edits));
    expect(takenBack(second.text, second.edits, complete).text).toBe('{"a":7}');
  });

  test('after a kill takes the file as it is', () => {
    const meant = plannedChanges('{"a":1}', leaves([], { a: 2, b: 2 }), undefined);
    const edits = whileWriting([], meant.edits);
    for (const text of ['{"a":1}', meant.text])
      expect(takenBack(text, edits, { whenChanged: 'leave', isComplete: false })).toEqual({
        text: '{"a":1}',
        edits: [],
        changed: [],
        rivals: [],
      });
  });

  test('of an interrupted second load recognizes both values', () => {
    const first = plannedChanges('{"a":1}', leaves([], { a: 2 }), undefined);
    const second = plannedChanges(first.text, leaves([], { a: 3 }), entryWith(first.edits));
    const edits = whileWriting(first.edits, second.edits);
    for (const text of [first.text, second.text]) expect(takenBack(text, edits, { whenChanged: 'leave', isComplete: false }).text).toBe('{"a":1}');
  });
});

test('a container that a removed edit had made has no heir among edits of other containers, and among values of the user', () => {
  const edit = (path: readonly string[], more: Partial<RecordedEdit> = {}): RecordedEdit => ({ path, hashes: [hashOf(1)], ...more });
  const kept = [edit(['n', 'k'], { made: 1 }), edit(['m', 'c'], { before: '1' })];
  expect(inherited(kept, [edit(['m', 'a'], { made: 1 })])).toEqual(kept);
});
