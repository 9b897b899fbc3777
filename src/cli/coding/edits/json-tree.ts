// The text of a JSON or JSONC document as a tree of places.
import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { EditProblem, hasFields, type Path } from './edit.ts';

/** Deeper documents are refused: the parser calls itself once a level. */
const maxDepth = 500;

export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A member of an object, from its key on, or an item of an array. */
export interface Item extends Place {
  readonly key: string | undefined;
  readonly keyEnd: number;
  readonly value: Node;
  /** Offset of the comma behind it. */
  readonly comma: number | undefined;
}

export interface Node extends Place {
  readonly kind: 'object' | 'array' | 'scalar';
  /** Value of a scalar. */
  readonly scalar: unknown;
  readonly items: readonly Item[];
}

export interface Tree {
  /** Absent in a document without a value. */
  readonly root?: Node;
  /** In order of their places. */
  readonly comments: readonly Place[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
type Container = Omit<Writable<Node>, 'items'> & { items: Writable<Item>[] };

const none: readonly Item[] = [];

/** Reads a document. Throws an EditProblem if it is no JSON; with `isStrict` also if it has comments or trailing commas. */
export function read(text: string, isStrict: boolean): Tree {
  const comments: Place[] = [];
  const open: Container[] = [];
  let root: Node | undefined;
  let pending = { key: '', start: 0, keyEnd: 0 };

  const add = (value: Node): void => {
    const parent = open.at(-1);
    if (!parent) root = value;
    else if (parent.kind === 'array')
      parent.items.push({ key: undefined, start: value.start, keyEnd: value.start, value, end: value.end, comma: undefined });
    else parent.items.push({ key: pending.key, start: pending.start, keyEnd: pending.keyEnd, value, end: value.end, comma: undefined });
  };
  const begin = (kind: 'object' | 'array', start: number): void => {
    if (open.length === maxDepth) throw new EditProblem(`is nested deeper than ${maxDepth} levels at ${where(text, start)}`);
    const container: Container = { kind, start, end: start, scalar: undefined, items: [] };
    add(container);
    open.push(container);
  };
  const finish = (at: number): void => {
    const container = open.pop();
    const comma = container?.items.at(-1)?.comma;
    if (isStrict && comma !== undefined) throw foreign('a trailing comma', text, comma);
    if (container) container.end = at + 1;
    const item = open.at(-1)?.items.at(-1);
    if (item) item.end = at + 1;
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (at) => begin('object', at),
    onArrayBegin: (at) => begin('array', at),
    onObjectEnd: finish,
    onArrayEnd: finish,
    onObjectProperty: (key, start, length) => {
      pending = { key, start, keyEnd: start + length };
    },
    onLiteralValue: (value, start, length) =>
      add({ kind: 'scalar', start, end: start + length, scalar: exact(value, text, start, length), items: none }),
    onSeparator: (sign, at) => {
      const item = open.at(-1)?.items.at(-1);
      if (sign === ',' && item) item.comma = at;
    },
    onComment: (start, length) => {
      if (isStrict) throw foreign('a comment', text, start);
      comments.push({ start, end: start + length });
    },
    // The first error ends the reading.
    onError: (code, at) => {
      throw new EditProblem(`has ${faults[printParseErrorCode(code)] ?? 'a fault'} at ${where(text, at)}`);
    },
  };
  visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true });
  return root ? { root, comments } : { comments };
}

/** A number as JavaScript reads it, but each integer exactly. */
function exact(value: unknown, text: string, start: number, length: number): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = text.slice(start, start + length);
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function foreign(what: string, text: string, at: number): EditProblem {
  return new EditProblem(`has ${what} at ${where(text, at)}, which this program does not accept`);
}

/** `line 3, column 5`. */
export function where(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The value of a node. In an object with equal keys the last one counts. An omitted item is left out. */
export function contentOf(node: Node | undefined, omitted?: Item): unknown {
  if (!node) return {};
  if (node.kind === 'scalar') return node.scalar;
  const items = omitted ? node.items.filter((item) => item !== omitted) : node.items;
  if (node.kind === 'array') return items.map((item) => contentOf(item.value, omitted));
  // Own properties also for a key such as __proto__.
  return Object.fromEntries(items.map((item) => [item.key ?? '', contentOf(item.value, omitted)]));
}

/** The items along a path, as far as it leads, and the node that is reached. */
export function follow(root: Node, path: Path): { readonly items: readonly Item[]; readonly reached: Node } {
  const items: Item[] = [];
  let reached = root;
  for (const step of path) {
    const kind = typeof step === 'string' ? 'object' : 'array';
    const found =
      typeof step === 'string'
        ? reached.items.findLast((item) => item.key === step)
        : reached.items.find((item) => item.value.kind === 'object' && hasFields(contentOf(item.value), step));
    if (reached.kind !== kind || !found) break;
    items.push(found);
    reached = found.value;
  }
  return { items, reached };
}

const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: 'an unknown word or sign',
  PropertyNameExpected: 'no key',
  ValueExpected: 'no value',
  ColonExpected: 'no colon',
  CommaExpected: 'no comma',
  CloseBraceExpected: 'no closing brace',
  CloseBracketExpected: 'no closing bracket',
  EndOfFileExpected: 'more text after its value',
  UnexpectedEndOfComment: 'a comment without an end',
  UnexpectedEndOfString: 'a string without an end',
  UnexpectedEndOfNumber: 'an incomplete number',
  InvalidUnicode: 'an invalid escape in a string',
  InvalidEscapeCharacter: 'an invalid escape in a string',
  InvalidCharacter: 'a control character in a string',
};
