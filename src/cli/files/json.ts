/** The value of a text; undefined if it is not JSON. The message of JSON.parse is dropped: it quotes the text, which may be a key. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
