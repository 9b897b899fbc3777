/** The value of a JSON text; undefined if it is none. The message of JSON.parse is dropped: it quotes the text, which may be a key. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
