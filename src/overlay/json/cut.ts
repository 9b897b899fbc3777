// The one place that shortens text. Strict parsers refuse a request that contains half of a surrogate pair.

/** The first `length` characters, without half of a surrogate pair at the end. */
export function cut(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** At most `limit` characters: a longer text ends in an ellipsis. */
export function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${cut(text, limit - 1)}…`;
}

/** JSON text with U+FFFD for each half of a surrogate pair, which `stringify` writes as an escape. UTF-8 has no halves, and strict parsers refuse them. */
export function wellFormed(json: string): string {
  return json?.includes('\\ud') ? json.replace(/\\(?:ud[89a-f]..|.)/g, (found) => (found.length > 2 ? '\ufffd' : found)) : json;
}
