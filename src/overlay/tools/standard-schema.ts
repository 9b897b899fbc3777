import type { JsonSchema } from '../tool-schema/json-schema.ts';

export type { JsonSchema };

/**
 * The Standard Schema interface, `~standard`, which zod 4, valibot and arktype implement.
 * It is declared here so that none of them is a dependency.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A schema that can be converted to JSON Schema: zod 4, arktype, and valibot with `toStandardJsonSchema` of its converter. */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}

/** A schema of a library without JSON Schema conversion, together with its JSON Schema. */
export interface SchemaPair<Input = unknown, Output = Input> {
  readonly schema: StandardSchema<Input, Output>;
  readonly jsonSchema: JsonSchema;
}

/** A schema in any supported form: of a library, of a library together with its JSON Schema, or JSON Schema alone. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse schemas whose input is narrower
export type SchemaSource = StandardJsonSchema<any, any> | SchemaPair<any, any> | JsonSchema;

/** The type of values after validation. For JSON Schema alone it is `Record<string, unknown>`. */
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

/** One violation of a schema. */
export interface SchemaIssue {
  /** Place in the value, for instance `stops[0].city`; empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

type Checked = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** A schema as JSON Schema for the model, and as a validator of its answers. */
export interface ResolvedSchema {
  readonly jsonSchema: JsonSchema;
  /** Undefined for JSON Schema alone. */
  readonly validate: ((value: unknown) => Promise<Checked>) | undefined;
}

/** The message is the reason only. The caller adds the operation and the path. */
export class SchemaProblem extends Error {}

/** Resolves a schema in any supported form. */
export function resolveSchema(source: unknown): ResolvedSchema {
  if (hasStandard(source)) return { jsonSchema: jsonSchemaOf(source), validate: validatorOf(source) };
  if (typeof source !== 'object' || source === null || Array.isArray(source)) throw new SchemaProblem('must be a schema');
  const pair = source as Partial<SchemaPair>;
  if (!hasStandard(pair.schema)) return { jsonSchema: source as JsonSchema, validate: undefined };
  if (typeof pair.jsonSchema !== 'object' || pair.jsonSchema === null)
    throw new SchemaProblem('has a schema but no jsonSchema: pass { schema, jsonSchema }');
  return { jsonSchema: pair.jsonSchema, validate: validatorOf(pair.schema) };
}

// Schemas of arktype are functions.
function hasStandard(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard?.validate === 'function';
}

/** Drafts to request, the newest first. Libraries throw for an unknown draft. */
const targets = ['draft-2020-12', 'draft-07'];

function jsonSchemaOf(schema: StandardSchema): JsonSchema {
  const { jsonSchema, vendor } = (schema as StandardJsonSchema)['~standard'];
  if (typeof jsonSchema?.input !== 'function')
    throw new SchemaProblem(`is a schema of ${vendor} without a JSON Schema: pass { schema, jsonSchema }, or the result of the library's converter`);
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
  throw new SchemaProblem(`cannot be converted to JSON Schema: ${reason}`);
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
