// Tools come with whatever schema zod, pydantic or an MCP server wrote; the service answers HTTP 500 to half of JSON Schema.
export type { JsonSchema } from './schema/json-schema.ts';
export { explainToolSchema, normalizeToolSchema } from './schema/normalize.ts';
export type { SchemaRewrite } from './schema/pass.ts';
export { sanitizeToolSchemas, type ToolWithSchema } from './schema/tools.ts';
