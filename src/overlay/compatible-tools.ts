import { loaded } from './loaded.ts';
import type { sanitize, ToolWithSchema } from './schema/tools.ts';
import { snapshot } from './snapshot.ts';

// As large as all that a chat call needs otherwise: a page whose calls have no tools does not download it.
let rewrite: typeof sanitize | undefined;

/** The body with its tools' schemas as the service takes them; a promise only until the code that rewrites them has been loaded. */
export function withCompatibleTools(operation: string, body: Record<string, unknown>): Record<string, unknown> | Promise<Record<string, unknown>> {
  const { tools } = body;
  if (!Array.isArray(tools) || !tools.some(hasSchema)) return body;
  if (rewrite) return { ...body, tools: rewrite(tools) };
  const kept = snapshot(body);
  return loaded(operation, import('./schema/tools.ts')).then(({ sanitize }) => {
    rewrite = sanitize;
    return { ...kept, tools: sanitize(kept['tools'] as typeof tools) };
  });
}

function hasSchema(tool: ToolWithSchema | null | undefined): boolean {
  return isObject(tool?.function?.parameters) || isObject(tool?.input_schema);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
