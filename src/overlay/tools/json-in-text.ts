// Finds the JSON that a model meant, without guessing. Every function is linear in the length of the text.

const closings: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Undefined for text that is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Parses JSON, also with one comma behind the last item of a list or an object. */
export function parseLenient(text: string): { readonly value: unknown } | undefined {
  return parseJson(text) ?? parseJson(withoutTrailingCommas(text));
}

function withoutTrailingCommas(text: string): string {
  let kept = '';
  let from = 0;
  /** The last comma behind an item, up to the next token. */
  let comma = -1;
  let [last, lastEnd] = ['', 0];
  for (const [token, index, end] of tokensIn(text)) {
    const isBlank = text.slice(lastEnd, index).trim() === '';
    if ((token === '}' || token === ']') && comma >= 0 && isBlank) {
      kept += text.slice(from, comma);
      from = comma + 1;
    }
    comma = token === ',' && !(isBlank && closings[last] !== undefined) ? index : -1;
    [last, lastEnd] = [token, end];
  }
  return kept + text.slice(from);
}

/** Strings, brackets and commas. A string without its end reaches to the end of the text. */
function* tokensIn(text: string, strings: () => boolean = always): Generator<readonly [token: string, index: number, end: number]> {
  const pattern = /["{}[\],]/g;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') {
      if (!strings()) continue;
      pattern.lastIndex = stringEnd(text, index + 1);
    }
    yield [token, index, pattern.lastIndex];
  }
}

function always(): boolean {
  return true;
}

/** Not a pattern: one with a choice inside a repetition needs stack for each character. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text[escapes - 1] === '\\') escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}

/**
 * The one object or list in a text with other words around it. Undefined if the text has none or several, if one is cut off, or if brackets
 * could belong to a value that is not JSON.
 */
export function onlyJsonIn(text: string): { readonly value: unknown } | undefined {
  let found: { readonly value: unknown } | undefined;
  /** The brackets that close the value. Empty among the words, where quotes have no meaning. */
  const open: string[] = [];
  let start = 0;
  for (const [token, index, end] of tokensIn(text, () => open.length > 0)) {
    const closing = closings[token];
    if (closing !== undefined) {
      if (open.push(closing) === 1) start = index;
    } else if (token === '}' || token === ']') {
      if (open.pop() !== token) return undefined;
      if (open.length > 0) continue;
      const region = text.slice(start, end);
      const value = parseLenient(region);
      // A placeholder or a remark, such as {name} or [sic], is not a value.
      if (value ? found : /[":,]/.test(region)) return undefined;
      found ??= value;
    }
  }
  return open.length > 0 ? undefined : found;
}

/** The text behind the thought that some models write into their answer. Empty if the thought does not end. */
export function withoutThought(text: string): string {
  if (!/^\s*<think>/.test(text)) return text;
  const end = text.indexOf('</think>');
  return end < 0 ? '' : text.slice(end + '</think>'.length);
}
