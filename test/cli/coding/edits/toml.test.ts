import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EditProblem, type Editor } from '../../../../src/cli/coding/edits/edit.ts';
import { tomlEditor } from '../../../../src/cli/coding/edits/toml.ts';
import { checkLaws, documents, edits } from './laws.ts';
import { tomlDocument } from './toml-documents.ts';

test('the laws of an editor hold for TOML', () => {
  const refusals: string[] = [];
  const watched: Editor = {
    ...tomlEditor,
    set(text, path, value) {
      try {
        return tomlEditor.set(text, path, value);
      } catch (error) {
        if (error instanceof EditProblem) refusals.push(error.message);
        throw error;
      }
    },
  };
  fc.assert(
    fc.property(tomlDocument, edits, (text, made) => {
      checkLaws(watched, text, made);
    }),
    { numRuns: documents },
  );
  console.log(refusals.length, new Map(Object.entries(Object.groupBy(refusals, (x) => x.replace(/`.*`/, ''))).map(([k, v]) => [k, v?.length])));
}, 120_000);
