// Columns of text on a terminal: wide characters take two, and escape sequences none.
import widthAndCut from 'fast-string-truncated-width';

export function widthOf(text: string): number {
  return widthAndCut(text).width;
}

/** The beginning of a text that fits, with an ellipsis if that is not all of it. */
export function clipped(text: string, width: number): string {
  const { index, ellipsed } = widthAndCut(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  // The end of a color may be cut off.
  return ellipsed ? `${text.slice(0, index)}…${text.includes('\x1b') ? '\x1b[0m' : ''}` : text;
}

/** The first `length` characters, without half of a surrogate pair. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** At most `limit` characters: a longer text ends in an ellipsis. */
export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${beginning(text, limit - 1)}…` : text;
}

/** A text in parts of at most `width` columns. */
export function cut(text: string, width: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest !== '') {
    const { index } = widthAndCut(rest, { limit: width });
    // One wide character may be wider than the limit.
    const end = index > 0 ? index : (rest.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return parts;
}
