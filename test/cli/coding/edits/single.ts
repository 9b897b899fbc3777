import type { Leaf, Open, Path, Undo } from '../../../../src/cli/coding/edits/edit.ts';

/** The functions of a draft, each with a draft of its own. */
export interface Editor {
  /** The document as a value; that of a blank text is an empty object. */
  parse(text: string): unknown;
  find(text: string, path: Path): unknown;
  set(text: string, path: Path, value: Leaf): { readonly text: string; readonly undo: Undo };
  undo(text: string, undo: Undo): string;
}

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
