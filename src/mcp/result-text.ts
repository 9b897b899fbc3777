import { type Fields, fieldsOf, isObject, jsonOrUndefined, listOf, textOf } from '../overlay/json/json-value.ts';

/**
 * An MCP result as text for a model: its parts, one per line, and its structured content unless one of the texts is its JSON or its only field. Parts
 * for the user alone are left out.
 */
export function resultText(content: unknown, structured: unknown): string {
  const parts = listOf(content);
  const shown = parts.filter(isForModel);
  const text = shown.map(partText).join('\n');
  const whole = structured === undefined ? '' : (JSON.stringify(structured) ?? '');
  const json = shown.some((part) => isJsonOf(structured, part, whole.length)) ? '' : whole;
  if (text.trim() === '') return json || (shown.length === parts.length ? text : '[the result is for the user alone, not shown]');
  return json === '' ? text : `${text}\n${json}`;
}

/** True for a part whose text is the JSON of a value, or its only field, as servers wrap a text. Much shorter texts are not parsed: comparing all of many with a long value takes too long. */
function isJsonOf(value: unknown, part: unknown, length: number): boolean {
  const { type, text } = fieldsOf(part);
  if (type !== 'text' || typeof text !== 'string' || text.length * 2 < length - 100) return false;
  const [wrapped, ...others] = Object.values(fieldsOf(value));
  return (wrapped === text && others.length === 0) || isEqual(jsonOrUndefined(text), value);
}

/** Compares values of JSON of any depth. The order of fields does not count. */
function isEqual(one: unknown, other: unknown): boolean {
  const open: [unknown, unknown][] = [[one, other]];
  for (const [a, b] of open) {
    if (a === b) continue;
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length || !names.every((name) => Object.hasOwn(b, name))) return false;
    for (const name of names) open.push([(a as Fields)[name], (b as Fields)[name]]);
  }
  return true;
}

function isForModel(part: unknown): boolean {
  const { audience } = fieldsOf(fieldsOf(part)['annotations']);
  return !Array.isArray(audience) || audience.length === 0 || audience.includes('assistant');
}

function partText(part: unknown): string {
  const { type, text, data, mimeType, uri, name, resource } = fieldsOf(part);
  const kind = textOf(type) || 'part';
  if (kind === 'text') return textOf(text);
  if (kind === 'resource_link') return `[resource ${textOf(name)}: ${textOf(uri)}]`;
  if (kind !== 'resource') return binary(kind, mimeType, data);
  const inner = fieldsOf(resource);
  return typeof inner['text'] === 'string' ? inner['text'] : binary(kind, inner['mimeType'], inner['blob'], inner['uri']);
}

/** A placeholder for a binary part. The surfaces accept only text as tool results, and the model must see that the part exists. */
function binary(kind: string, mimeType: unknown, data: unknown, uri?: unknown): string {
  const source = typeof uri === 'string' ? ` ${uri}` : '';
  return `[${kind}${source}, ${textOf(mimeType) || 'unknown type'}, ${textOf(data).length} characters of base64, not shown]`;
}
