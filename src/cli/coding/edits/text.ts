// Places in a text, and changes of it.
import type { Range } from './edit.ts';

/** A range and the text that takes its place. */
export interface Splice extends Range {
  readonly text: string;
}

/** The text after splices that do not overlap. Insertions at one place keep their order. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let at = 0;
  let result = '';
  for (const { start, end, text: inserted } of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/** `line 3, column 5`. */
export function where(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

export function hasBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}

/** The first line break of a document; a line feed if it has none. */
export function breakOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

/** Start of the line after a place, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const lineBreak = /\r\n|\r|\n/g;
  lineBreak.lastIndex = at;
  return lineBreak.test(text) ? lineBreak.lastIndex : text.length;
}

/** The white space before the text of a line. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** True if only white space is before a place in its line. */
export function startsLine(text: string, at: number): boolean {
  return text.slice(lineStart(text, at), at).trim() === '';
}
