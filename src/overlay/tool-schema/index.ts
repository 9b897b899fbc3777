// Rewrites tool schemas into the subset of JSON Schema that the service accepts.

import { validated } from '../errors/problem.ts';
import { isFields } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { type JsonSchema, ownCopy } from '../json/schema.ts';

import { GROWTH, type Growth } from './growth.ts';
import { normalizeToolSchema } from './normalize.ts';
import type { SchemaRewrite } from './pass.ts';
import { insideSubset, jsonText, keptText } from './schema-text.ts';

export type { JsonSchema } from '../json/schema.ts';
export type { SchemaRewrite } from './pass.ts';

/** The fields of a tool that contain its schema or its name, on any surface. */
export interface ToolWithSchema {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown; readonly parameters?: unknown } | null | undefined;
  readonly input_schema?: unknown;
  readonly parameters?: unknown;
}

/** Options of `sanitizeToolSchemas`. */
export interface ToolSchemaOptions {
  /**
   * Maximum size of a rewritten schema, as a multiple of its input. Above it, schemas that are written out several times are cut
   * first, to their type and description. A schema below 12 kB is never cut. At least 1. Default: 2.
   */
  readonly maxGrowth?: number | undefined;
}

/**
 * Rewrites the schemas of tools into the subset that the service accepts: `function.parameters` of chat tools, `input_schema` of
 * message tools, and `parameters` of Responses tools. Returns the same array if no schema needs a change. Never modifies the given tools.
 */
export function sanitizeToolSchemas<Tools extends readonly ToolWithSchema[] | null | undefined>(tools: Tools, options?: ToolSchemaOptions): Tools {
  const growth = growthOf('sanitizeToolSchemas', options);
  if (!Array.isArray(tools)) return tools;
  const given: readonly unknown[] = tools;
  const sanitized = given.map((tool) => sanitizeTool(tool, growth));
  return sanitized.some((tool, index) => tool !== given[index]) ? (sanitized as unknown as Tools) : tools;
}

/**
 * Lists the rewrites that `sanitizeToolSchemas` applies to a schema with the same options, in order, each kind once for a place.
 * Returns an empty list if the schema needs no change.
 */
export function explainToolSchema(schema: JsonSchema, options?: ToolSchemaOptions): SchemaRewrite[] {
  const growth = growthOf('explainToolSchema', options);
  const rewrites: SchemaRewrite[] = [];
  if (isFields(schema) && !insideSubset(schema)) normalizeToolSchema(ownCopy(schema), growth, rewrites);
  return rewrites;
}

function growthOf(operation: string, options: ToolSchemaOptions = {}): Growth {
  return validated(operation, () => {
    checkFields(options, optionFields);
    const { maxGrowth: factor = GROWTH.factor } = options;
    if (!Number.isFinite(factor) || factor < 1) throw new Problem('maxGrowth', 'must be a number of at least 1');
    return { ...GROWTH, factor };
  });
}

const optionFields: KnownFields<ToolSchemaOptions> = { maxGrowth: 1 };

function sanitizeTool(tool: unknown, growth: Growth): unknown {
  if (!isFields(tool)) return tool;
  const normalized = (schema: unknown): unknown => (isFields(schema) && !insideSubset(schema) ? rewritten(schema, growth) : schema);
  const called = tool['function'];
  const sanitized = isFields(called) ? withSchema(tool, 'function', withSchema(called, 'parameters', normalized(called['parameters']))) : tool;
  const flat = sanitized['type'] === 'function' ? withSchema(sanitized, 'parameters', normalized(sanitized['parameters'])) : sanitized;
  return withSchema(flat, 'input_schema', normalized(flat['input_schema']));
}

/** Most programs send the same tools with every call, so results are kept. They are found by text, because an object may change between two calls. */
function rewritten(schema: JsonSchema, growth: Growth): unknown {
  const text = jsonText(schema);
  if (text === undefined) return ownCopy(normalizeToolSchema(ownCopy(schema), growth));
  const rewrite = (): string => JSON.stringify(normalizeToolSchema(JSON.parse(text) as JsonSchema, growth));
  return JSON.parse(growth.factor === GROWTH.factor ? keptText(text, rewrite) : rewrite());
}

function withSchema(owner: JsonSchema, key: string, value: unknown): JsonSchema {
  return owner[key] === value ? owner : { ...owner, [key]: value };
}

/** Returns the body of a request with the schemas of its tools rewritten. */
export function withCompatibleTools<Body extends { readonly tools?: readonly ToolWithSchema[] | null | undefined }>(body: Body): Body {
  return Array.isArray(body.tools) ? { ...body, tools: sanitizeToolSchemas(body.tools) } : body;
}
