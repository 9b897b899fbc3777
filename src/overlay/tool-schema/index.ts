// Rewrites tool schemas into the subset of JSON Schema that the service accepts.
import { isObject, type JsonSchema } from './json-schema.ts';
import { explain, normalizeToolSchema } from './normalize.ts';
import type { SchemaRewrite } from './pass.ts';

export type { JsonSchema } from './json-schema.ts';
export type { SchemaRewrite } from './pass.ts';

/** The fields of a tool that contain its schema or its name, on either surface. */
export interface ToolWithSchema {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown; readonly parameters?: unknown } | null | undefined;
  readonly input_schema?: unknown;
}

/**
 * Rewrites the schemas of tools into the subset that the service accepts: `function.parameters` of chat tools and `input_schema` of
 * message tools. Returns the same array if no schema needs a change. Never modifies the given tools.
 */
export function sanitizeToolSchemas<Tools extends readonly ToolWithSchema[] | null | undefined>(tools: Tools): Tools {
  if (!Array.isArray(tools)) return tools;
  const given: readonly unknown[] = tools;
  const sanitized = given.map(sanitizeTool);
  return sanitized.some((tool, index) => tool !== given[index]) ? (sanitized as unknown as Tools) : tools;
}

/** Lists the rewrites that `sanitizeToolSchemas` applies to a schema, in order. Returns an empty list if the schema needs no change. */
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
