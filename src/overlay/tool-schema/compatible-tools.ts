import { sanitizeToolSchemas, type ToolWithSchema } from './index.ts';

/** Returns the body with tool schemas rewritten into the subset that the service accepts. */
export function withCompatibleTools(body: Record<string, unknown>): Record<string, unknown> {
  const { tools } = body;
  return Array.isArray(tools) ? { ...body, tools: sanitizeToolSchemas(tools as readonly ToolWithSchema[]) } : body;
}
