import type { AnthropicTool, Tool } from '../../generated/types.ts';
import { Problem, validated } from '../errors/problem.ts';
import { newFunctionTool } from '../surfaces/constants.ts';
import { mendArguments } from './argument-mending.ts';
import { parseArguments, typeOf } from './argument-repair.ts';
import { expectedText, plainIssues } from './schema-check.ts';
import {
  type JsonSchema,
  type OutputOf,
  type ResolvedSchema,
  resolveSchema,
  type SchemaIssue,
  SchemaProblem,
  type SchemaSource,
} from './standard-schema.ts';

/** What a tool is told of the call besides its arguments. */
export interface ToolCallContext {
  /** Aborts when the caller cancels, or leaves the stream. */
  readonly signal: AbortSignal;
  /** The model's id of the call. */
  readonly callId: string;
  /** Counts from 1. */
  readonly round: number;
}

/** What `defineTool` takes. */
export interface ToolDefinition<Source extends SchemaSource> {
  /** 1 to 64 letters, digits, underscores and hyphens. */
  readonly name: string;
  /** What the tool does and when to call it: the model reads this. */
  readonly description: string;
  /** A schema of an object. JSON Schema alone is checked for types, required properties and enums only. */
  readonly input: Source;
  /** Run a call. A string is the result as it is, anything else becomes JSON; an error becomes the result `error: <message>`. */
  run(input: OutputOf<Source>, call: ToolCallContext): unknown;
}

/** A call made ready: its arguments are read, mended and checked, but nothing has run. */
export type PreparedCall =
  | { readonly input: unknown; readonly problem?: undefined; readonly run: (call: ToolCallContext) => unknown }
  | { readonly input?: undefined; readonly problem: string };

/** A tool that brings its own arguments' schema and code: for `runWithTools` and `streamWithTools` of either surface. */
export interface TypedTool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments as the library gave it; what the service cannot parse is rewritten on sending. */
  readonly jsonSchema: JsonSchema;
  /** The tool's own code, as given: for tests. */
  run(input: Input, call: ToolCallContext): unknown;
  /** Read, mend and check the arguments of a call. Never throws: what is wrong is `problem`, in words for the model. */
  prepare(argumentsText: string): Promise<PreparedCall>;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A tool from a schema and a function. `run` receives the validated, typed value.
 *
 * Throws a ValidationError for a name the service refuses, a schema whose root is not an object or that cannot be said as JSON Schema,
 * and a missing `run`.
 */
export function defineTool<const Source extends SchemaSource>(definition: ToolDefinition<Source>): TypedTool<OutputOf<Source>> {
  const { name, description } = definition;
  const schema = validated('defineTool', () => checkedSchema(definition));
  return Object.freeze({
    name,
    description,
    jsonSchema: schema.jsonSchema,
    run: (value: OutputOf<Source>, call: ToolCallContext): unknown => definition.run(value, call),
    prepare: (argumentsText: string): Promise<PreparedCall> =>
      prepare(name, schema, argumentsText, (value, call) => definition.run(value as OutputOf<Source>, call)),
  });
}

function checkedSchema({ name, description, input, run }: ToolDefinition<SchemaSource>): ResolvedSchema {
  if (typeof name !== 'string' || !namePattern.test(name)) throw new Problem('name', `must match ${namePattern.source}`);
  if (typeof description !== 'string') throw new Problem('description', 'must be a string');
  if (typeof run !== 'function') throw new Problem('run', 'must be a function');
  const schema = resolved(input);
  if (!describesObject(schema.jsonSchema)) throw new Problem('input', 'must be a schema of an object');
  return schema;
}

function resolved(input: unknown): ResolvedSchema {
  try {
    return resolveSchema(input);
  } catch (error) {
    if (error instanceof SchemaProblem) throw new Problem('input', error.message);
    throw error;
  }
}

/** False when the root says that it is something else. A reference is taken on trust, and a union when one of its branches may be an object. */
export function describesObject(schema: JsonSchema): boolean {
  const seen = new Set<unknown>([schema]);
  // The set grows while it is walked: a schema that is shared is looked at once, however often it is referred to.
  for (const one of seen) {
    if (typeof one !== 'object' || one === null) continue;
    const { type, anyOf, oneOf } = one as JsonSchema;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (types.includes('object')) return true;
    if (types[0] !== undefined || 'enum' in one || 'const' in one) continue;
    const branches = anyOf ?? oneOf;
    if (!Array.isArray(branches)) return true;
    for (const branch of branches) seen.add(branch);
  }
  return false;
}

async function prepare(
  name: string,
  schema: ResolvedSchema,
  argumentsText: string,
  run: (value: unknown, call: ToolCallContext) => unknown,
): Promise<PreparedCall> {
  const parsed = typeof argumentsText === 'string' ? parseArguments(argumentsText) : undefined;
  if (!parsed) return { problem: `the arguments of ${name} are not valid JSON; expected ${expectedText(schema.jsonSchema)}` };
  const mended = mendArguments(parsed.value, schema.jsonSchema);
  try {
    if (schema.validate) {
      // Mended first: a coercing schema would take the text `false` for true. As received second: mending may have guessed wrong.
      const first = await schema.validate(mended);
      const second = first.issues && mended !== parsed.value ? await schema.validate(parsed.value) : first;
      const checked = second.issues ? first : second;
      if (checked.issues) return { problem: misfit(name, schema.jsonSchema, checked.issues) };
      return { input: checked.value, run: (call) => run(checked.value, call) };
    }
    const issues = typeOf(mended) === 'object' ? plainIssues(mended, schema.jsonSchema) : [notAnObject];
    return issues.length > 0 ? { problem: misfit(name, schema.jsonSchema, issues) } : { input: mended, run: (call) => run(mended, call) };
  } catch (error) {
    return { problem: `the arguments of ${name} could not be checked: ${errorText(error)}` };
  }
}

const notAnObject: SchemaIssue = { path: '', message: 'must be an object' };
const maxIssues = 10;

function misfit(name: string, schema: JsonSchema, issues: readonly SchemaIssue[]): string {
  const faults = issues.slice(0, maxIssues).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return `the arguments of ${name} do not fit: ${faults.join('; ')}; expected ${expectedText(schema)}`;
}

/** The words of anything thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'unknown';
  }
}

/** A typed tool as the chat surface declares it, for a tool loop of one's own. */
export function chatTool(tool: TypedTool): Tool {
  return newFunctionTool(tool.name, tool.description, tool.jsonSchema as Record<string, unknown>);
}

/** A typed tool as the message surface declares it. */
export function anthropicTool(tool: TypedTool): AnthropicTool {
  return { name: tool.name, description: tool.description, input_schema: tool.jsonSchema as NonNullable<AnthropicTool['input_schema']> };
}
