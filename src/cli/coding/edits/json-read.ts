// Reads JSON and JSONC documents.
import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { EditProblem } from './edit.ts';
import { type Range, where } from './text.ts';
import type { Item, Node, Writable } from './tree.ts';

/** Deeper documents are refused, because the parser recurses at each level. */
const maxDepth = 500;

/** The root of a document. Throws an EditProblem if it is not JSON; with `isStrict` also if it has comments or trailing commas. */
export function readJson(text: string, isStrict: boolean): Node | undefined {
  const open: Writable<Node>[] = [];
  let root: Node | undefined;
  let comma: number | undefined;
  let key: (Range & { readonly name: string }) | undefined;

  const add = (value: Node): void => {
    const parent = open.at(-1);
    if (!parent) root = value;
    else if (key) parent.items.push({ key: key.name, start: key.start, keyEnd: key.end, sign: -1, value });
    else parent.items.push({ key: undefined, start: value.start, keyEnd: value.start, sign: -1, value });
    key = undefined;
    comma = undefined;
  };
  const begin = (kind: 'map' | 'list', start: number): void => {
    if (open.length === maxDepth)
      throw new EditProblem(`is nested deeper than ${maxDepth} levels at ${where(text, start)}`, 'Nest its values less deep.');
    const container: Node = { kind, layout: 'flow', start, end: start, items: [] };
    add(container);
    open.push(container);
  };
  const finish = (at: number): void => {
    const container = open.pop();
    if (isStrict && comma !== undefined) throw foreign('a trailing comma', text, comma);
    if (container) container.end = at + 1;
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (at) => begin('map', at),
    onArrayBegin: (at) => begin('list', at),
    onObjectEnd: finish,
    onArrayEnd: finish,
    onObjectProperty: (name, start, length) => {
      key = { name, start, end: start + length };
    },
    onLiteralValue: (value, start, length) =>
      add({ kind: 'scalar', layout: 'flow', start, end: start + length, scalar: exact(value, text, start, length), items: none }),
    onSeparator: (sign, at) => {
      if (sign === ',') comma = at;
    },
    onComment: (start) => {
      if (isStrict) throw foreign('a comment', text, start);
    },
    // The first error ends the reading.
    onError: (code, at) => {
      throw new EditProblem(`has ${faults[printParseErrorCode(code)] ?? 'a fault'} at ${where(text, at)}`);
    },
  };
  visit(text, visitor, { allowTrailingComma: true, allowEmptyContent: true });
  return root;
}

/** A scalar has no items. */
const none: Item[] = [];

/** Integers that a number cannot hold are read as bigint. */
function exact(value: unknown, text: string, start: number, length: number): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = text.slice(start, start + length);
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function foreign(what: string, text: string, at: number): EditProblem {
  return new EditProblem(`has ${what} at ${where(text, at)}, which plain JSON does not allow`);
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
