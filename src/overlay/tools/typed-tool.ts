import type { AnthropicTool, ResponsesTool, Tool } from '../../generated/types.ts';
import { isError } from '../errors/guards.ts';
import { validated, validationError } from '../errors/problem.ts';
import { parseArguments, typeOf } from '../json/argument-repair.ts';
import { losesDigits, type ReadJson } from '../json/exact.ts';
import { asked, isObject } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { OBJECT } from '../json/schema.ts';
import { SchemaDocument } from '../json/schema-document.ts';
import type { AnswerCall } from '../surfaces/answer.ts';
import { ToolTypeFunction } from '../surfaces/constants.ts';
import { mendArguments } from './argument-mending.ts';
import type { ToolApproval } from './decisions.ts';
import { expectedText, plainIssues } from './schema-check.ts';
import { type JsonSchema, type OutputOf, type ResolvedSchema, resolveSchema, type SchemaIssue, type SchemaSource } from './standard-schema.ts';

/** Context of a tool call, besides its arguments. */
export interface ToolCallContext {
  /** Aborts when the caller cancels the run or leaves the stream. */
  readonly signal: AbortSignal;
  /** The model's id of the call. */
  readonly callId: string;
  /** Number of the round, from 1. */
  readonly round: number;
}

/** Definition of a tool for `defineTool`. */
export interface ToolDefinition<Source extends SchemaSource, Name extends string = string> {
  /** 1 to 64 letters, digits, underscores and hyphens. */
  readonly name: Name;
  /** Describes to the model the purpose of the tool and when to call it. The vendor marks it required. Default: the name. */
  readonly description?: string | undefined;
  /** A schema of an object. With JSON Schema alone, only types, required properties and enums are checked. */
  readonly input: Source;
  /** Runs a call. A returned string is the result; other values are converted to JSON. If it throws, the result is `error: <message>`. */
  run(input: OutputOf<Source>, call: ToolCallContext): unknown;
  /**
   * Asked before a call runs, unless its arguments are invalid or `onRound` denied or replaced it. False denies the call; `{ deny }` and
   * `{ replace }` give the model a text. Calls are asked for one at a time, before a tool of the round runs. An error it throws ends the run,
   * and so does any other return value. Default: every call runs that `onRound` allows.
   */
  readonly approve?: ((input: OutputOf<Source>, call: ToolCallContext) => ToolApproval | Promise<ToolApproval>) | undefined;
}

/** A call with parsed, repaired and validated arguments, which has not run yet. */
export type PreparedCall =
  | {
      readonly input: unknown;
      readonly problem?: undefined;
      readonly run: (call: ToolCallContext) => unknown;
      /** The tool's own decision. */
      readonly approve?: ((call: ToolCallContext) => unknown) | undefined;
    }
  | { readonly input?: undefined; readonly problem: string; readonly approve?: undefined };

/** A tool with its schema and code, for `runWithTools` and `streamWithTools` of any surface. */
export interface TypedTool<Input = unknown, Name extends string = string> {
  readonly name: Name;
  readonly description: string;
  /** The JSON Schema of the arguments as the library returned it. Unsupported parts are rewritten when it is sent. */
  readonly jsonSchema: JsonSchema;
  /** The `run` of the definition, for tests. */
  run(input: Input, call: ToolCallContext): unknown;
  /**
   * Parses, repairs and validates the arguments of a call, as text or as a call of `answerOf`. An integer or a number that a double cannot
   * hold reaches `run` as text where the schema allows text. Never throws: `problem` describes invalid arguments to the model.
   */
  prepare(call: string | AnswerCall): Promise<PreparedCall>;
  /** The tool as a surface declares it, for a tool loop of your own. */
  as(surface: 'chat'): Tool;
  as(surface: 'messages'): AnthropicTool;
  as(surface: 'responses'): ResponsesTool;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Create a tool from a schema and a function. `run` receives the validated, typed value.
 *
 * Throws a ValidationError for an invalid name, a schema whose root is not an object or that cannot be converted to JSON Schema,
 * and a missing `run`.
 *
 * @example
 * ```ts
 * const weather = defineTool({
 *   name: 'weather',
 *   description: 'The weather in a city',
 *   input: z.object({ city: z.string() }),
 *   run: ({ city }) => `Rain in ${city}`,
 * });
 * const request = { model: 'glm-5.3', effort: 'low' as const, messages: [{ role: 'user', content: 'What is the weather in Metz?' }] };
 * await c.chat().runWithTools(request, [weather]);
 * ```
 */
export function defineTool<const Source extends SchemaSource, const Name extends string = string>(
  definition: ToolDefinition<Source, Name>,
): TypedTool<OutputOf<Source>, Name> {
  const schema = validated('defineTool', () => checkedSchema(definition));
  const { name, description = name, approve } = definition;
  return Object.freeze<TypedTool<OutputOf<Source>, Name>>({
    name,
    description,
    jsonSchema: schema.jsonSchema,
    run: (value: OutputOf<Source>, call: ToolCallContext): unknown => definition.run(value, call),
    prepare: async (call: string | AnswerCall): Promise<PreparedCall> => {
      const checked = await checkedInput(name, schema, typeof call === 'string' ? parseArguments(call) : call?.read);
      if (checked.problem !== undefined) return checked;
      const input = checked.input as OutputOf<Source>;
      const run = (call: ToolCallContext): unknown => definition.run(input, call);
      return { input, run, approve: approve && ((call) => approve(input, call)) };
    },
    as(this: TypedTool<never>, surface: keyof typeof declared) {
      if (!Object.hasOwn(declared, surface)) throw validationError('tool.as', new Problem('surface', "must be 'chat', 'messages' or 'responses'"));
      return declared[surface](this) as never;
    },
  });
}

const declared = { chat: chatTool, messages: anthropicTool, responses: responsesTool };

function checkedSchema(definition: ToolDefinition<SchemaSource>): ResolvedSchema {
  if (!isObject(definition)) throw new Problem('the definition', 'must be an object with name, input and run');
  const { name, description = name, input, run, approve } = definition;
  if (typeof name !== 'string' || !namePattern.test(name)) throw new Problem('name', `must match ${namePattern.source}`);
  if (typeof description !== 'string') throw new Problem('description', 'must be a string');
  if (input === undefined && 'parameters' in definition) throw new Problem('input', 'is required: name the schema input, not parameters');
  if (typeof run !== 'function') throw new Problem('run', 'must be a function');
  if (approve !== undefined && typeof approve !== 'function') throw new Problem('approve', 'must be a function');
  const schema = resolveSchema(input, 'input', name);
  if (!describesObject(schema.jsonSchema)) throw new Problem('input', `of ${name} must be a schema of an object`);
  return schema;
}

/** False if no object can match the root, with its branches and references. */
export function describesObject(schema: JsonSchema): boolean {
  return (new SchemaDocument(schema).types(schema) & OBJECT) !== 0;
}

type CheckedInput = { readonly input: unknown; readonly problem?: undefined } | { readonly input?: undefined; readonly problem: string };

async function checkedInput(name: string, schema: ResolvedSchema, parsed: ReadJson | undefined): Promise<CheckedInput> {
  if (!parsed) return { problem: `the arguments of ${name} are not valid JSON; expected ${expectedText(schema.jsonSchema)}` };
  const { value } = parsed;
  // Repaired arguments first, because a coercing schema would read the text `false` as true. Then the original, in case the repair was wrong.
  const forms = new Set([mendArguments(value, schema.jsonSchema), value]);
  // Models write these for no arguments.
  if (value === null || (Array.isArray(value) && value.length === 0)) forms.add({});
  try {
    let issues: readonly SchemaIssue[] | undefined;
    for (const form of forms) {
      const checked = schema.validate ? await schema.validate(form) : plainly(form, schema.jsonSchema);
      if (!checked.issues) return { input: checked.value };
      issues ??= checked.issues;
    }
    const words = misfit(name, schema.jsonSchema, issues ?? []);
    return { problem: losesDigits(parsed.json) ? `${words}; ${sendAsText}` : words };
  } catch (error) {
    return { problem: `the arguments of ${name} could not be checked: ${errorText(error)}` };
  }
}

function plainly(value: unknown, schema: JsonSchema): { readonly value?: unknown; readonly issues?: readonly SchemaIssue[] } {
  const issues = typeOf(value) === 'object' ? plainIssues(value, schema) : [notAnObject];
  return issues.length > 0 ? { issues } : { value };
}

const sendAsText = 'a number holds 15 digits and values up to 1e308: send longer integers as text, and larger numbers too';

const notAnObject: SchemaIssue = { path: '', message: 'must be an object' };
const maxIssues = 10;

function misfit(name: string, schema: JsonSchema, issues: readonly SchemaIssue[]): string {
  const faults = issues.slice(0, maxIssues).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return `the arguments of ${name} do not fit: ${faults.join('; ')}; expected ${expectedText(schema)}`;
}

/** The message of any thrown value. An object without a message is JSON, and `unknown` if that is empty. */
export function errorText(error: unknown): string {
  const message = isError(error) || isObject(error) ? asked(() => (error as { readonly message?: unknown }).message) : undefined;
  if (isError(error) || typeof message === 'string') return asked(() => String(message)) ?? 'unknown';
  const text = asked(() => String(error)) ?? 'unknown';
  if (!/^\[object |\[object Object\]/.test(text)) return text;
  const json = asked(() => JSON.stringify(error)) ?? '{}';
  return json === '{}' ? 'unknown' : json;
}

/** A typed tool as the chat surface declares it. */
function chatTool({ name, description, jsonSchema }: TypedTool<never>): Tool {
  return { type: ToolTypeFunction, function: { name, description, parameters: jsonSchema as Record<string, unknown> } };
}

/** A typed tool as the message surface declares it. */
function anthropicTool({ name, description, jsonSchema }: TypedTool<never>): AnthropicTool {
  return { name, description, input_schema: jsonSchema as NonNullable<AnthropicTool['input_schema']> };
}

/** A typed tool as the Responses surface declares it. */
function responsesTool({ name, description, jsonSchema }: TypedTool<never>): ResponsesTool {
  return { type: ToolTypeFunction, name, description, parameters: jsonSchema as Record<string, unknown> };
}
