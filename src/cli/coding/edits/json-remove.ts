// The places that go when an inserted member of a JSON document is taken back.
import type { Step, Undo } from './edit.ts';
import { contentOf, type Item, type Node, type Place, type Tree } from './json-tree.ts';

/** A member to remove from its container. Both are absent if the whole document goes. */
export interface Removal {
  readonly container?: Node;
  readonly item?: Item;
  /** True if it is all that the edit inserted, so that the recorded text is around it. */
  readonly isWhole: boolean;
}

/** The member that goes: the leaf, or the highest container that the edit made and that has only this leaf. */
export function removalOf(tree: Tree, root: Node, items: readonly Item[], { path, made = 0 }: Undo): Removal {
  const nodes = [root, ...items.map((item) => item.value)];
  let level = path.length - 1;
  let left = made;
  while (left > 0 && isOnly(tree, nodes[level], items[level], path[level - 1])) {
    level--;
    left--;
  }
  const [container, item] = [nodes[level], items[level]];
  return container && item ? { container, item, isWhole: left === 0 } : { isWhole: left === 0 };
}

/** True if a container has only an item and the fields that identify the container. A comment counts as content. */
function isOnly(tree: Tree, container: Node | undefined, item: Item | undefined, step: Step | undefined): boolean {
  if (!container || !item) return false;
  const fields = typeof step === 'object' ? step : {};
  const isIdentity = ({ key = '', value }: Item): boolean => Object.hasOwn(fields, key) && contentOf(value) === fields[key];
  return container.items.every((other) => other === item || isIdentity(other)) && !hasComments(tree, container, item);
}

function hasComments(tree: Tree, container: Node, item: Item): boolean {
  return tree.comments.some((comment) => isIn(comment, container) && !isIn(comment, item));
}

function isIn(place: Place, outer: Place): boolean {
  return place.start >= outer.start && place.end <= outer.end;
}

/** The member with the text that the edit added around it. Undefined if other text is around it now. */
export function exactCuts(text: string, root: Node, { container, item, isWhole }: Removal, undo: Undo): readonly Place[] | undefined {
  if (!isWhole) return undefined;
  const { lead = '', trail = '' } = undo;
  if (!container || !item) return widened(text, root, lead, trail);
  const hadBefore = lead.startsWith(',');
  const space = trail.replace(/^,/, '');
  const index = container.items.indexOf(item);
  if ((hadBefore && index === 0) || (space && container.items.length > 1)) return undefined;
  if (item.comma !== undefined && item.comma !== item.end) return undefined;
  const end = item.comma === undefined ? item.end : item.comma + 1;
  const cuts = widened(text, { start: item.start, end }, hadBefore ? lead.slice(1) : lead, space);
  const before = item.comma === undefined ? container.items[index - 1]?.comma : undefined;
  // The edit writes its comma directly after a value or a comment.
  if (before !== undefined && isSpace(text[before - 1])) return undefined;
  return cuts && before !== undefined ? [{ start: before, end: before + 1 }, ...cuts] : cuts;
}

/** A place with the recorded text around it. Undefined if other white space is there, or a comment that would come to the line before. */
function widened(text: string, place: Place, lead: string, trail: string): readonly Place[] | undefined {
  const start = place.start - lead.length;
  const end = place.end + trail.length;
  const isSame = text.startsWith(lead, start) && text.startsWith(trail, place.end) && text[skipBlanks(text, end)] !== '/';
  // Blanks before a line end that the edit wrote are older than the edit; all other white space there is a later change.
  const isAll = /[\r\n]/.test(lead) ? text[start - 1] !== '\r' : !isSpace(text[start - 1]);
  return isSame && isAll ? [{ start, end }] : undefined;
}

/** The member with its comma, and with its line if it is alone there. Comments stay. */
export function tidyCuts(text: string, tree: Tree, root: Node, { container, item }: Removal): readonly Place[] {
  if (!container || !item) return [tree.comments.length === 0 ? { start: 0, end: text.length } : tidied(text, root.start, root.end)];
  if (container.items.length === 1 && !hasComments(tree, container, item)) return [{ start: container.start + 1, end: container.end - 1 }];
  const comma = item.comma ?? container.items[container.items.indexOf(item) - 1]?.comma;
  if (comma === undefined) return [tidied(text, item.start, item.end)];
  const [start, end] = [Math.min(item.start, comma), Math.max(item.end, comma + 1)];
  const between = comma < item.start ? text.slice(comma + 1, item.start) : text.slice(item.end, comma);
  if (/^[ \t]*$/.test(between)) return [tidied(text, start, end)];
  const cuts = [tidied(text, item.start, item.end), tidied(text, comma, comma + 1)];
  return comma < item.start ? cuts.reverse() : cuts;
}

/** A place with the blanks that would be left over. */
function tidied(text: string, start: number, end: number): Place {
  let first = start;
  while (isBlank(text[first - 1])) first--;
  const next = skipBlanks(text, end);
  const endsLine = isLineEnd(text[next]);
  if (endsLine && isLineEnd(text[first - 1])) return { start: Math.max(0, first - (text.startsWith('\r\n', first - 2) ? 2 : 1)), end: next };
  if (endsLine || text[next] === '}' || text[next] === ']') return { start: isLineEnd(text[first - 1]) ? start : first, end };
  return /[\s{[]/.test(text[start - 1] ?? ' ') ? { start, end: next } : { start, end };
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text[at])) at++;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isLineEnd(character: string | undefined): boolean {
  return character === undefined || character === '\n' || character === '\r';
}
