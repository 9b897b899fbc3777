// The way back from a text to an earlier one, byte for byte.
import { createHash } from 'node:crypto';

/** Applies only to the text with the hash. */
export interface Reversal {
  readonly hash: string;
  readonly start: number;
  readonly end: number;
  /** The earlier text instead of this range. */
  readonly before: string;
}

export function reversalOf(text: string, earlier: string): Reversal {
  const most = Math.min(text.length, earlier.length);
  let start = 0;
  while (start < most && text[start] === earlier[start]) start++;
  let tail = 0;
  while (tail < most - start && text.at(-1 - tail) === earlier.at(-1 - tail)) tail++;
  return { hash: textHash(text), start, end: text.length - tail, before: earlier.slice(start, earlier.length - tail) };
}

/** The earlier text; undefined if no reversal is for this text, because another program has written it since. */
export function reversed(text: string, reversals: readonly Reversal[]): string | undefined {
  const hash = reversals.length > 0 ? textHash(text) : '';
  const found = reversals.find((one) => one.hash === hash);
  return found && text.slice(0, found.start) + found.before + text.slice(found.end);
}

function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
