import { asked } from '../json/json-value.ts';
import { plainSchema } from '../json/plain-schema.ts';
import { Problem } from '../json/problem.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { TypeboxSchema, TypeboxValue } from './typebox.ts';

export type { JsonSchema };

/**
 * The Standard Schema interface, `~standard`, which zod, valibot and arktype implement.
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

/** A schema that can be converted to JSON Schema: zod from 4.2, arktype, and valibot with `toStandardJsonSchema` of its converter. */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly '~standard': StandardSchema<Input, Output>['~standard'] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string; readonly libraryOptions?: Record<string, unknown> }) => Record<string, unknown>;
    };
  };
}

/** A schema of a library without JSON Schema conversion, together with its JSON Schema. */
export interface SchemaPair<Input = unknown, Output = Input> {
  readonly schema: StandardSchema<Input, Output>;
  readonly jsonSchema: JsonSchema;
}

/** A schema in any supported form: of a library, of a library together with its JSON Schema, of typebox, or JSON Schema alone. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse schemas whose input is narrower
export type SchemaSource = StandardJsonSchema<any, any> | SchemaPair<any, any> | TypeboxSchema | JsonSchema;

/** The type of values after validation. For JSON Schema alone it is `Record<string, unknown>`. */
export type OutputOf<Source> =
  Source extends StandardSchema<infer _Input, infer Output>
    ? Output
    : Source extends SchemaPair<infer _Input, infer Output>
      ? Output
      : Source extends TypeboxSchema
        ? TypeboxValue<Source>
        : Record<string, unknown>;

/** The type of values before validation, as the model writes them. */
export type SchemaInputOf<Source> =
  Source extends StandardSchema<infer Input, infer _Output>
    ? Input
    : Source extends SchemaPair<infer Input, infer _Output>
      ? Input
      : OutputOf<Source>;

/** The outcome of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[];
    };

/** One violation of a schema. */
export interface SchemaIssue {
  /** Path within the value, for instance `stops[0].city`; empty for the value itself. */
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

/** Resolves a schema in any supported form. Throws a Problem at `path`; `owner` is the name of the tool or format. */
export function resolveSchema(source: unknown, path: string, owner: string): ResolvedSchema {
  if (hasStandard(source)) return { jsonSchema: jsonSchemaOf(source, path, owner), validate: validatorOf(source) };
  const { schema, jsonSchema } = Object(source) as Partial<SchemaPair>;
  if (hasStandard(schema)) return { jsonSchema: plainSchema(jsonSchema, `${path}.jsonSchema`, owner), validate: validatorOf(schema) };
  return { jsonSchema: plainSchema(source, path, owner), validate: undefined };
}

// Schemas of arktype are functions.
function hasStandard(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && typeof standard?.validate === 'function';
}

/** Drafts to request, the newest first. Libraries throw for an unknown draft. */
const targets = ['draft-2020-12', 'draft-07'];

function jsonSchemaOf(schema: StandardSchema, path: string, owner: string): JsonSchema {
  const { jsonSchema, vendor } = (schema as StandardJsonSchema)['~standard'];
  if (typeof jsonSchema?.input !== 'function') throw new Problem(path, `of ${owner} is a schema of ${remedy(schema, vendor)}`);
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
  const field = vendor === 'zod' ? asked(() => zodField(jsonSchema.input)) : undefined;
  throw new Problem(path, `of ${owner} cannot be converted to JSON Schema: ${reason}${field ?? ''}`);
}

/** The ways to write in JSON what zod does not convert. A model writes text, lists and objects. */
const zodWays: Readonly<Record<string, string>> = {
  date: 'a codec, such as z.codec(z.iso.datetime(), z.date(), …), or z.string()',
  bigint: 'a codec, such as z.codec(z.string(), z.bigint(), …), or z.string()',
  map: 'a codec from z.record(…) to z.map(…), or z.record(…)',
  set: 'a codec from z.array(…) to z.set(…), or z.array(…)',
};

/** The first field that zod cannot convert, and what to write there. Undefined if there is none. */
function zodField(input: StandardJsonSchema['~standard']['jsonSchema']['input']): string | undefined {
  let found: string | undefined;
  const override = ({ zodSchema, path }: { zodSchema: { _zod: { def: { type: string } } }; path: readonly PropertyKey[] }): void => {
    const { type } = zodSchema._zod.def;
    if (Object.hasOwn(zodWays, type)) found ??= `, at ${fieldOf(path) || 'the root'}: use ${zodWays[type]}`;
  };
  input({ target: targets[0] as string, libraryOptions: { unrepresentable: 'any', override } });
  return found;
}

/** `stops[].when` from the steps of a JSON Schema. */
function fieldOf(steps: readonly PropertyKey[]): string {
  let text = '';
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === 'items') text += '[]';
    else if (step === 'additionalProperties') text += '[key]';
    else if (step === 'prefixItems') text += `[${String(steps[++at])}]`;
    else if (step === 'properties') text += `${text && '.'}${String(steps[++at])}`;
  }
  return text;
}

/** Advice for a library whose schemas have no conversion to JSON Schema. */
function remedy(schema: object, vendor: string): string {
  const pair = 'pass { schema, jsonSchema';
  if (vendor === 'valibot') return 'valibot: pass toStandardJsonSchema(schema) of @valibot/to-json-schema';
  if (vendor !== 'zod') return `${vendor}: ${pair} }`;
  // Schemas of zod 3 lack the property.
  if ('_zod' in schema) return `zod: ${pair}: z.toJSONSchema(schema, { io: 'input' }) }`;
  return `zod 3: build it with zod/v4 and z.toJSONSchema, or ${pair} }`;
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
