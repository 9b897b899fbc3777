import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { isObject, type Json, type JsonObject, resolve, rewrite } from './source.ts';

/** Keywords without effect on validation. */
const prose = new Set(['title', 'description', 'deprecated', 'default', 'examples', 'example', 'format']);

/** Converts a schema of the spec for ajv: references point into `spec#/$defs/`, prose is removed, binary parts accept every value. */
export function forValidator(schema: Json): Json {
  return rewrite(schema, (node) => {
    if (node['format'] === 'binary') return {};
    const bare: JsonObject = {};
    for (const [key, child] of Object.entries(node)) {
      if (key.startsWith('x-')) continue;
      // A property may have the name of a keyword. Only scalars and lists under these names are prose.
      if (prose.has(key) && !isObject(child)) continue;
      bare[key] = key === '$ref' && typeof child === 'string' ? child.replace('#/components/schemas/', 'spec#/$defs/') : child;
    }
    return bare;
  });
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
