// Edits of YAML documents that are taken back.
import { isDeepStrictEqual } from 'node:util';
import { type DocumentFormat, type TreeEdit, tried } from './draft.ts';
import { EditProblem, type Undo } from './edit.ts';
import { hashComment, removeMember } from './flow.ts';
import { beforeBreak, columnAt, lineEnd, lineStart, nextLine, type Splice, spliced } from './text.ts';
import { contentOf, dropItem, endOf, type Located, type Node, outermost, putItem, rangeOf, type Tree } from './tree.ts';
import { readItem } from './yaml-read.ts';
import { isEmpty, itemChange, readWhole } from './yaml-set.ts';

export const undo: DocumentFormat['undo'] = function* ({ text }, way, record) {
  if (record.before !== undefined) return yield restored(text, way.at(-1) as Located, record.before, record);
  const index = Math.max(0, outermost(way, record));
  const isWhole = way.length - 1 - index === (record.made ?? 0);
  const place = way[index] as Located;
  if (record.blank !== undefined && isWhole) return yield emptied(text, place, record.blank, record);
  yield removed(text, place, way[index - 1], isWhole ? record : undefined);
};

/** Removes an item. The record is absent if the edit has not written all of it. */
function removed(text: string, place: Located, owner: Located | undefined, record: Undo | undefined): TreeEdit {
  const { container, item } = place;
  const graft = () => dropItem(place);
  const { start, end } = rangeOf(item);
  if (container.layout === 'flow') return { splices: removeMember(text, container, { start, end }, hashComment, record), graft };
  const index = container.items.indexOf(item);
  const isOnly = container.items.length === 1;
  if (isOnly && owner) {
    const empty = container.kind === 'map' ? '{}' : '[]';
    return owner.container.kind === 'map' ? emptied(text, owner, ` ${empty}`) : itemChange(owner, [{ start, end, text: empty }]);
  }
  const isFirstOnLine = /^\s*$/.test(text.slice(lineStart(text, start), start));
  if (isFirstOnLine) {
    const splices = [cutLines(text, start, end, isOpen(text, container.items[index - 1]?.value, end))];
    return { splices, graft: isOnly ? readWhole : graft };
  }
  // The next item moves up to the place after the dash, unless there are comments before it.
  const next = container.items[index + 1]?.start ?? end;
  return { splices: [{ start, end: /^\s*$/.test(text.slice(end, next)) ? next : lineEnd(text, end), text: '' }], graft };
}

/** Removes the value of a key, with its lines, and writes `rest` after the key. */
function emptied(text: string, { container, item }: Located, rest: string, { lead }: Pick<Undo, 'lead'> = {}): TreeEdit {
  const to = endOf(item.value);
  const colon = item.sign < 0 ? to : item.sign;
  const from = lead === ':' && container.layout === 'flow' ? item.keyEnd : colon;
  const isBlock = item.value.layout === 'block';
  const splices = isBlock
    ? [{ start: from, end: from, text: rest }, cutLines(text, item.value.start, to, false)]
    : [{ start: from, end: to, text: rest }];
  const graft = (tree: Tree) => putItem(container, readItem(tree.text, container, { start: item.start, end: from + rest.length }), item);
  return { splices, graft };
}

function cutLines(text: string, start: number, end: number, isToBlank: boolean): Splice {
  const first = lineStart(text, start);
  const last = isToBlank ? blankEnd(text, end) : lineEnd(text, end);
  return first > 0 ? { start: beforeBreak(text, first), end: last, text: '' } : { start: 0, end: nextLine(text, last), text: '' };
}

/** True if the blank lines after an offset would become a part of a block scalar that ends right before them. */
function isOpen(text: string, node: Node | undefined, end: number): boolean {
  if (!node) return false;
  if (node.layout === 'block') return isOpen(text, node.items.at(-1)?.value, end);
  const [, head, indent = ''] = /^([|>][-+\d]*).*\r?\n(?:[ \t]*\r?\n)*( *)/.exec(text.slice(node.start, node.end)) ?? [];
  if (!head) return false;
  const blanks = text.slice(lineEnd(text, end), blankEnd(text, end)).split(/\r?\n/);
  return head.includes('+') || blanks.some((line) => line.length > indent.length);
}

/** The end of a line and of the blank lines after it, before the last line break. */
function blankEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  const next = lineStart(text, end + (/\S/.exec(text.slice(end))?.index ?? text.length - end));
  return next <= end ? end : beforeBreak(text, next);
}

/**
 * Tries the earlier value unchanged, and indented for a key that was moved. Then tries both without the comment and the blank lines that follow,
 * which a block scalar would include. Prefers the text whose value is that of the earlier text alone. If there is none, because the value depends
 * on its place, takes the first text that can be read.
 */
function restored(text: string, place: Located, before: string, { lead }: Undo): TreeEdit {
  const { container, item } = place;
  const { sign, value } = item;
  const end = endOf(value);
  const isFlow = container.layout === 'flow';
  const hasOwnSpace = before === '' || /^\s/.test(before);
  const fromColon = hasOwnSpace || isEmpty(value) || value.layout === 'block';
  const spliceOf = (earlier: string, isToBlank: boolean): Splice => {
    const to = isToBlank ? blankEnd(text, end) : end;
    if (lead === ':' && isFlow) return { start: item.keyEnd, end: to, text: '' };
    if (sign < 0) return { start: to, end: to, text: `: ${earlier}` };
    if (!fromColon) return { start: value.start, end: to, text: earlier };
    return { start: sign, end: to, text: hasOwnSpace ? earlier : ` ${earlier}` };
  };
  const deeper = indented(before, columnAt(text, item.start) + 2);
  const candidates = (isFlow ? [false] : [false, true]).flatMap((isToBlank) => [spliceOf(before, isToBlank), spliceOf(deeper, isToBlank)]);
  const source = `k:${hasOwnSpace ? before : ` ${before}`}\n`;
  const alone = tried(() => readItem(source, { ...container, layout: 'block' }, { start: 0, end: source.length }));
  let readable: Splice | undefined;
  for (const splice of candidates) {
    const result = spliced(text, [splice]);
    const end = splice.start + splice.text.length;
    const read = tried(() => readItem(result, container, { start: item.start, end: isFlow ? end : blankEnd(result, end) }));
    if (!read || read.key !== item.key) continue;
    if (alone && isDeepStrictEqual(contentOf(read.value), contentOf(alone.value))) return itemChange(place, [splice]);
    readable ??= splice;
  }
  if (!readable) throw new EditProblem('cannot get its earlier value back');
  return itemChange(place, [readable]);
}

/** A text whose lines after the first are moved so that the outermost of them is at a column. */
function indented(text: string, column: number): string {
  const [first = '', ...lines] = text.split('\n');
  const now = lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, line.search(/[^ ]/))), Number.POSITIVE_INFINITY);
  return [first, ...lines.map((line) => (line.replace('\r', '').length <= now ? line : ' '.repeat(column) + line.slice(now)))].join('\n');
}
