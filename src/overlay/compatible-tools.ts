import { Part } from './part.ts';
import type { ToolWithSchema } from './schema/tools.ts';
import { snapshot } from './snapshot.ts';

// As large as all that a chat call needs otherwise: a page whose calls have no tools does not download it.
const schemas = /* @__PURE__ */ new Part(() => import('./schema/tools.ts'));

/** The body with its tools' schemas as the service takes them; a promise only until the code that rewrites them has been loaded. */
export function withCompatibleTools(operation: string, body: Record<string, unknown>): Record<string, unknown> | Promise<Record<string, unknown>> {
  const { tools } = body;
  if (!Array.isArray(tools) || !tools.some(hasSchema)) return body;
  if (schemas.here) return { ...body, tools: schemas.here.sanitize(tools) };
  const kept = snapshot(body);
  return schemas.load(operation).then(({ sanitize }) => ({ ...kept, tools: sanitize(kept['tools'] as typeof tools) }));
}

function hasSchema(tool: ToolWithSchema | null | undefined): boolean {
  return isObject(tool?.function?.parameters) || isObject(tool?.input_schema);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
