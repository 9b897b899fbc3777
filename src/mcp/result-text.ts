import { fieldsOf, listOf, textOf } from '../overlay/json/json-value.ts';

/** An MCP result as text for a model: its parts, one per line, or its structured content if they have no text. Parts for the user alone are left out. */
export function resultText(content: unknown, structured: unknown): string {
  const parts = listOf(content);
  const text = parts.filter(isForModel).map(partText).join('\n');
  if (text.trim() !== '') return text;
  if (structured !== undefined) return JSON.stringify(structured) ?? '';
  return parts.every(isForModel) ? text : '[the result is for the user alone, not shown]';
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
