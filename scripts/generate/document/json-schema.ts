import { isObject, type Json, type JsonObject, resolve } from './source.ts';
import { nodeOf, rewriteNodes } from './walk.ts';

/** Keywords without effect on validation. */
const prose = new Set(['discriminator', 'title', 'description', 'deprecated', 'default', 'examples', 'example', 'format']);

/** Converts a schema of the spec for ajv: references point into `spec#/$defs/`, prose is removed, binary parts accept every value. */
export function forValidator(schema: Json): Json {
  return rewriteNodes(nodeOf('schema', schema, []), (node) => {
    if (node['format'] === 'binary') return {};
    const { $ref: ref, ...bare } = withoutProse(node);
    return ref === undefined ? bare : { $ref: String(ref).replace('#/components/schemas/', 'spec#/$defs/'), ...bare };
  });
}

/** The keywords of a schema that have an effect on validation. */
export function withoutProse(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !key.startsWith('x-') && !prose.has(key)));
}

/** Every schema of the spec and of `extra` by name, converted for ajv. */
export function definitions(document: JsonObject, extra: JsonObject): JsonObject {
  const schemas = resolve(document, '#/components/schemas');
  const defs: JsonObject = {};
  for (const [name, schema] of Object.entries({ ...(isObject(schemas) ? schemas : {}), ...extra })) defs[name] = forValidator(schema);
  return defs;
}
