import fc from 'fast-check';
import { expect, test } from 'vitest';
import { yamlEditor } from '../../../../src/cli/coding/edits/yaml.ts';
import { checkLaws, documents, edits } from './laws.ts';
import { yamlText } from './yaml-documents.ts';

const minutes = 120_000;

function isValid(text: string): boolean {
  try {
    yamlEditor.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('an edit sets one leaf and keeps every other byte, and edits taken back in reverse give the bytes of the beginning', {
  timeout: minutes,
}, () => {
  const counts = { edited: 0, refused: 0 };
  fc.assert(
    fc.property(yamlText.filter(isValid), edits, (text, made) => {
      counts[checkLaws(yamlEditor, text, made) ? 'edited' : 'refused']++;
    }),
    { numRuns: documents },
  );
  console.log(counts);
  expect(counts.refused / counts.edited).toBeLessThan(0.02);
});
