import { type DocumentFormat, TextDraft } from '../../../../src/cli/coding/edits/draft.ts';
import type { Leaf, Open, Path, Undo } from '../../../../src/cli/coding/edits/edit.ts';
import type { Node } from '../../../../src/cli/coding/edits/tree.ts';

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

/** Opens texts as the editor of the format does, and reads equal texts once. A law opens and verifies each of its texts several times. */
export function readingOnce(format: DocumentFormat): Open {
  const known = new Map<string, Node | undefined>();
  const read = (text: string): Node | undefined => {
    if (!known.has(text)) {
      if (known.size === 30) known.clear();
      known.set(text, format.read(text));
    }
    const root = known.get(text);
    // A draft changes its tree.
    return root && copyOf(root);
  };
  return (text) => new TextDraft(text, { ...format, read });
}

function copyOf(node: Node): Node {
  return { ...node, items: node.items.map((item) => ({ ...item, value: copyOf(item.value) })) };
}
