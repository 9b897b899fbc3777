// JSON and JSONC documents.
import { type Around, type Changes, type DocumentFormat, TextDraft, type TreeEdit } from './draft.ts';
import { EditProblem, type Leaf, noContainer, type Open, type Path, pathText, type Undo } from './edit.ts';
import { type Brackets, commentsIn, hasOtherComments, insertMember, removeMember, startsLine, tidied, widened } from './flow.ts';
import { colonOf, commaFor, container as containerText, type JsonStyle, leafText, member as memberText } from './json-print.ts';
import { readJson } from './json-read.ts';
import { breakOf, hasBreak, indentAt, moverBy, type Range, where } from './text.ts';
import { dropItem, type Item, type Located, moveItem, type Node, outermost, putItem, rangeOf } from './tree.ts';

/** JSON as `JSON.parse` reads it. */
export const openJson: Open = (text) => new TextDraft(text, formatOf({ isStrict: true }));

/** JSON with comments and trailing commas, which stay. */
export const openJsonc: Open = (text) => new TextDraft(text, formatOf({ isStrict: false }));

const comment = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y;

function formatOf({ isStrict }: { readonly isStrict: boolean }): DocumentFormat {
  const read = (text: string): Node | undefined => readJson(text, isStrict);

  /** Reads a range again, which contains exactly one member. */
  const readMember = (text: string, { kind }: Node, { start, end }: Range): Item => {
    const source = text.slice(start, end);
    const [item, ...others] = read(kind === 'map' ? `{${source}}` : `[${source}]`)?.items ?? [];
    if (!item || others.length > 0) throw new EditProblem('has no single value');
    moveItem(item, moverBy(start - 1));
    return item;
  };

  const replaced = ({ container, item }: Located, source: string): TreeEdit => {
    const { start, end } = item.value;
    return {
      splices: [{ start, end, text: source }],
      graft: ({ text }) => putItem(container, readMember(text, container, { start: item.start, end: start + source.length }), item),
    };
  };

  return {
    read,
    *set({ text, root }, way, path, value) {
      if (!root) return yield* firstValue(text, path, value, read);
      const place = way.at(-1);
      if (place && way.length === path.length) {
        const { start, end } = place.item.value;
        const source = leafText(value, commaFor(colonOf(text, place.item) ?? ' '));
        yield replaced(place, source);
        return { before: text.slice(start, end) };
      }
      const container = place?.item.value ?? root;
      const rest = path.slice(way.length);
      if (place && container.kind === 'scalar' && container.scalar === null) {
        const blank = text.slice(container.start, container.end);
        yield replaced(place, filled(text, root, way, rest, value));
        return { made: rest.length, blank };
      }
      const kind = typeof rest[0] === 'string' ? 'map' : 'list';
      if (container.kind !== kind) {
        const name = way.length === 0 ? 'its root' : pathText(path.slice(0, way.length));
        throw noContainer(
          `has no ${kind === 'map' ? 'object' : 'array'} at ${name} (${where(text, container.start)})`,
          kind === 'map' ? '`{}`' : '`[]`',
        );
      }
      const { splices, place: member, undo } = insertion(text, root, way, rest, value);
      yield { splices, graft: (changed) => putItem(container, readMember(changed.text, container, member)) };
      return { ...(rest.length > 1 && { made: rest.length - 1 }), ...undo };
    },
    *undo({ text, root }, way, undo) {
      const last = way.at(-1);
      if (!root || !last) return;
      if (undo.before !== undefined) return yield replaced(last, undo.before);
      const index = outermost(way, undo, ({ container, item }) => hasOtherComments(text, container, rangeOf(item), comment));
      const isWhole = undo.path.length - 1 - index === (undo.made ?? 0);
      const place = way[index];
      if (place && isWhole && undo.blank !== undefined) return yield replaced(place, undo.blank);
      if (!place) return yield rootRemoved(text, root, isWhole ? undo : undefined);
      const { container, item } = place;
      yield { splices: removeMember(text, container, rangeOf(item), comment, isWhole ? undo : undefined), graft: () => dropItem(place) };
    },
  };
}

/** The first value of a document comes after its comments. */
function* firstValue(text: string, path: Path, value: Leaf, read: DocumentFormat['read']): Changes<Around> {
  const lineBreak = breakOf(text);
  const last = commentsIn(text, 0, text.length, comment).at(-1);
  const at = last?.end ?? 0;
  const lead = last ? lineBreak : '';
  const trail = hasBreak(text.slice(at)) ? '' : lineBreak;
  const body = containerText(path, value, { lineBreak, unit: '  ', indent: '', colon: ': ', comma: ', ', pad: '' });
  yield {
    splices: [{ start: at, end: at, text: lead + body + trail }],
    graft: (tree) => {
      tree.root = read(tree.text);
    },
  };
  return { made: path.length, ...(lead && { lead }), ...(trail && { trail }) };
}

function rootRemoved(text: string, root: Node, undo: Undo | undefined): TreeEdit {
  const exact = undo && widened(text, root, undo.lead ?? '', undo.trail ?? '', comment);
  const hasComments = commentsIn(text, 0, root.start, comment).length > 0 || commentsIn(text, root.end, text.length, comment).length > 0;
  const cut = exact ?? (hasComments ? tidied(text, root.start, root.end) : { start: 0, end: text.length });
  return {
    splices: [{ ...cut, text: '' }],
    graft: (tree) => {
      tree.root = undefined;
    },
  };
}

/** The container that takes the place of a null, in the style of the members around it. */
function filled(text: string, root: Node, way: readonly Located[], rest: Path, value: Leaf): string {
  const { container, item } = way.at(-1) as Located;
  const isTall = startsLine(text, container, container.items.indexOf(item), comment);
  const style = styleOf(text, root, way.slice(0, -1));
  return containerText(rest, value, isTall ? { ...style, indent: indentAt(text, item.start) } : style);
}

/** A new last member of the container to which the way leads, in the style of its neighbors. */
function insertion(text: string, root: Node, way: readonly Located[], rest: Path, value: Leaf): ReturnType<typeof insertMember> {
  const container = way.at(-1)?.item.value ?? root;
  const style = styleOf(text, root, way);
  const owner = way.at(-1);
  const isTall = !owner || startsLine(text, owner.container, owner.container.items.indexOf(owner.item), comment);
  const brackets: Brackets = { comment, unit: style.unit, gap: style.comma.slice(1), pad: '', isTall };
  return insertMember(text, container, brackets, (indent) => memberText(rest, value, indent === undefined ? style : { ...style, indent }));
}

function styleOf(text: string, root: Node, way: readonly Located[]): JsonStyle {
  const container = way.at(-1)?.item.value ?? root;
  const colon = colonOf(text, container.items.at(-1)) ?? colonOf(text, root.items[0]) ?? ': ';
  return {
    lineBreak: breakOf(text),
    unit: unitOf(text, [root, ...way.map(({ item }) => item.value)]),
    colon,
    comma: commaFor(colon),
    pad: text[container.start + 1] === ' ' ? ' ' : '',
  };
}

/** Indentation of one level: the first difference between a container on the way and its first member. */
function unitOf(text: string, nodes: readonly Node[]): string {
  for (const node of nodes) {
    const first = node.items[0];
    if (!first || !startsLine(text, node, 0, comment)) continue;
    const outer = indentAt(text, node.start);
    const inner = indentAt(text, first.start);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return '  ';
}
