// Texts that look like credentials, by their kinds.
import { keyShapes } from '../../overlay/secrets/key-shapes.ts';

/** The text instead of a credential. */
export const keyPlaceholder = '<key>';

/** The kinds of `keyShapes`, for messages. */
const kinds: readonly string[] = [
  'a private key or certificate (PEM)',
  'a signed token (JWT)',
  'a key of the service',
  'a secret key (sk-…)',
  'a bearer credential',
  'a basic credential',
  'a cloud key',
  'a token of a code host or chat',
];

/** No shape matches fewer characters. Most texts of a file are shorter, and the whole file is checked at each write. */
const shortest = 10;

/** The kind of credential that a text contains, for a message. Undefined if it contains none. */
export function keyIn(text: string): string | undefined {
  if (text.length < shortest) return undefined;
  // Most texts have no match, which a search finds faster than the list of all matches.
  return kinds[
    keyShapes.findIndex(([pattern, holds]) => text.search(pattern) >= 0 && (!holds || [...text.matchAll(pattern)].some(([match]) => holds(match))))
  ];
}
