import type { Draft, Editor } from './edit.ts';

/** A draft of a format whose editor verifies each edit: the reading that verifies one edit is that of the next. */
export function stepwise(editor: Editor, start: string): Draft {
  editor.parse(start);
  let text = start;
  return {
    find: (path) => editor.find(text, path),
    set(path, value) {
      const result = editor.set(text, path, value);
      text = result.text;
      return result.undo;
    },
    undo(undo) {
      text = editor.undo(text, undo);
    },
    finish: () => text,
  };
}
