// Places in a text, and changes of it.

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A range and the text that takes its place. */
export interface Splice extends Range {
  readonly text: string;
}

/** The text after splices that are in order and do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let at = 0;
  let result = '';
  for (const { start, end, text: inserted } of splices) {
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}

/** Moves offsets; those before `from` stay. */
export interface Mover {
  readonly from: number;
  /** At the place of an insertion, the end of a node stays, and the start of the next one moves. */
  moved(offset: number, isEnd: boolean): number;
}

/** Moves offsets to their places after splices. */
export function moverOf(splices: readonly Splice[]): Mover {
  return {
    from: splices[0]?.start ?? Number.POSITIVE_INFINITY,
    moved: (offset, isEnd) => {
      let moved = offset;
      for (const { start, end, text } of splices) {
        const isBehind = start === end && isEnd ? offset > end : offset >= end;
        if (isBehind) moved += text.length - (end - start);
      }
      return moved;
    },
  };
}

/** Moves all offsets alike. */
export function moverBy(distance: number): Mover {
  return { from: Number.NEGATIVE_INFINITY, moved: (offset) => offset + distance };
}

/** `line 3, column 5`. */
export function where(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

export function isBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

export function hasBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}

export function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text);
}

/** The first line break of a document; a line feed if it has none. */
export function breakOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
}

export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isBreak(text[start - 1])) start--;
  return start;
}

/** The end of a line, before its line break. */
export function lineEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isBreak(text[end])) end++;
  return end;
}

/** Start of the line after a place, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at);
  return end + (text.startsWith('\r\n', end) ? 2 : end < text.length ? 1 : 0);
}

/** The start of the line break that ends at an offset; the offset itself if there is none. */
export function beforeBreak(text: string, at: number): number {
  if (!isBreak(text[at - 1])) return at;
  return text.startsWith('\r\n', at - 2) ? at - 2 : at - 1;
}

export function columnAt(text: string, at: number): number {
  return at - lineStart(text, at);
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}

/** The indentation of the line of an offset, as white space. The dash of a YAML item becomes a blank. */
export function indentAt(text: string, at: number): string {
  const line = text.slice(lineStart(text, at), at);
  return (/^[ \t]*(?:- +)*/.exec(line)?.[0] ?? '').replaceAll('-', ' ');
}
