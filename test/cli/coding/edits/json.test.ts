import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { openJson, openJsonc } from '../../../../src/cli/coding/edits/json.ts';
import { drawn, unique, write } from './json-documents.ts';
import { commentsOf, type Foreign, pruned, rewritten, undone } from './json-foreign.ts';
import { checkDraft, checkLaws, documents, edits, pathIn } from './laws.ts';
import { single } from './single.ts';

const jsonEditor = single(openJson);
const jsoncEditor = single(openJsonc);

test('the laws of an editor hold in random JSON and JSONC documents', { timeout: 120_000 }, () => {
  let refused = 0;
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, (draws, isJsonc, made) => {
      if (!checkLaws(isJsonc ? jsoncEditor : jsonEditor, write(draws, isJsonc), made)) refused++;
    }),
    { numRuns: documents },
  );
  // A valid document gives no reason to refuse an edit.
  expect(refused).toBe(0);
});

test('edits of one draft give the bytes and the records of single edits', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, (draws, isJsonc, made) => checkDraft(isJsonc ? openJsonc : openJson, write(draws, isJsonc), made)),
    { numRuns: documents / 2 },
  );
});

test('after another program rewrote a document, an undo in any order takes only its own member', { timeout: 120_000 }, () => {
  const foreign = fc.record<Foreign>({
    dice: fc.array(fc.nat(999), { minLength: 30, maxLength: 30 }),
    space: fc.constantFrom('same', 'none', 'pretty', 'odd'),
    adds: fc.boolean(),
    changes: fc.boolean(),
    notes: fc.boolean(),
  });
  fc.assert(
    fc.property(drawn, fc.boolean(), edits, foreign, fc.boolean(), (draws, isJsonc, made, program, isInOrder) => {
      const editor = isJsonc ? jsoncEditor : jsonEditor;
      const undos: Undo[] = [];
      let text = write(unique(draws), isJsonc);
      for (const { choices, value } of made) {
        const path = pathIn(editor.parse(text), choices);
        if (!path) continue;
        const result = editor.set(text, path, value);
        undos.push(result.undo);
        text = result.text;
      }
      const hasNotes = isJsonc && program.notes;
      text = rewritten(text, { ...program, notes: hasNotes });
      for (const undo of isInOrder ? undos : undos.reverse()) {
        const expected = undone(editor.parse(text), undo, undo.before === undefined ? undefined : editor.parse(undo.before));
        const after = editor.undo(text, undo);
        // A container that the edit made stays if it has a comment.
        if (hasNotes) expect(pruned(editor.parse(after))).toEqual(pruned(expected));
        else expect(editor.parse(after)).toEqual(expected);
        expectTidy(text, after, undo, editor.find(text, undo.path));
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
  expect(blanks(after), `no blank line is left:\n${before}\n→\n${after}`).toBeLessThanOrEqual(blanks(before));
  // A list that an edit set goes with the objects that came to it, and with their comments.
  if (Array.isArray(leaf) && leaf.some((item) => typeof item === 'object')) return;
  expect(commentsOf(after)).toEqual(commentsOf(before));
}
