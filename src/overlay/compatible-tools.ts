import { sanitize, type ToolWithSchema } from './schema/tools.ts';

/** The body with its tools' schemas as the service takes them. */
export function withCompatibleTools(body: Record<string, unknown>): Record<string, unknown> {
  const { tools } = body;
  return Array.isArray(tools) && tools.some(hasSchema) ? { ...body, tools: sanitize(tools) } : body;
}

function hasSchema(tool: ToolWithSchema | null | undefined): boolean {
  return isObject(tool?.function?.parameters) || isObject(tool?.input_schema);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
