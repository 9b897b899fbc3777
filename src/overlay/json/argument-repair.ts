import type { ReadJson } from './exact.ts';
import { parseLenient } from './json-in-text.ts';

/**
 * Parses the arguments of a call in the forms that models write: JSON, an empty text for no arguments, and leaked `<arg_key>` pairs of a chat
 * template. The JSON may be in a code fence, be encoded twice, or have trailing commas or raw line ends. Returns undefined for any other text.
 */
export function parseArguments(text: string): ReadJson | undefined {
  const bare = withoutFence(text.trim());
  if (bare === '') return { value: {}, json: '{}' };
  const parsed = parseLenient(bare) ?? leakedPairs(bare);
  if (typeof parsed?.value !== 'string') return parsed;
  const inner = parseLenient(parsed.value);
  return typeof inner?.value === 'object' && inner.value !== null ? inner : parsed;
}

const fence = '```';

/** Removes the code fence that models put around JSON. A single regular expression would take cubic time for blank lines. */
export function withoutFence(text: string): string {
  if (text.length < 2 * fence.length || !text.startsWith(fence) || !text.endsWith(fence)) return text;
  const opening = /```[a-z]*\s*/iy;
  opening.test(text);
  return text.slice(opening.lastIndex, -fence.length).trimEnd();
}

const keyOpening = '<arg_key>';
const keyClosing = '</arg_key>';
const valueClosing = '</arg_value>';

function leakedPairs(text: string): ReadJson | undefined {
  const pairs: [key: string, value: string][] = [];
  for (let at = text.indexOf(keyOpening); at >= 0; at = text.indexOf(keyOpening, at)) {
    at += keyOpening.length;
    const end = text.indexOf('<', at);
    if (end < 0) break;
    if (!text.startsWith(keyClosing, end)) continue;
    const key = text.slice(at, end).trim();
    at = end + keyClosing.length;
    const opening = /\s*<arg_value>/y;
    opening.lastIndex = at;
    if (!opening.test(text)) continue;
    at = opening.lastIndex;
    const close = text.indexOf(valueClosing, at);
    // A value without its closing tag, and the text after it, are ignored.
    if (close < 0) break;
    pairs.push([key, text.slice(at, close)]);
    at = close + valueClosing.length;
  }
  if (pairs.length === 0) return undefined;
  const value = Object.fromEntries(pairs);
  return { value, json: JSON.stringify(value) };
}

/** The JSON Schema type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
