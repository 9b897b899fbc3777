import type { Editor, Open } from '../../../../src/cli/coding/edits/edit.ts';

/** A format with one edit in each draft, so that each edit is verified alone. */
export function single(open: Open): Editor {
  return {
    parse: (text) => open(text).find([]),
    find: (text, path) => open(text).find(path),
    set(text, path, value) {
      const draft = open(text);
      const undo = draft.set(path, value);
      return { text: draft.finish(), undo };
    },
    undo(text, undo) {
      const draft = open(text);
      draft.undo(undo);
      return draft.finish();
    },
  };
}
