// The tree of a JSON text after a change inside of one container: only the container is read again.
import type { Item, Node, Place, Tree } from './json-tree.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Gives a container the members of its new text. It changes the tree: a copy of a large one takes longer than reading its text. */
export function graft(tree: Writable<Tree>, container: Writable<Node>, own: Required<Tree>, growth: number): void {
  const { end } = container;
  const [before, after] = [tree.comments.filter((one) => one.end <= container.start), tree.comments.filter((one) => one.start >= end)];
  if (tree.root) moveNode(tree.root, end, growth);
  for (const comment of after) movePlace(comment, end, growth);
  moveNode(own.root, 0, container.start);
  for (const comment of own.comments) movePlace(comment, 0, container.start);
  container.items = own.root.items;
  tree.comments = [...before, ...own.comments, ...after];
}

/** Moves all offsets from a place on. */
function moveNode(node: Node, from: number, by: number): void {
  if (node.end < from) return;
  movePlace(node, from, by);
  for (const item of node.items) moveItem(item, from, by);
}

function moveItem(item: Writable<Item>, from: number, by: number): void {
  moveNode(item.value, from, by);
  movePlace(item, from, by);
  if (item.keyEnd >= from) item.keyEnd += by;
  if (item.comma !== undefined && item.comma >= from) item.comma += by;
}

function movePlace(place: Writable<Place>, from: number, by: number): void {
  if (place.start >= from) place.start += by;
  if (place.end >= from) place.end += by;
}
