import type { JsonSchema } from '../tool-schema/json-schema.ts';

export type { JsonSchema };

/**
 * What this package asks of a schema library: the Standard Schema interface, `~standard`. zod 4, valibot and arktype have it.
 * Declared here, so that none of them is a dependency.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A schema that can also give itself as JSON Schema: zod 4 and arktype do; a valibot schema does through `toStandardJsonSchema` of its converter. */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

/** A schema of a library that gives no JSON Schema by itself, and the JSON Schema beside it. */
export interface SchemaPair<Input = unknown, Output = Input> {
  readonly schema: StandardSchema<Input, Output>;
  readonly jsonSchema: JsonSchema;
}

/** A schema from anywhere: of a library, of a library with its JSON Schema beside it, or JSON Schema alone. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse schemas whose input is narrower
export type SchemaSource = StandardJsonSchema<any, any> | SchemaPair<any, any> | JsonSchema;

/** The type of the values that a schema gives after validation; JSON Schema alone says no more than that it is an object. */
export type OutputOf<Source> =
  Source extends StandardSchema<infer _Input, infer Output>
    ? Output
    : Source extends SchemaPair<infer _Input, infer Output>
      ? Output
      : Record<string, unknown>;

/** The outcome of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[];
    };

/** One thing that a value has wrong. */
export interface SchemaIssue {
  /** For instance `stops[0].city`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

type Checked = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** Both halves of a schema: what the model is told, and what judges its answer. */
export interface ResolvedSchema {
  readonly jsonSchema: JsonSchema;
  /** Undefined for JSON Schema alone. */
  readonly validate: ((value: unknown) => Promise<Checked>) | undefined;
}

/** Thrown with the reason in words, for the caller to put the operation and the path before it. */
export class SchemaProblem extends Error {}

/** Both halves of a schema from anywhere. */
export function resolveSchema(source: unknown): ResolvedSchema {
  if (hasStandard(source)) return { jsonSchema: jsonSchemaOf(source), validate: validatorOf(source) };
  if (typeof source !== 'object' || source === null || Array.isArray(source)) throw new SchemaProblem('must be a schema');
  const pair = source as Partial<SchemaPair>;
  if (!hasStandard(pair.schema)) return { jsonSchema: source as JsonSchema, validate: undefined };
  if (typeof pair.jsonSchema !== 'object' || pair.jsonSchema === null) throw new SchemaProblem('has a schema but no jsonSchema beside it');
  return { jsonSchema: pair.jsonSchema, validate: validatorOf(pair.schema) };
}

// arktype's schemas are functions.
function hasStandard(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard?.validate === 'function';
}

/** The newest draft first: libraries throw for a target they do not know. */
const targets = ['draft-2020-12', 'draft-07'];

function jsonSchemaOf(schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = (schema as StandardJsonSchema)['~standard'];
  if (typeof jsonSchema?.input !== 'function')
    throw new SchemaProblem(
      `is a schema of ${vendor} that gives no JSON Schema by itself: pass { schema, jsonSchema }, or what its converter makes of it`,
    );
  let cause: unknown;
  for (const target of targets) {
    try {
      const { $schema: _dialect, ...rest } = jsonSchema.input({ target });
      return rest;
    } catch (error) {
      cause = error;
    }
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new SchemaProblem(`cannot be said as JSON Schema: ${reason}`);
}

function validatorOf(schema: StandardSchema): (value: unknown) => Promise<Checked> {
  return async (value) => {
    const result = await schema['~standard'].validate(value);
    if (!result.issues) return { value: result.value };
    return { issues: result.issues.map(({ message, path }) => ({ message, path: readable(path ?? []) })) };
  };
}

function readable(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return pathText(path.map((step) => (typeof step === 'object' ? step.key : step)));
}

/** `['stops', 0, 'city']` as `stops[0].city`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? String(step) : `.${String(step)}`;
  return text;
}
