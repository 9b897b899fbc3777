// JSON with numbers that a double cannot hold, such as ids of 19 digits, and 1e999, which would be Infinity.

/** JSON that was read, and its text. */
export interface ReadJson {
  /** A number that a double cannot hold is a string: the digits of a long integer, or `1e999`. */
  readonly value: unknown;
  /** The text of the value, with all of its digits. */
  readonly json: string;
}

/** Undefined for text that is not JSON. */
export function parseJson(text: string): ReadJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value: mayLoseDigits(text) ? JSON.parse(withExactNumbers(text)) : value, json: text };
  } catch {
    return undefined;
  }
}

/** False for nearly every text, in one fast scan. */
function mayLoseDigits(text: string): boolean {
  // A shorter number is too large only with an exponent of three digits.
  return /\d{16}|\d[eE]\+?\d{3}/.test(text);
}

/** True if reading the text as JSON would change a number. */
export function losesDigits(text: string): boolean {
  return mayLoseDigits(text) && withExactNumbers(text) !== text;
}

/** JSON text with each integer that a double cannot hold, and each number that it holds as Infinity, as a string. */
function withExactNumbers(text: string): string {
  let exact = '';
  let from = 0;
  const pattern = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [token] = found;
    if (token === '"') pattern.lastIndex = stringEnd(text, pattern.lastIndex);
    else if (!isHeld(token)) {
      exact += `${text.slice(from, found.index)}"${token}"`;
      from = pattern.lastIndex;
    }
  }
  return exact + text.slice(from);
}

function isHeld(token: string): boolean {
  const number = Number(token);
  return Number.isFinite(number) && (token.length <= 15 || Number.isSafeInteger(number) || !/^-?\d+$/.test(token));
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
