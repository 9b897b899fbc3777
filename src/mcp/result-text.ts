import { fieldsOf, textOf } from '../overlay/errors/json-value.ts';

/** An MCP result as text for a model: its parts, one per line, or its structured content if they have no text. */
export function resultText(content: unknown, structured: unknown): string {
  const text = Array.isArray(content) ? content.map(partText).join('\n') : '';
  return text.trim() === '' && structured !== undefined ? (JSON.stringify(structured) ?? '') : text;
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
