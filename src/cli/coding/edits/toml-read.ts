// Reads TOML documents.
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { EditProblem } from './edit.ts';
import { moverBy, type Range, skipBlanks } from './text.ts';
import { type Item, moveItem, type Node, type Writable } from './tree.ts';

/** The root of a document. Throws an EditProblem if it is not valid TOML. */
export function readToml(text: string): Node {
  const root = newNode('map', 'block');
  const reader = new TomlReader(text);
  for (const element of parsed(text).body[0].body) {
    if (element.type === 'TOMLKeyValue') reader.add(root, element);
    else reader.addTable(root, element);
  }
  return root;
}

function parsed(text: string): AST.TOMLProgram {
  try {
    // Without the line end, the parser gives a `0` at the end of a text an empty range.
    return parseTOML(`${text}\n`, { tomlVersion: '1.1' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw new EditProblem('is not valid TOML');
    const reason = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    throw new EditProblem(`is not valid TOML at line ${error.lineNumber}, column ${error.column + 1}: ${reason}`);
  }
}

/** Reads again the text of one member of a table or an array. */
export function readMember(text: string, container: Node, { start, end }: Range): Item {
  const [open, close] = container.layout !== 'flow' ? ['', ''] : container.kind === 'map' ? ['x = {', '}'] : ['x = [', ']'];
  const root = readToml(open + text.slice(start, end) + close);
  const [item, ...others] = (open ? root.items[0]?.value : root)?.items ?? [];
  if (!item || others.length > 0) throw new EditProblem('has no single value');
  moveItem(item, moverBy(start - open.length));
  return item;
}

function newNode(kind: Node['kind'], layout: Node['layout']): Writable<Node> {
  return { kind, layout, start: -1, end: -1, items: [] };
}

class TomlReader {
  readonly #text: string;
  readonly #items = new Map<Node, Map<string, Item>>();

  constructor(text: string) {
    this.#text = text;
  }

  add(table: Node, { key, value, range }: AST.TOMLKeyValue): void {
    const names = namesOf(key);
    const last = names.pop() as string;
    let node = table;
    for (const name of names) node = this.#child(node, name, () => newNode('map', 'dotted')).value;
    this.#put(node, { key: last, start: range[0], keyEnd: key.range[1], sign: -1, value: this.#value(value) });
  }

  addTable(root: Node, { kind, key, range, body }: AST.TOMLTable): void {
    const names = namesOf(key);
    let node: Writable<Node> = root;
    for (const [at, name] of names.entries()) {
      const isList = kind === 'array' && at === names.length - 1;
      node = this.#child(node, name, () => (isList ? newNode('list', 'block') : newNode('map', 'implied'))).value;
      if (isList) node.items.push(withoutText(undefined, newNode('map', 'implied')));
      if (node.kind === 'list') node = node.items.at(-1)?.value ?? node;
    }
    node.layout = 'block';
    node.header = { start: range[0], end: skipBlanks(this.#text, key.range[1]) + (kind === 'array' ? 2 : 1) };
    for (const member of body) this.add(node, member);
  }

  #child(node: Node, key: string, make: () => Node): Item {
    const found = this.#items.get(node)?.get(key);
    return found ?? this.#put(node, withoutText(key, make()));
  }

  #put(node: Node, item: Item): Item {
    const known = this.#items.get(node) ?? new Map<string, Item>();
    this.#items.set(node, known.set(item.key as string, item));
    node.items.push(item);
    return item;
  }

  #value(value: AST.TOMLContentNode): Node {
    const [start, end] = value.range;
    if (value.type === 'TOMLValue') return { kind: 'scalar', layout: 'flow', start, end, scalar: scalarOf(value), items: [] };
    const node: Node = { kind: value.type === 'TOMLArray' ? 'list' : 'map', layout: 'flow', start, end, items: [] };
    if (value.type === 'TOMLInlineTable') for (const member of value.body) this.add(node, member);
    else
      for (const one of value.elements)
        node.items.push({ key: undefined, start: one.range[0], keyEnd: one.range[0], sign: -1, value: this.#value(one) });
    return node;
  }
}

/** An item that has no text of its own. */
function withoutText(key: string | undefined, value: Node): Item {
  return { key, start: -1, keyEnd: -1, sign: -1, value };
}

function namesOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}

/** Integers that a number cannot hold are read as bigint. */
function scalarOf(value: AST.TOMLValue): unknown {
  if (value.kind !== 'integer') return value.value;
  return Number.isSafeInteger(value.value) ? value.value : value.bigint;
}
