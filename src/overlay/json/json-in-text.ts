// Finds the JSON that a model meant, without guessing. Every function is linear in the length of the text.
import { parseJson, type ReadJson, stringEnd } from './exact.ts';

const closings: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Parses JSON, also with one comma after the last item of a list or an object, and with raw line ends and tabs in strings. */
export function parseLenient(text: string): ReadJson | undefined {
  return parseJson(text) ?? parseJson(mended(text));
}

/** The text without commas after a last item, and with the control characters of its strings escaped. Each has one reading. */
function mended(text: string): string {
  let kept = '';
  let from = 0;
  /** The last comma after an item, up to the next token. */
  let comma = -1;
  let [last, lastEnd] = ['', 0];
  for (const [token, index, end] of tokensIn(text)) {
    const isBlank = text.slice(lastEnd, index).trim() === '';
    if ((token === '}' || token === ']') && comma >= 0 && isBlank) {
      kept += text.slice(from, comma);
      from = comma + 1;
    } else if (token === '"') {
      kept += text.slice(from, index) + escaped(text.slice(index, end));
      from = end;
    }
    comma = token === ',' && !(isBlank && closings[last] !== undefined) ? index : -1;
    [last, lastEnd] = [token, end];
  }
  return kept + text.slice(from);
}

function escaped(string: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  return string.replace(/[\u0000-\u001f]/g, (raw) => JSON.stringify(raw).slice(1, -1));
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

/** Each costs a parser that throws. */
const maxRemarks = 1000;

/**
 * The one object or list in a text with other words around it. Undefined if the text has none or several, if one is cut off, or if brackets
 * could belong to a value that is not JSON. Undefined after 1,000 placeholders or remarks in brackets too.
 */
export function onlyJsonIn(text: string): ReadJson | undefined {
  let found: ReadJson | undefined;
  let remarks = 0;
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
      if (value ? found : /[":,]/.test(region) || ++remarks > maxRemarks) return undefined;
      found ??= value;
    }
  }
  return open.length > 0 ? undefined : found;
}

export const thoughtEnd = '</think>';

/** The text after the thought that some models write into their answer. Empty if the thought does not end. */
function withoutThought(text: string): string {
  if (!/^\s*<think>/.test(text)) return text;
  const end = text.indexOf(thoughtEnd);
  return end < 0 ? '' : text.slice(end + thoughtEnd.length);
}

/**
 * The value of an answer as `read` finds it in a text. Servers that begin the thought in the prompt send its end alone: a value before that end is part of the
 * thought. It can also be a part of a text in the value.
 */
export function behindThought<Value>(text: string, read: (text: string) => Value | undefined): Value | undefined {
  const rest = withoutThought(text);
  const [first, last] = [rest.indexOf(thoughtEnd), rest.lastIndexOf(thoughtEnd)];
  if (first < 0) return read(rest);
  const [behindFirst, behindLast] = [first, last].map((at) => rest.slice(at + thoughtEnd.length)) as [string, string];
  const found = read(behindFirst) ?? read(behindLast);
  if (found !== undefined) return found;
  return behindLast.trim() !== '' && read(rest.slice(0, first)) !== undefined ? undefined : read(rest);
}
