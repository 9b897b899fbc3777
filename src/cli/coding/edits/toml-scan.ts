// Positions in a TOML text. The text has been parsed before, so it is valid, and the scanner looks only for the ends of things.
import { parse } from 'smol-toml';

/** A key with its value on a line or in an inline table, or an item of an array (without keys). */
export interface Member {
  readonly type: 'member';
  readonly keys: readonly string[];
  readonly start: number;
  /** End of the key. */
  readonly keyEnd: number;
  readonly value: Value;
  readonly end: number;
  /** Place of the comma after it. */
  readonly comma: number | undefined;
  /** The block that it is in, or the member whose value it is in. */
  readonly group: Block | Member;
}

export interface Value {
  readonly kind: 'table' | 'list' | 'leaf';
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}

/** The lines under one header; the first block has no header. */
export interface Block {
  readonly type: 'block';
  readonly header?: { readonly keys: readonly string[]; readonly isItem: boolean; readonly start: number; readonly end: number };
  readonly members: readonly Member[];
}

type Growing<T extends Block | Value | Member> = { -readonly [K in keyof T]: T[K] extends readonly Member[] ? Member[] : T[K] };

const newline = 10;
const quotes = ['"', "'"];

/** The blocks of a valid document, in order. */
export function scan(text: string): readonly Block[] {
  const blocks: Growing<Block>[] = [{ type: 'block', members: [] }];
  for (let at = skipVoid(text, 0); at < text.length; at = skipVoid(text, at)) {
    if (text[at] === '[') {
      const isItem = text[at + 1] === '[';
      const { keys, end } = scanKeys(text, at + (isItem ? 2 : 1));
      const header = { keys, isItem, start: at, end: skipBlanks(text, end) + (isItem ? 2 : 1) };
      blocks.push({ type: 'block', header, members: [] });
      at = header.end;
    } else {
      const block = blocks.at(-1) as Growing<Block>;
      const member = scanMember(text, at, block, true);
      block.members.push(member);
      at = member.end;
    }
  }
  return blocks;
}

function scanMember(text: string, start: number, group: Block | Member, hasKeys: boolean): Member {
  const { keys, end: keyEnd } = hasKeys ? scanKeys(text, start) : { keys: [], end: start };
  const valueStart = hasKeys ? skipBlanks(text, skipBlanks(text, keyEnd) + 1) : start;
  const value: Growing<Value> = { kind: 'leaf', start: valueStart, end: valueStart, members: [] };
  const member: Growing<Member> = { type: 'member', keys, start, keyEnd, value, group, comma: undefined, end: start };
  scanValue(text, value, member);
  member.end = value.end;
  return member;
}

/** Fills in the value of a member, of which only the start is there. */
function scanValue(text: string, value: Growing<Value>, member: Member): void {
  const { start } = value;
  const first = text[start] as string;
  if (first !== '[' && first !== '{') {
    value.end = quotes.includes(first) ? stringEnd(text, start) : bareEnd(text, start);
    return;
  }
  value.kind = first === '[' ? 'list' : 'table';
  const close = first === '[' ? ']' : '}';
  let at = skipVoid(text, start + 1);
  while (text[at] !== close) {
    if (text[at] === ',') {
      (value.members.at(-1) as Growing<Member>).comma = at++;
    } else {
      const inner = scanMember(text, at, member, value.kind === 'table');
      value.members.push(inner);
      at = inner.end;
    }
    at = skipVoid(text, at);
  }
  value.end = at + 1;
}

function scanKeys(text: string, start: number): { readonly keys: readonly string[]; readonly end: number } {
  const keys: string[] = [];
  for (let at = skipBlanks(text, start); ; at = skipBlanks(text, at + 1)) {
    const isQuoted = quotes.includes(text[at] as string);
    const end = isQuoted ? stringEnd(text, at) : bareKeyEnd(text, at);
    const raw = text.slice(at, end);
    keys.push(isQuoted ? (parse(`key = ${raw}`)['key'] as string) : raw);
    at = skipBlanks(text, end);
    if (text[at] !== '.') return { keys, end };
  }
}

function bareKeyEnd(text: string, start: number): number {
  let at = start;
  while (/[\w-]/.test(text[at] ?? '')) at++;
  return at;
}

/** End of a number, a date or a boolean. A date may have a space inside. */
function bareEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]}#\r\n'.includes(text[at] as string)) at++;
  while (isBlank(text, at - 1)) at--;
  return at;
}

function stringEnd(text: string, start: number): number {
  const quote = text[start] as string;
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (!text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += close.length;
  // Up to two quotes before the closing ones belong to a long string.
  if (isLong) for (let more = 0; more < 2 && text[at] === quote; more++) at++;
  return at;
}

export function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (isBlank(text, at)) at++;
  return at;
}

/** Skips white space, line ends and comments. */
function skipVoid(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] === '#') while (at < text.length && text.charCodeAt(at) !== newline) at++;
    else if (text[at] === '\n' || text[at] === '\r') at++;
    else return at;
  }
}

/** Start of the line of a place. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** Start of the line after a place, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

export function indentation(text: string, at: number): string {
  const start = lineStart(text, at);
  return text.slice(start, skipBlanks(text, start));
}

export function lineEndOf(text: string): string {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** A change of a text: a range, and the text that takes its place. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices that do not overlap and are in order. */
export function splice(text: string, splices: readonly Splice[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, text: inserted } of splices) {
    parts.push(text.slice(at, start), inserted);
    at = end;
  }
  return parts.join('') + text.slice(at);
}
