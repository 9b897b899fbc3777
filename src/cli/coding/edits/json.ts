// JSON and JSONC documents.
import { applyEdits, createScanner, format, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { changedMembers, type Print } from './brackets.ts';
import { type DocumentFormat, type DocumentText, EditProblem, type Range, type TextPart, type ValuePlace, type Write } from './edit.ts';
import { type JsonStyle, printed } from './json-print.ts';
import { breakOf, indentAt, type Splice, spliced, startsLine, where } from './text.ts';
import { put } from './values.ts';

/** Deeper documents are refused, because the parser recurses at each level. */
const maxDepth = 500;

/** JSON as `JSON.parse` reads it. */
export const json: DocumentFormat = formatOf({ isStrict: true });

/** JSON with comments and trailing commas. */
export const jsonc: DocumentFormat = formatOf({ isStrict: false });

function formatOf({ isStrict }: { readonly isStrict: boolean }): DocumentFormat {
  const read = (text: string): DocumentText => {
    checkTokens(text, isStrict);
    const errors: ParseError[] = [];
    const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [error] = errors;
    if (error) throw new EditProblem(`has ${faults[printParseErrorCode(error.error)] ?? 'a fault'} at ${where(text, error.offset)}`);
    return { value: root && contentOf(text, root), write: (writes) => written(text, root, writes), parts: () => partsOf(root, []) };
  };
  return {
    read,
    source: (value) => printed(value),
    parse: (source) => read(source).value,
    containers: { object: ['object', '`{}`'], list: ['array', '`[]`'] },
  };
}

/** The kind of the last token. The library has its kinds only as types. */
const endOfText = 17;

/** Refuses what the parser takes: too many levels, and the liberties of JSONC. */
function checkTokens(text: string, isStrict: boolean): void {
  const scanner = createScanner(text, false);
  let depth = 0;
  let comma: number | undefined;
  while (Number(scanner.scan()) !== endOfText) {
    const at = scanner.getTokenOffset();
    const sign = text[at] ?? '';
    if (/\s/.test(sign)) continue;
    if (isStrict && /^\/[/*]/.test(text.slice(at, at + 2))) throw foreign('a comment', text, at);
    if (isStrict && comma !== undefined && '}]'.includes(sign)) throw foreign('a trailing comma', text, comma);
    depth += '{['.includes(sign) ? 1 : '}]'.includes(sign) ? -1 : 0;
    if (depth > maxDepth) throw new EditProblem(`is nested deeper than ${maxDepth} levels at ${where(text, at)}`, 'Nest its values less deep.');
    comma = sign === ',' ? at : undefined;
  }
}

function foreign(what: string, text: string, at: number): EditProblem {
  return new EditProblem(`has ${what} at ${where(text, at)}, which plain JSON does not allow`);
}

/** Of equal keys the last counts. */
function contentOf(text: string, { type, value, offset, length, children = [] }: Node): unknown {
  if (type === 'array') return children.map((item) => contentOf(text, item));
  if (type === 'number') return exact(text.slice(offset, offset + length), value as number);
  if (type !== 'object') return value;
  const object = {};
  for (const { children: [key, item] = [] } of children) if (key && item) put(object, key.value as string, contentOf(text, item));
  return object;
}

/** Integers that a number cannot hold are read as bigint. */
function exact(source: string, value: number): number | bigint {
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}

function* partsOf(node: Node | undefined, place: ValuePlace): Generator<TextPart> {
  if (!node) return;
  const { type, children = [] } = node;
  if (type === 'object') {
    for (const { children: [key, item] = [] } of children) {
      if (!key) continue;
      const here = [...place, key.value as string];
      yield { ...rangeOf(key), kind: 'key', place: here };
      yield* partsOf(item, here);
    }
  } else if (type === 'array') for (const [at, item] of children.entries()) yield* partsOf(item, [...place, at]);
  else yield { ...rangeOf(node), kind: 'value', place };
}

function rangeOf({ offset, length }: Node): Range {
  return { start: offset, end: offset + length };
}

const gap = /(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;

function written(text: string, root: Node | undefined, writes: readonly Write[]): string {
  const style: JsonStyle = {
    lineBreak: breakOf(text),
    unit: /[\r\n]([ \t]+)\S/.exec(text)?.[1] ?? '  ',
    colon: /"( ?: ?)["{[\w]/.exec(text)?.[1] ?? ': ',
  };
  const [whole] = writes;
  if (!root) return `${text.trim() && text.trimEnd() + style.lineBreak}${printed(whole?.value, { ...style, indent: '' })}${style.lineBreak}`;
  if (whole?.place.length === 0) return spliced(text, [{ ...rangeOf(root), text: '' }]).trim();
  const owners = new Map<Node, Write[]>();
  for (const write of writes) {
    const owner = nodeAt(root, write.place.slice(0, -1));
    if (owner) owners.set(owner, [...(owners.get(owner) ?? []), write]);
  }
  return spliced(
    text,
    [...owners].flatMap(([owner, some]) => changesIn(text, owner, some, style)),
  );
}

/** The changes of the members of one container. */
function changesIn(text: string, owner: Node, writes: readonly Write[], style: JsonStyle): readonly Splice[] {
  const splices: Splice[] = [];
  const members = (owner.children ?? []).map(rangeOf);
  const removed = new Set<Range>();
  const added: Print[] = [];
  for (const { place, value } of writes) {
    const step = place.at(-1) as string | number;
    const index = indexOf(owner, step);
    const member = members[index];
    const node = valueNode(owner.children?.[index]);
    if (!member || !node)
      added.push((indent) => (typeof step === 'string' ? JSON.stringify(step) + style.colon : '') + printed(value, { ...style, indent }));
    else if (value === undefined) removed.add(member);
    else {
      const indent = startsLine(text, member.start) ? indentAt(text, member.start) : undefined;
      splices.push({ ...rangeOf(node), text: printed(value, { ...style, indent }) });
    }
  }
  const space = style.colon.endsWith(' ') ? ' ' : '';
  const pad = text[owner.offset + 1] === ' ' ? ' ' : '';
  const isTall = owner.parent === undefined || startsLine(text, owner.parent.offset);
  return [...splices, ...changedMembers(text, { ...rangeOf(owner), members }, removed, added, { gap, unit: style.unit, space, pad, isTall })];
}

function nodeAt(root: Node, place: ValuePlace): Node | undefined {
  return place.reduce<Node | undefined>((node, step) => node && valueNode(node.children?.[indexOf(node, step)]), root);
}

/** Of equal keys the last counts. */
function indexOf({ children = [] }: Node, step: string | number): number {
  return typeof step === 'number' ? step : children.findLastIndex((member) => member.children?.[0]?.value === step);
}

function valueNode(member: Node | undefined): Node | undefined {
  return member?.type === 'property' ? member.children?.[1] : member;
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

/** The text with a line for each member. */
export function spread(text: string): string {
  return applyEdits(text, format(text, undefined, { tabSize: 2, insertSpaces: true, eol: '\n' }));
}
