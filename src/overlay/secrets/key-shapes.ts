/** Texts that look like credentials. A pattern is one run of characters after its beginning: linear, and without a stack for long runs. */
import { filled, formHoles, type Hole } from './secrets.ts';

/** The patterns in the order of `keyKinds` in the entry for tests. A function decides about a match. */
export const keyShapes: readonly (readonly [pattern: RegExp, holds?: (match: string) => boolean])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g],
  [/eyJ[\w-]{5}[\w.-]*/g, (match) => match.split('.', 3).length > 2],
  [/[0-9a-f]{32}\.[0-9a-z]{8}[0-9a-z]*/gi],
  // In JSON text, a line break before the key is a backslash and a letter.
  [/(?<=^|[^A-Za-z0-9]|\\[nrt])[sprk]k[-_][\w-]{16}[\w-]*/g],
  [/bearer\s+[^\s"'<>,;)\]}\\]{8}[^\s"'<>,;)\]}\\]*/gi],
  [/basic\s+[\w+/]{16}[\w+/]*={0,2}/gi, (match) => /[\d=]/.test(match)],
  [/(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{35}/g],
  [/(?:(?:gh[pousr]|github_pat|npm)_\w{10}|glpat-[\w-]{6}|xox[a-z]-)[\w-]{10}[\w-]*/g],
];

/** The places of credentials: texts that look like one, and the given ones in all their forms. */
export function keyHoles(text: string, secrets: readonly string[]): Hole[] {
  const holes = formHoles(text, secrets);
  // A bracket ends each pattern, so that no text counts twice.
  const blank = (length: number): string => ']'.repeat(length);
  let rest = filled(text, holes, blank);
  for (const [pattern, holds] of keyShapes)
    rest = rest.replace(pattern, (match: string, at: number) => {
      if (holds?.(match) === false) return match;
      holes.push([at, at + match.length]);
      return blank(match.length);
    });
  return holes;
}

/** The text with each credential replaced. */
export function withoutKeys(text: string, secrets: readonly string[], placeholder: string): string {
  return filled(text, keyHoles(text, secrets), () => placeholder);
}
