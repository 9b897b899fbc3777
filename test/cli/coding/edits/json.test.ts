import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { openJson, openJsonc } from '../../../../src/cli/coding/edits/json.ts';
import { drawn, unique, write } from './json-documents.ts';
import { commentsOf, type Foreign, pruned, rewritten, undone } from './json-foreign.ts';
import { checkDraft, checkLaws, documents, edits, expectSame, pathIn } from './laws.ts';

test('the laws of an editor hold in random JSON and JSONC documents', () => {
  let refused = 0;
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, (draws, isJsonc, made) => {
      if (!checkLaws(isJsonc ? openJsonc : openJson, write(draws, isJsonc), made)) refused++;
    }),
    { numRuns: documents },
  );
  // A valid document gives no reason to refuse an edit.
  expect(refused).toBe(0);
});

test('edits of one draft give the bytes and the records of single edits', () => {
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, (draws, isJsonc, made) => checkDraft(isJsonc ? openJsonc : openJson, write(draws, isJsonc), made)),
    { numRuns: documents / 2 },
  );
});

test('after another program rewrote a document, an undo in any order takes only its own member', () => {
  const foreign = fc.record<Foreign>({
    dice: fc.array(fc.nat(999), { minLength: 30, maxLength: 30 }),
    space: fc.constantFrom('same', 'none', 'pretty', 'odd'),
    adds: fc.boolean(),
    changes: fc.boolean(),
    notes: fc.boolean(),
  });
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, foreign, fc.boolean(), (draws, isJsonc, made, program, isInOrder) => {
      const open = isJsonc ? openJsonc : openJson;
      const undos: Undo[] = [];
      let text = write(unique(draws), isJsonc);
      for (const { choices, value } of made) {
        const draft = open(text);
        const path = pathIn(draft.find([]), choices);
        if (!path) continue;
        undos.push(draft.set(path, value));
        text = draft.finish();
      }
      const hasNotes = isJsonc && program.notes;
      text = rewritten(text, { ...program, notes: hasNotes });
      let draft = open(text);
      for (const undo of isInOrder ? undos : undos.reverse()) {
        const expected = undone(draft.find([]), undo, undo.before === undefined ? undefined : open(undo.before).find([]));
        const leaf = draft.find(undo.path);
        draft.undo(undo);
        const after = draft.finish();
        draft = open(after);
        // A container that the edit made stays if it has a comment.
        if (hasNotes) expectSame(pruned(draft.find([])), pruned(expected));
        else expectSame(draft.find([]), expected);
        expectTidy(text, after, undo, leaf);
        text = after;
      }
    }),
    { numRuns: documents / 2 },
  );
});

/** No blank line is left over, and all comments stay. */
function expectTidy(before: string, after: string, undo: Undo, leaf: unknown): void {
  if (undo.before !== undefined || after.trim() === '') return;
  const blanks = (text: string): number => text.split(/\r\n|\r|\n/).filter((line) => /^[ \t]*$/.test(line)).length;
  if (blanks(after) > blanks(before)) expect.fail(`a blank line is left:\n${before}\n→\n${after}`);
  // A list that an edit set goes with the objects that came to it, and with their comments.
  if (Array.isArray(leaf) && leaf.some((item) => typeof item === 'object')) return;
  expectSame(commentsOf(after), commentsOf(before));
}
