import { isObject, type JsonSchema } from './json-schema.ts';
import { explain, normalizeToolSchema } from './normalize.ts';
import type { SchemaRewrite } from './pass.ts';

export type { JsonSchema } from './json-schema.ts';
export type { SchemaRewrite } from './pass.ts';

/** What of a tool matters here, on either surface. */
export interface ToolWithSchema {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown; readonly parameters?: unknown } | null | undefined;
  readonly input_schema?: unknown;
}

/**
 * Brings the schemas of tools into the subset that the service accepts: `function.parameters` of chat tools and `input_schema` of
 * message tools. The same array comes back when nothing had to change; the given tools are never changed.
 */
export function sanitizeToolSchemas<Tools extends readonly ToolWithSchema[] | null | undefined>(tools: Tools): Tools {
  if (!Array.isArray(tools)) return tools;
  const given: readonly unknown[] = tools;
  const sanitized = given.map(sanitizeTool);
  return sanitized.some((tool, index) => tool !== given[index]) ? (sanitized as unknown as Tools) : tools;
}

/** What `sanitizeToolSchemas` does to a schema, in the order in which it is done; empty when it does nothing. */
export function explainToolSchema(schema: JsonSchema): SchemaRewrite[] {
  return explain(schema);
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
