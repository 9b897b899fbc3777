// A settings file as a preview shows it: keys, numbers, booleans, and the texts that this program wrote. All other text may be a secret of the user.
import { type Path, pathText } from './edits/edit.ts';
import type { Splice } from './edits/text.ts';
import { contentOf, follow, type Item, type Node } from './edits/tree.ts';
import { hashOf, type RecordedEdit } from './record.ts';

/** A value of this program: its path, and the hashes of all texts that it has written there. */
export type OwnValue = Pick<RecordedEdit, 'path' | 'hashes' | 'hasKey'>;

/** Hides every text that is not in `own`. Line breaks stay, so that the lines can be compared with those of the text. A value with a key of `isKnown` is shown: the caller masks that key. */
export function maskedText(text: string, root: Node | undefined, own: readonly OwnValue[], isKnown: (value: string) => boolean): string {
  if (!root) return between(text);
  const shown = ownNodes(root, own, isKnown);
  const names = new Set(own.flatMap(({ path }) => path.filter((step) => typeof step === 'string')));
  const pieces = [...piecesOf(text, root, shown, names, false)].sort((a, b) => a.start - b.start);
  let at = 0;
  let result = '';
  for (const { start, end, text: piece } of pieces) {
    result += between(text.slice(at, start)) + piece;
    at = end;
  }
  return result + between(text.slice(at));
}

function ownNodes(root: Node, own: readonly OwnValue[], isKnown: (value: string) => boolean): ReadonlySet<Node> {
  const nodes = new Set<Node>();
  const reachedBy = (path: Path): Node | undefined => {
    const { way, reached } = follow(root, path);
    return way.length === path.length ? reached : undefined;
  };
  for (const { path, hashes, hasKey } of own) {
    const value = reachedBy(path);
    const content = contentOf(value);
    if (value && hashes.includes(hashOf(content)) && (!hasKey || [content].flat().some((one) => isKnown(String(one))))) nodes.add(value);
    for (const [at, step] of path.entries()) {
      if (typeof step === 'string') continue;
      for (const { key, value: field } of reachedBy(path.slice(0, at + 1))?.items ?? []) if (key !== undefined && key in step) nodes.add(field);
    }
  }
  return nodes;
}

function* piecesOf(text: string, node: Node, shown: ReadonlySet<Node>, names: ReadonlySet<string>, isOwn: boolean): Generator<Splice> {
  const { kind, start, end, header, items } = node;
  if (header) yield { ...header, text: keyText(text.slice(header.start, header.end), names) };
  if (kind === 'scalar') {
    const source = text.slice(start, end);
    if (start < end) yield { start, end, text: isOwn || shown.has(node) || isHarmless(node) ? source : hidden(source) };
    return;
  }
  for (const item of items) {
    if (kind === 'map' && item.start >= 0) yield keyPiece(text, item, names);
    yield* piecesOf(text, item.value, shown, names, isOwn || shown.has(node));
  }
}

function keyPiece(text: string, { key, start, keyEnd }: Item, names: ReadonlySet<string>): Splice {
  const source = text.slice(start, keyEnd);
  return { start, end: keyEnd, text: key === undefined ? hidden(source) : keyText(source, names) };
}

function isHarmless({ scalar, trait }: Node): boolean {
  return trait === undefined && (scalar === null || ['number', 'bigint', 'boolean'].includes(typeof scalar));
}

/** A key, or the header of a TOML table. A name that does not look like one is data, such as a URL with a password. */
function keyText(source: string, names: ReadonlySet<string>): string {
  return source.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|[^"'[\]]+/g, (part) => {
    const name = part.replace(/^["'.\s]+|["'.\s]+$/g, '');
    return names.has(name) || isName(name) ? part : hidden(part);
  });
}

/** `agent.review.model`, for messages: keys of the user that may be data are hidden. */
export function shownPath(path: Path): string {
  return pathText(path.map((step) => (typeof step !== 'string' || isName(step) ? step : '…')));
}

/** Words of letters with at most three digits: `ANTHROPIC_MODEL`, `mcpServers`, `glm-5.3`. */
function isName(text: string): boolean {
  return text.split(/[-._$]+/).every((word) => /^(?:[A-Za-z]{0,24}\d{0,3})$/.test(word));
}

/** Text outside of keys and values: signs of the format are shown; comments, anchors and tags are not. */
function between(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*|[^\s{}[\],:=?-]+/g, hidden);
}

/** One sign for the text of each line. */
function hidden(text: string): string {
  return text.replace(/[^\s](?:[^\r\n]*[^\s])?/g, '…');
}
