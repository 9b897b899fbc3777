import type { OperationContent } from '../overlay/hooks/hook.ts';
import { cut, wellFormed } from '../overlay/json/cut.ts';
import { isFields } from '../overlay/json/json-value.ts';

/** A copy of a JSON value without the keys of the client, in texts and in names of fields. */
export function withoutKeys(value: unknown, source: Pick<OperationContent, 'clean'>): unknown {
  const redacted = (_name: string, field: unknown): unknown => {
    if (typeof field === 'string') return withoutKey(field, source);
    return isFields(field) ? Object.fromEntries(Object.entries(field).map(([name, one]) => [withoutKey(name, source), one])) : field;
  };
  return JSON.parse(JSON.stringify(value, redacted) ?? 'null') as unknown;
}

/** Cleans a text only if it contains a key, because cleaning also folds white space. */
function withoutKey(text: string, { clean }: Pick<OperationContent, 'clean'>): string {
  const cleaned = clean(text, 2 * text.length);
  return holes(cleaned) > holes(text) ? cleaned : text;
}

function holes(text: string): number {
  return text.split('[key]').length;
}

const encoder = new TextEncoder();

/**
 * Writes a value as JSON of at most `maxBytes`. Long strings are cut first, at ever smaller lengths. If that is not enough, the first
 * items of a list are left out.
 */
export function fittingJson(value: unknown, maxBytes: number): string {
  for (let length = Number.POSITIVE_INFINITY; length >= 32; length = Math.min(length, maxBytes) >> 2) {
    const json = jsonOf(value, length);
    if (fits(json, maxBytes)) return json;
  }
  if (!Array.isArray(value)) return '"[too large]"';
  for (let items = value.slice(value.length >> 1); items.length > 0; items = items.slice((items.length + 1) >> 1)) {
    const json = jsonOf(items, 32);
    if (fits(json, maxBytes)) return json;
  }
  return '[]';
}

function jsonOf(value: unknown, length: number): string {
  const short = (_name: string, field: unknown): unknown => (typeof field === 'string' && field.length > length ? shortened(field, length) : field);
  return wellFormed(JSON.stringify(value, length === Number.POSITIVE_INFINITY ? undefined : short) ?? 'null');
}

function shortened(text: string, length: number): string {
  return `${cut(text, length)}… (${text.length} characters)`;
}

function fits(json: string, maxBytes: number): boolean {
  return json.length <= maxBytes && (json.length * 3 <= maxBytes || encoder.encode(json).length <= maxBytes);
}
