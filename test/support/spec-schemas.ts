import type { ValidateFunction } from 'ajv';
import { ajvWith } from '../../scripts/generate/check/ajv.ts';
import { forValidator } from '../../scripts/generate/document/json-schema.ts';
import { type Operation, readOperations } from '../../scripts/generate/document/operations.ts';
import type { Json, JsonObject } from '../../scripts/generate/document/source.ts';
import { openapi } from './openapi.ts';

const operations = new Map<string, Operation>(readOperations(openapi).map((one) => [one.id, one]));
const ajv = ajvWith(openapi.value);
const compiled = new Map<Json, ValidateFunction>();

/** The violations of the spec's schema by a reply; empty if it is valid. */
export function violations(id: string, status: string, mediaType: string, value: unknown): string[] {
  const reply = operations.get(id)?.replies.find((one) => one.status === status && one.mediaType === mediaType);
  if (!reply) throw new Error(`the spec has no ${status} ${mediaType} for ${id}`);
  // An event stream is validated by the schema of its events.
  const schema = reply.eventSchema ?? reply.schema;
  const validate = compiled.get(schema) ?? ajv.compile(forValidator(schema) as JsonObject);
  compiled.set(schema, validate);
  return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}

/** The violations of a named schema of the spec by a request. */
export function schemaViolations(name: string, value: unknown): string[] {
  const validate = ajv.compile(forValidator({ $ref: `#/components/schemas/${name}` }) as JsonObject);
  return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`);
}
