import type { AnthropicMessageResponse, ChatResponse, ResponseFormat } from '../../generated/types.ts';
import { cleanText } from '../errors/clean.ts';
import { OutputError } from '../errors/errors.ts';
import { fieldsOf, listOf } from '../errors/json-value.ts';
import { Problem, validated } from '../errors/problem.ts';
import { contentText } from '../streams/helpers.ts';
import { blockText } from '../surfaces/anthropic-reply.ts';
import { newJSONSchemaFormat } from '../surfaces/constants.ts';
import { finishError } from '../surfaces/finish.ts';
import { parseArguments, withoutFence } from './argument-repair.ts';
import { plainIssues } from './schema-check.ts';
import { type OutputOf, type ResolvedSchema, resolveSchema, SchemaProblem, type SchemaSource } from './standard-schema.ts';

/** How to ask for structured output. */
export interface ResponseFormatOptions {
  /** Name of the format: 1 to 64 letters, digits, underscores and hyphens. Default: `response`. */
  readonly name?: string;
  /** Hold the model to the schema. Default: true. */
  readonly strict?: boolean;
  /**
   * `json_object` is the kind the vendor documents: it asks for any JSON, and the model learns the schema only from the prompt; put
   * `instructions` there. Default: `json_schema`.
   */
  readonly type?: 'json_schema' | 'json_object';
}

/** A `response_format` that can also read the answer. `JSON.stringify` of it is the wire object. */
export interface StructuredFormat<Output> extends ResponseFormat {
  /** The schema in words for the prompt, where the model does not get it otherwise. */
  readonly instructions: string;
  /**
   * The answer's value, validated: of a whole response of either surface, or of its text. Throws an OutputError when the answer was cut, is
   * not JSON or does not fit; a code fence around the JSON is taken off.
   */
  parse(answer: ChatResponse | AnthropicMessageResponse | string): Promise<Output>;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Structured output by a schema of zod, valibot, arktype or JSON Schema: the result is a request's `response_format`, and its `parse` reads
 * the answer. JSON Schema alone checks types, required properties and enums only.
 */
export function responseFormat<const Source extends SchemaSource>(
  source: Source,
  options: ResponseFormatOptions = {},
): StructuredFormat<OutputOf<Source>> {
  const { name = 'response', strict = true, type = 'json_schema' } = options;
  const { schema, schemaText } = validated('responseFormat', () => checkedSchema(name, source));
  const jsonSchema = schema.jsonSchema as Record<string, unknown>;
  const format: ResponseFormat = type === 'json_object' ? { type } : newJSONSchemaFormat(name, jsonSchema, strict);
  return Object.defineProperties(format, {
    instructions: { value: `Answer with JSON alone, by this JSON Schema: ${schemaText}`, enumerable: false },
    parse: { value: (answer: Answer) => parse(schema, answer), enumerable: false },
  }) as StructuredFormat<OutputOf<Source>>;
}

type Validate = NonNullable<ResolvedSchema['validate']>;
type Answer = ChatResponse | AnthropicMessageResponse | string;

function checkedSchema(name: unknown, source: unknown): { readonly schema: ResolvedSchema; readonly schemaText: string } {
  if (typeof name !== 'string' || !namePattern.test(name)) throw new Problem('name', `must match ${namePattern.source}`);
  const schema = resolved(source);
  return { schema, schemaText: textOfSchema(schema.jsonSchema) };
}

function resolved(source: unknown): ResolvedSchema {
  try {
    return resolveSchema(source);
  } catch (error) {
    if (error instanceof SchemaProblem) throw new Problem('schema', error.message);
    throw error;
  }
}

function textOfSchema(schema: object): string {
  try {
    return JSON.stringify(schema);
  } catch {
    throw new Problem('schema', 'cannot be written as JSON: it holds a cycle or a bigint, or is nested too deep');
  }
}

async function parse({ jsonSchema, validate }: ResolvedSchema, answer: Answer): Promise<unknown> {
  const text = textOf(answer);
  const cut = typeof answer === 'string' ? undefined : finishError(answer);
  if (cut) throw new OutputError('unfinished', 'the answer is not whole', text, [], cut);
  const parsed = withoutFence(text.trim()) === '' ? undefined : parseArguments(text);
  if (!parsed) throw new OutputError('malformed', `the answer is not JSON (${text.length} characters)`, text);
  const checked = validate ? await judged(validate, parsed.value, text) : { value: parsed.value, issues: plainIssues(parsed.value, jsonSchema) };
  const issues = checked.issues ?? [];
  if (issues.length > 0) throw new OutputError('invalid', `the answer does not fit the schema at ${cleanText(places(issues), [])}`, text, issues);
  return 'value' in checked ? checked.value : undefined;
}

/** A validator may throw, for instance on an answer that is nested too deep for it. */
async function judged(validate: Validate, value: unknown, text: string): ReturnType<Validate> {
  try {
    return await validate(value);
  } catch (cause) {
    throw new OutputError('invalid', 'the schema could not check the answer (see cause)', text, [], cause);
  }
}

function places(issues: readonly { readonly path: string }[]): string {
  return [...new Set(issues.map(({ path }) => path || 'the root'))].slice(0, 5).join(', ');
}

function textOf(answer: Answer): string {
  if (typeof answer === 'string') return answer;
  const { choices } = fieldsOf(answer);
  if (choices === undefined) return blockText(answer, 'text');
  return contentText(fieldsOf(fieldsOf(listOf(choices)[0])['message'])['content'] as string | undefined);
}
