import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Editor } from '../../../../src/cli/coding/edits/edit.ts';
import { jsoncEditor, jsonEditor } from '../../../../src/cli/coding/edits/json.ts';
import { drawn, write } from './json-documents.ts';
import { checkLaws, documents, edits } from './laws.ts';

test.each<[string, Editor]>([
  ['JSON', jsonEditor],
  ['JSONC', jsoncEditor],
])('the laws of an editor hold in random %s documents', { timeout: 120_000 }, (name, editor) => {
  let refused = 0;
  fc.assert(
    fc.property(drawn, edits, (draws, made) => {
      if (!checkLaws(editor, write(draws, name === 'JSONC'), made)) refused++;
    }),
    { numRuns: documents },
  );
  // The format has no reason to refuse an edit of a valid document.
  expect(refused).toBe(0);
});
