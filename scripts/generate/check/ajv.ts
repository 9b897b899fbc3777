import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { definitions } from '../document/json-schema.ts';
import type { JsonObject } from '../document/source.ts';

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
