import { isObject, type JsonSchema } from './json-schema.ts';
import { normalizeToolSchema } from './normalize.ts';

/** What of a tool matters here, on either surface. */
export interface ToolWithSchema {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown; readonly parameters?: unknown } | null | undefined;
  readonly input_schema?: unknown;
}

/** `sanitizeToolSchemas`, which says what it does. */
export function sanitize<Tools extends readonly ToolWithSchema[] | null | undefined>(tools: Tools): Tools {
  if (!Array.isArray(tools)) return tools;
  const given: readonly unknown[] = tools;
  const sanitized = given.map(sanitizeTool);
  return sanitized.some((tool, index) => tool !== given[index]) ? (sanitized as unknown as Tools) : tools;
}

function sanitizeTool(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  const called = tool['function'];
  const sanitized = isObject(called) ? withSchema(tool, 'function', withSchema(called, 'parameters', normalized(called['parameters']))) : tool;
  return withSchema(sanitized, 'input_schema', normalized(sanitized['input_schema']));
}

function normalized(schema: unknown): unknown {
  return isObject(schema) ? normalizeToolSchema(schema) : schema;
}

function withSchema(owner: JsonSchema, key: string, value: unknown): JsonSchema {
  return owner[key] === value ? owner : { ...owner, [key]: value };
}
