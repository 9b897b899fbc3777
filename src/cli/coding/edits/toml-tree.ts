// The tables of a TOML document by their paths: where each one is written, and in which of TOML's forms.
import { hasFields, type Path } from './edit.ts';
import { type Block, type Member, scan, type Value } from './toml-scan.ts';

export interface Node {
  readonly kind: 'table' | 'list' | 'leaf';
  readonly children: Map<string, Node>;
  readonly items: Node[];
  /** Block of a table that has a header. */
  block?: Block;
  /** Value of a leaf, an array or an inline table, and the member that holds it. */
  readonly value?: Value;
  readonly member?: Member;
  /** Place of a table that is defined by dotted keys. */
  dotted?: { readonly group: Member['group']; readonly keys: readonly string[]; last: Member };
}

export interface Tree {
  readonly root: Node;
  readonly blocks: readonly Block[];
  /** Tables and lists on the way to the table of a block, and that table. */
  readonly owners: ReadonlyMap<Block, readonly Node[]>;
}

export function readTree(text: string): Tree {
  const blocks = scan(text);
  const root: Node = { kind: 'table', children: new Map(), items: [] };
  const owners = new Map<Block, readonly Node[]>();
  for (const block of blocks) {
    const nodes = block.header ? headerNodes(root, block) : [root];
    const node = nodes.at(-1) as Node;
    node.block = block;
    owners.set(block, nodes);
    addMembers(node, block.members);
  }
  return { root, blocks, owners };
}

function headerNodes(root: Node, { header }: Block): Node[] {
  if (!header) return [root];
  const { keys, isItem } = header;
  const nodes: Node[] = [];
  let node = root;
  for (const [at, key] of keys.entries()) {
    const isNewItem = isItem && at === keys.length - 1;
    const child = childOf(node, key, () => newNode(isNewItem ? 'list' : 'table'));
    nodes.push(child);
    node = child;
    if (child.kind !== 'list') continue;
    if (isNewItem) child.items.push(newNode('table'));
    node = child.items.at(-1) as Node;
    nodes.push(node);
  }
  return nodes;
}

function addMembers(table: Node, members: readonly Member[]): void {
  for (const member of members) {
    let node = table;
    for (const [at, key] of member.keys.slice(0, -1).entries()) {
      node = childOf(node, key, () => ({ ...newNode('table'), dotted: { group: member.group, keys: member.keys.slice(0, at + 1), last: member } }));
      if (node.dotted) node.dotted.last = member;
    }
    node.children.set(member.keys.at(-1) as string, valueNode(member));
  }
}

function valueNode(member: Member): Node {
  const { value } = member;
  const node: Node = { ...newNode(value.kind), value, member };
  if (value.kind === 'table') addMembers(node, value.members);
  if (value.kind === 'list') node.items.push(...value.members.map(valueNode));
  return node;
}

function newNode(kind: Node['kind']): Node {
  return { kind, children: new Map(), items: [] };
}

function childOf(node: Node, key: string, make: () => Node): Node {
  const found = node.children.get(key);
  if (found) return found;
  const made = make();
  node.children.set(key, made);
  return made;
}

/**
 * The nodes from the root along a path, as far as they exist. `isBlocked` if the step after the last of them does not fit: a key of a list or
 * a scalar, an item of something else.
 */
export function walk(root: Node, document: unknown, path: Path): { readonly nodes: readonly Node[]; readonly isBlocked: boolean } {
  const nodes = [root];
  let value = document;
  for (const step of path) {
    const node = nodes.at(-1) as Node;
    if (node.kind !== (typeof step === 'string' ? 'table' : 'list')) return { nodes, isBlocked: true };
    let child: Node | undefined;
    if (typeof step === 'string') {
      child = node.children.get(step);
      value = (value as Readonly<Record<string, unknown>>)[step];
    } else {
      const index = (value as readonly unknown[]).findIndex((item) => hasFields(item, step));
      child = node.items[index];
      value = (value as readonly unknown[])[index];
      if (!child && node.items.some((item) => item.kind !== 'table')) return { nodes, isBlocked: true };
    }
    if (!child) break;
    nodes.push(child);
  }
  return { nodes, isBlocked: false };
}
