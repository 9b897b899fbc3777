// Edits of TOML documents that are taken back.
import { isDeepStrictEqual } from 'node:util';
import { type Changes, type TreeEdit, tried } from './draft.ts';
import type { Undo } from './edit.ts';
import { hashComment, removeMember } from './flow.ts';
import { type Range, type Splice, spliced } from './text.ts';
import { endWithBlankLine, exactLines, hasOthers, isInside, placesOf, removeLines, survives } from './toml-lines.ts';
import { headerText } from './toml-print.ts';
import { readToml } from './toml-read.ts';
import { baseOf, inserted, replaced } from './toml-set.ts';
import { contentOf, dropItem, follow, type Located, type Node, outermost, rangeOf, type Tree, type Writable } from './tree.ts';

export function* undo(tree: Tree, way: readonly Located[], record: Undo): Changes<void> {
  const last = way.at(-1) as Located;
  // Another program has replaced our value by a table.
  if (last.item.start < 0) return;
  if (record.before === undefined) return yield* removed(tree, way, record);
  yield tableBack(tree, last, record) ?? replaced(last, record.before);
}

/** Puts the lines of a table back to their places. Undefined if another program has changed the text around them. */
function tableBack({ text }: Tree, place: Located, record: Undo): TreeEdit | undefined {
  const { before = '', lines } = record;
  const cut = lines && exactLines(text, [], rangeOf(place.item), record);
  if (!lines || !cut) return undefined;
  const rest = spliced(text, [{ ...cut, text: '' }]);
  const result = spliced(
    rest,
    lines.map((line) => ({ start: line.at, end: line.at, text: line.text })),
  );
  const simple = spliced(text, replaced(place, before).splices);
  const roots = [result, simple].map((one) => tried(() => readToml(one)));
  if (!roots[0] || !isDeepStrictEqual(contentOf(roots[0]), contentOf(roots[1]))) return undefined;
  return {
    splices: [{ start: 0, end: text.length, text: result }],
    graft: (tree) => {
      tree.root = roots[0];
    },
  };
}

/** Removes a leaf, and the containers that are removed with it. */
function* removed(tree: Tree, way: readonly Located[], record: Undo): Changes<void> {
  const { text } = tree;
  const { path, made = 0 } = record;
  const index = Math.max(0, outermost(way, record));
  const isWhole = path.length - 1 - index === Math.min(made, path.length - 1);
  const target = way[index] as Located;
  const written = way.findIndex(({ item }, at) => at >= index && item.start >= 0);
  const member = rangeOf((way[written] as Located).item);
  const { base } = baseOf(tree.root as Node, way.slice(0, written), path);
  const graft = () => drop(way.slice(0, index + 1));
  if (base.layout === 'flow') {
    return yield { splices: removeMember(text, base, member, hashComment, isWhole ? record : undefined), graft };
  }
  const lines = exactLines(text, way, member, record);
  // A header from another program may be outside of the lines.
  const exact = lines && placesOf(target.item).every((place) => isInside(place, lines)) ? lines : undefined;
  const isCut = ({ header }: Node): boolean => exact !== undefined && header !== undefined && isInside(header, exact);
  if (exact && (isCut(target.container) ? hasOthers(target) : survives(target))) {
    const headless = way.map(({ item }) => item.value as Writable<Node>).filter(isCut);
    const withoutHeaders = () => {
      for (const node of headless) {
        delete node.header;
        node.layout = 'implied';
      }
      graft();
    };
    return yield { splices: [{ start: exact.start, end: endWithBlankLine(text, exact.start, exact.end), text: '' }], graft: withoutHeaders };
  }
  const header = way.slice(index).find(({ item }) => item.value.header)?.item.value.header;
  const kept = path.slice(0, index);
  if (survives(target) || (target.container.kind === 'map' && !header)) return yield { splices: removeLines(text, placesOf(target.item)), graft };
  // The earlier container may be written only as a part of this header. Then a table gets its own header, and an empty list gets a key.
  if (target.container.kind === 'map' && header) return yield renamed(text, target, header, headerText(kept));
  yield { splices: removeLines(text, placesOf(target.item)), graft };
  // The containers of the list may be removed with it, so the way is followed again.
  yield* inserted(tree, follow(tree.root as Node, kept).way, kept, []);
}

/** Changes the header of a table to that of its container. The table must have no other members. */
function renamed(text: string, target: Located, header: Range, name: string): TreeEdit {
  const container: Writable<Node> = target.container;
  const cuts = removeLines(
    text,
    placesOf(target.item).filter(({ start }) => start !== header.start),
  );
  const splice: Splice = { ...header, text: name };
  const graft = () => {
    dropItem(target);
    Object.assign(container, { header: { start: header.start, end: header.start + name.length }, layout: 'block' });
  };
  return { splices: [splice, ...cuts].sort((a, b) => a.start - b.start), graft };
}

/** Drops the last item of a way, and the containers that have no text of their own without it. */
function drop(way: readonly Located[]): void {
  const place = way.at(-1) as Located;
  const isGone = way.length > 1 && !survives(place);
  dropItem(place);
  if (isGone) drop(way.slice(0, -1));
}
