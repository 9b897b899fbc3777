import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { isObject, type Json, type JsonObject, resolve } from '../document/source.ts';
import { nodeOf, rewriteNodes } from '../document/walk.ts';

/** Keywords without effect on validation. */
const prose = new Set(['title', 'description', 'deprecated', 'default', 'examples', 'example', 'format']);

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

/** ajv with these definitions under `spec#/$defs/<name>`. */
export function ajvOf(defs: JsonObject, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    // `anyOf` of `required` and `if`/`then` name properties that are declared one level up.
    strictRequired: false,
    allowUnionTypes: true,
    validateFormats: false,
    ...options,
  });
  ajv.addSchema({ $id: 'spec', $defs: defs });
  return ajv;
}

/** ajv with every schema of the spec. It compiles in half the time: its validators run only a few times. */
export function ajvWith(document: JsonObject): Ajv2020 {
  return ajvOf(definitions(document, {}), { code: { optimize: false }, inlineRefs: false });
}
