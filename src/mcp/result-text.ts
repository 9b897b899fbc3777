/** One part of an MCP result. */
export interface McpContentPart {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly resource?: { readonly uri?: string; readonly text?: string; readonly blob?: string; readonly mimeType?: string };
}

/** An MCP result as text for a model: its parts by lines, or its structured content where there are none. */
export function resultText(content: readonly McpContentPart[] | undefined, structured: unknown): string {
  const parts = Array.isArray(content) ? content.map(partText) : [];
  return parts.length > 0 || structured === undefined ? parts.join('\n') : JSON.stringify(structured);
}

function partText(part: McpContentPart): string {
  const { type, text, data, mimeType, uri, name, resource } = part;
  if (type === 'text') return text ?? '';
  if (type === 'resource') return resource?.text ?? binary('resource', resource?.mimeType, resource?.blob, resource?.uri);
  if (type === 'resource_link') return `[resource ${name ?? ''}: ${uri ?? ''}]`;
  return binary(type, mimeType, data);
}

/** Models on these surfaces take tool results as text: binary parts are named, so that the model knows that they exist. */
function binary(kind: string, mimeType = 'unknown type', data = '', uri?: string): string {
  return `[${kind}${uri === undefined ? '' : ` ${uri}`}, ${mimeType}, ${data.length} characters of base64, not shown]`;
}
