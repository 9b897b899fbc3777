// JSON with integers that a number cannot hold, such as ids of 19 digits.

/** JSON that was read, and its text. */
export interface ReadJson {
  /** An integer that a number cannot hold is a string of its digits. */
  readonly value: unknown;
  /** The text of the value, with all of its digits. */
  readonly json: string;
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): ReadJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value: mayLoseDigits(text) ? JSON.parse(withExactIntegers(text)) : value, json: text };
  } catch {
    return undefined;
  }
}

/** False for nearly every text, in one fast scan. */
function mayLoseDigits(text: string): boolean {
  return /\d{16}/.test(text);
}

/** True if reading the text as JSON would change an integer. */
export function losesDigits(text: string): boolean {
  return mayLoseDigits(text) && withExactIntegers(text) !== text;
}

/** JSON text with each integer that a number cannot hold as a string. */
function withExactIntegers(text: string): string {
  let exact = '';
  let from = 0;
  const pattern = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [token] = found;
    if (token === '"') pattern.lastIndex = stringEnd(text, pattern.lastIndex);
    else if (token.length > 15 && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
      exact += `${text.slice(from, found.index)}"${token}"`;
      from = pattern.lastIndex;
    }
  }
  return exact + text.slice(from);
}

/** The end of a string that begins before `from`. Not a pattern: one with a choice inside a repetition needs stack for each character. */
export function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text[escapes - 1] === '\\') escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
