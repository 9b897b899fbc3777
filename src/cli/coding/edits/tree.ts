// The tree of a document: the values with their places in the text. All three formats have this form.
import { isFields } from '../../files/json.ts';
import { hasFields, type Identity, type Path, type Undo } from './edit.ts';
import type { Mover, Range } from './text.ts';

export interface Node extends Range {
  readonly kind: 'map' | 'list' | 'scalar';
  /**
   * How the members of a map or list are written: between brackets, or on lines of their own. The tables of TOML may also be written as the
   * first part of longer keys, or have no text of their own.
   */
  readonly layout: 'flow' | 'block' | 'dotted' | 'implied';
  /** Value of a scalar. */
  readonly scalar?: unknown;
  readonly items: Item[];
  /** Place of the header of a TOML table. */
  readonly header?: Range;
  /** A part of YAML that an edit cannot follow: `an anchor`. */
  readonly trait?: string;
}

/** A member of a map, from its key on, or an item of a list. */
export interface Item {
  /** Undefined for an item of a list, and for a key that is not text. */
  readonly key: string | undefined;
  /** Start of the key, or of the dash or value of an item. Negative if the item has no text of its own. */
  readonly start: number;
  readonly keyEnd: number;
  /** Offset after the colon or the equals sign; negative if there is none. */
  readonly sign: number;
  readonly value: Node;
  readonly trait?: string;
}

/** An item with the container that it is in. */
export interface Located {
  readonly container: Node;
  readonly item: Item;
}

export interface Tree {
  text: string;
  /** Undefined for a document without a value. */
  root: Node | undefined;
}

export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The end of a node without the comments after it. Containers on lines end with their last item. */
export function endOf(node: Node): number {
  const last = node.layout === 'block' ? node.items.at(-1) : undefined;
  return last ? endOf(last.value) : node.end;
}

export function rangeOf({ start, value }: Item): Range {
  return { start, end: endOf(value) };
}

/** The items that have text of their own in the brackets or lines of a container. */
export function membersOf(container: Node): readonly Item[] {
  if (container.kind !== 'map' || container.items.every((item) => item.start >= 0)) return container.items;
  const members = container.items.flatMap((item) => (item.start >= 0 ? [item] : item.value.layout === 'dotted' ? membersOf(item.value) : []));
  return members.sort((a, b) => a.start - b.start);
}

/** The value of a node. If a map repeats a key, the last value counts. */
export function contentOf(node: Node | undefined): unknown {
  if (!node) return {};
  if (node.kind === 'scalar') return node.scalar;
  if (node.kind === 'list') return node.items.map((item) => contentOf(item.value));
  const content: Record<string, unknown> = {};
  for (const [at, { key = `?${at}`, value }] of node.items.entries()) {
    // Assignment would change the prototype.
    if (key === '__proto__') Object.defineProperty(content, key, { value: contentOf(value), enumerable: true, writable: true, configurable: true });
    else content[key] = contentOf(value);
  }
  return content;
}

/** The places along a path, as far as it leads, and the node that is reached. */
export function follow(root: Node, path: Path): { readonly way: readonly Located[]; readonly reached: Node } {
  const way: Located[] = [];
  let reached = root;
  for (const step of path) {
    const container: Node = reached;
    const item: Item | undefined =
      typeof step === 'string'
        ? container.items.findLast(({ key }) => key === step)
        : container.items.find(({ key, value }) => key === undefined && holds(value, step));
    if (container.kind !== (typeof step === 'string' ? 'map' : 'list') || !item) break;
    way.push({ container, item });
    reached = item.value;
  }
  return { way, reached };
}

function holds(node: Node, fields: Identity): boolean {
  if (node.kind !== 'map') return false;
  return Object.entries(fields).every(([key, value]) => {
    const field = node.items.findLast((item) => item.key === key)?.value;
    return field?.kind === 'scalar' && field.scalar === value;
  });
}

/** The value at a path. It may be inside of a value whose parts have no places. */
export function find(root: Node | undefined, path: Path): unknown {
  if (!root) return path.length === 0 ? {} : undefined;
  const { way, reached } = follow(root, path);
  if (way.length < path.length && reached.kind !== 'scalar') return undefined;
  let value = contentOf(reached);
  for (const step of path.slice(way.length)) {
    if (typeof step !== 'string') value = Array.isArray(value) ? value.find((item) => hasFields(item, step)) : undefined;
    else value = isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Moves the places of a node and of all nodes in it. Changes the tree in place, because copying a large tree takes longer than reading it. */
export function moveNode(node: Writable<Node>, mover: Mover): void {
  const isPoint = node.start === node.end;
  node.start = mover.moved(node.start, isPoint);
  node.end = mover.moved(node.end, true);
  if (node.header) node.header = { start: mover.moved(node.header.start, false), end: mover.moved(node.header.end, true) };
  for (const item of node.items) moveItem(item, mover);
}

export function moveItem(item: Writable<Item>, mover: Mover): void {
  if (item.value.layout === 'flow' && item.value.end < mover.from) return;
  if (item.start >= 0) {
    item.start = mover.moved(item.start, false);
    item.keyEnd = mover.moved(item.keyEnd, true);
    if (item.sign >= 0) item.sign = mover.moved(item.sign, true);
  }
  moveNode(item.value, mover);
}

/** Puts an item in the place of another one, or at the end. */
export function putItem({ items }: Node, item: Item, old?: Item): void {
  if (old) items[items.indexOf(old)] = item;
  else items.push(item);
}

export function dropItem({ container, item }: Located): void {
  container.items.splice(container.items.indexOf(item), 1);
}

/**
 * Index of the outermost item to remove with a leaf; -1 if the document becomes blank. A container that the edit made is removed if it has only
 * the leaf and the fields that identify it.
 */
export function outermost(way: readonly Located[], { path, made = 0 }: Undo, isKept: (place: Located) => boolean = () => false): number {
  let index = path.length - 1;
  for (let left = made; left > 0 && index >= 0; left--, index--) {
    const place = way[index] as Located;
    const step = path[index - 1];
    const fields: Identity = typeof step === 'object' ? step : {};
    const isIdentity = ({ key = '', value }: Item): boolean => Object.hasOwn(fields, key) && contentOf(value) === fields[key];
    if (!place.container.items.every((item) => item === place.item || isIdentity(item)) || isKept(place)) break;
  }
  return index;
}
