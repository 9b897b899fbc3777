import { sanitizeToolSchemas, type ToolWithSchema } from './index.ts';

/** The body with its tools' schemas as the service takes them. */
export function withCompatibleTools(body: Record<string, unknown>): Record<string, unknown> {
  const { tools } = body;
  return Array.isArray(tools) ? { ...body, tools: sanitizeToolSchemas(tools as readonly ToolWithSchema[]) } : body;
}
