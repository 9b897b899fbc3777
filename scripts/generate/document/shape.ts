import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, Source } from './source.ts';

/** Labels of evidence, best first. */
export const evidenceWords = ['documented', 'recorded', 'reported', 'sdk-only', 'unconfirmed'];

/** The form of a map with exactly these fields, for `checkShape`. */
export function mapOf(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: 'object', required: [...required], properties, additionalProperties: false };
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, verbose: true });

/** Refuse a file of another form, for instance with a misspelt field or a word instead of a number. */
export function checkShape(source: Source, schema: JsonObject): void {
  if (ajv.validate(schema, source.value)) return;
  const { instancePath = '', keyword = '', params = {}, parentSchema, message } = ajv.errors?.[0] ?? {};
  const place = instancePath.split('/').slice(1);
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object).join(', ');
  if (keyword === 'additionalProperties') {
    const name = String(params['additionalProperty']);
    throw source.error([...place, name], `unknown field ${name}; use one of ${known}`);
  }
  if (keyword === 'required') throw source.error([...place, String(params['missingProperty'])], 'missing');
  throw source.error(place, keyword === 'enum' ? `must be one of ${params['allowedValues'].join(', ')}` : (message ?? 'malformed'));
}
