import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Editor, EditProblem, type Undo } from '../../../../src/cli/coding/edits/edit.ts';
import { yamlEditor } from '../../../../src/cli/coding/edits/yaml.ts';
import { checkLaws, documents, edits, withLeaf } from './laws.ts';
import { yamlText } from './yaml-documents.ts';
import { changedBy, foreign, listEdits, pathThrough } from './yaml-foreign.ts';

const timeout = 120_000;

function isValid(text: string): boolean {
  try {
    yamlEditor.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The laws parse each text several times. */
function remembering(editor: Editor): Editor {
  const values = new Map<string, unknown>();
  const parse = (text: string) => {
    if (!values.has(text)) values.set(text, editor.parse(text));
    return values.get(text);
  };
  return { ...editor, parse };
}

test('an edit sets one leaf and keeps every other byte, and edits taken back in reverse give the bytes of the beginning', { timeout }, () => {
  const counts = { edited: 0, refused: 0 };
  fc.assert(
    fc.property(yamlText.filter(isValid), edits, (text, made) => {
      counts[checkLaws(remembering(yamlEditor), text, made) ? 'edited' : 'refused']++;
    }),
    { numRuns: documents },
  );
  // The library refuses keys of more than 1024 characters; the document is a scalar or a list at its top.
  expect(counts.refused / counts.edited).toBeLessThan(0.02);
});

test('edits through lists and empty values hold the same laws, and are taken back after other programs wrote the document', { timeout }, () => {
  const counts = { exact: 0, refused: 0, foreign: 0, unwritten: 0 };
  fc.assert(
    fc.property(yamlText.filter(isValid), listEdits, foreign, (text, made, program) => {
      const original = yamlEditor.parse(text);
      const undos: Undo[] = [];
      let value = original;
      let edited = text;
      for (const edit of made) {
        const path = pathThrough(value, edit);
        if (!path) continue;
        try {
          const result = yamlEditor.set(edited, path, edit.value);
          edited = result.text;
          undos.unshift(result.undo);
        } catch (error) {
          if (!(error instanceof EditProblem)) throw error;
          counts.refused++;
          continue;
        }
        value = withLeaf(value, path, edit.value);
        expect(yamlEditor.parse(edited)).toEqual(value);
        expect(yamlEditor.find(edited, path)).toEqual(edit.value);
      }
      expect(undos.reduce(yamlEditor.undo, edited)).toBe(text);
      counts.exact++;

      const change = changedBy(program, original, edited, value);
      if (!change || !isValid(change.written) || !isDeepStrictEqual(yamlEditor.parse(change.written), change.theirs)) {
        counts.unwritten++;
        return;
      }
      const restored = undos.reduce(yamlEditor.undo, change.written);
      expect(
        yamlEditor.parse(restored),
        `${edited}\n--- written:\n${change.written}\n--- restored:\n${restored}\n--- ${JSON.stringify(undos)}`,
      ).toEqual(change.expected);
      counts.foreign++;
    }),
    { numRuns: 3000 },
  );
  console.log(counts);
});
