// Functions of their own and no re-exports: services load the code behind them when they need it, and a bundler that finds that code among the
// re-exports of the index would make it part of every first load.
import type { JsonSchema } from './schema/json-schema.ts';
import { explain } from './schema/normalize.ts';
import type { SchemaRewrite } from './schema/pass.ts';
import { sanitize, type ToolWithSchema } from './schema/tools.ts';

export type { JsonSchema } from './schema/json-schema.ts';
export type { SchemaRewrite } from './schema/pass.ts';
export type { ToolWithSchema } from './schema/tools.ts';

/**
 * Brings the schemas of tools into the subset that the service accepts: `function.parameters` of chat tools and `input_schema` of
 * message tools. The same array comes back when nothing had to change; the given tools are never changed.
 */
export function sanitizeToolSchemas<Tools extends readonly ToolWithSchema[] | null | undefined>(tools: Tools): Tools {
  return sanitize(tools);
}

/** What `sanitizeToolSchemas` does to a schema, in the order in which it is done; empty when it does nothing. */
export function explainToolSchema(schema: JsonSchema): SchemaRewrite[] {
  return explain(schema);
}
