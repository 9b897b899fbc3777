// The document of the spec. Test files that share a process read it once: parsing takes longer than most of them.
import { fileURLToPath } from 'node:url';
import { isObject, type Json, loadYaml, resolve, type Source } from '../../scripts/generate/document/source.ts';

export const openapi: Source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));

/** A schema instead of a reference to it. Anything else is undefined. */
export function schemaBehind(schema: Json | undefined): Readonly<Record<string, Json>> | undefined {
  const target = isObject(schema) && typeof schema['$ref'] === 'string' ? resolve(openapi.value, schema['$ref']) : schema;
  return isObject(target) ? target : undefined;
}
