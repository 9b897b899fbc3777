import type { AnthropicMessageResponse, ChatResponse, ResponseFormat, ResponsesResponse } from '../../generated/types.ts';
import { OutputError } from '../errors/answer-errors.ts';
import { validated, validationError } from '../errors/problem.ts';
import { parseArguments, withoutFence } from '../json/argument-repair.ts';
import type { ReadJson } from '../json/exact.ts';
import { behindThought, onlyJsonIn } from '../json/json-in-text.ts';
import { isObject, isThenable } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { cleanText } from '../secrets/clean.ts';
import type { AnswerStream } from '../streams/helpers.ts';
import { answerOf } from '../surfaces/answer-of.ts';
import { type GrowingAnswer, growingAnswer } from './growing-answer.ts';
import { plainIssues } from './schema-check.ts';
import { type OutputOf, type ResolvedSchema, resolveSchema, type SchemaInputOf, type SchemaSource } from './standard-schema.ts';

/** Options of `outputFormat`. */
export interface OutputFormatOptions {
  /** Name of the format: 1 to 64 letters, digits, underscores and hyphens. Default: `response`. */
  readonly name?: string | undefined;
  /** Require the model to follow the schema. Default: true. */
  readonly strict?: boolean | undefined;
  /**
   * `json_object` is the documented type. It requests any JSON, and the model does not receive the schema: put `instructions` in the
   * prompt. Default: `json_schema`.
   */
  readonly type?: 'json_schema' | 'json_object' | undefined;
}

const optionFields: KnownFields<OutputFormatOptions> = { name: 1, strict: 1, type: 1 };

/** A `response_format` that can also parse the answer. `JSON.stringify` returns the wire object. */
export interface OutputFormat<Output, Input = unknown> extends ResponseFormat {
  /** Instructions with the schema, for the prompt of a `json_object` request. */
  readonly instructions: string;
  /**
   * Returns the validated value of an answer, from a response of any surface or its text. A code fence, a thought in `<think>` or before a
   * `</think>` alone, and words around the one JSON value are removed. For a stream use `partial`.
   * Throws an OutputError if the answer is incomplete, is not JSON or does not match the schema.
   */
  parse(answer: ChatResponse | AnthropicMessageResponse | ResponsesResponse | string): Promise<Output>;
  /**
   * The value while it arrives, from a stream of any surface: for showing it, never for acting on it. Each step is the same object, grown, so
   * copy what you keep. A text grows; a number or a word appears when it is complete. The last step is the validated value, also in `value()`.
   * After a `</think>` without its beginning, another object begins.
   * Throws the error of the stream, or the one that `parse` throws for the complete answer.
   *
   * @example
   * ```ts
   * const format = outputFormat(z.object({ answer: z.string() }));
   * const messages = [{ role: 'user', content: 'Is 91 prime? Answer in JSON.' }];
   * const growing = format.partial(c.chat().stream({ model: 'glm-5.3', effort: 'low', messages, response_format: format }));
   * for await (const { answer = '' } of growing) console.log(answer);
   * console.log((await growing.value()).answer.length);
   * ```
   */
  partial(stream: AnswerStream): GrowingAnswer<Output, Input>;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Create a `response_format` from a schema of zod, valibot or arktype, or from JSON Schema. Its `parse` reads and validates the answer.
 * With JSON Schema alone, only types, required properties and enums are checked.
 *
 * @example
 * ```ts
 * const format = outputFormat(z.object({ answer: z.string() }));
 * const messages = [{ role: 'user', content: 'Is 91 prime? Answer in JSON.' }];
 * const response = await c.chat().create({ model: 'glm-5.3', effort: 'low', messages, response_format: format });
 * const { answer } = await format.parse(response);
 * console.log(answer);
 * ```
 */
export function outputFormat<const Source extends SchemaSource>(
  source: Source,
  options: OutputFormatOptions = {},
): OutputFormat<OutputOf<Source>, SchemaInputOf<Source>> {
  validated('outputFormat', () => checkFields(options, optionFields, 'options'));
  const { name = 'response', strict = true, type = 'json_schema' } = options;
  const { schema, schemaText } = validated('outputFormat', () => checkedSchema(name, source));
  const jsonSchema = schema.jsonSchema as Record<string, unknown>;
  const format: ResponseFormat = type === 'json_object' ? { type } : { type, json_schema: { name, schema: jsonSchema, strict } };
  return Object.defineProperties(format, {
    instructions: { value: schemaInstruction + schemaText, enumerable: false },
    parse: { value: (answer: Parsable) => parse(schema, answer), enumerable: false },
    partial: { value: (stream: AnswerStream) => growingAnswer(stream, (answer) => parse(schema, answer)), enumerable: false },
  }) as OutputFormat<OutputOf<Source>, SchemaInputOf<Source>>;
}

/** Begins the instructions of a format; the schema follows. The fake reads it. */
export const schemaInstruction: string = 'Answer only with JSON that matches this JSON Schema: ';

type Validate = NonNullable<ResolvedSchema['validate']>;
type Parsable = ChatResponse | AnthropicMessageResponse | ResponsesResponse | string;

function checkedSchema(name: unknown, source: unknown): { readonly schema: ResolvedSchema; readonly schemaText: string } {
  if (typeof name !== 'string' || !namePattern.test(name)) throw new Problem('name', `must match ${namePattern.source}`);
  const schema = resolveSchema(source, 'schema', name);
  return { schema, schemaText: textOfSchema(schema.jsonSchema) };
}

function textOfSchema(schema: object): string {
  try {
    return JSON.stringify(schema);
  } catch {
    throw new Problem('schema', 'cannot be written as JSON: it contains a cycle or a bigint, or is nested too deeply');
  }
}

async function parse({ jsonSchema, validate }: ResolvedSchema, answer: Parsable): Promise<unknown> {
  if (isThenable(answer)) throw validationError('outputFormat.parse', new Problem('the answer', 'is a Promise: await it'));
  if (isObject(answer) && Symbol.asyncIterator in answer)
    throw validationError(
      'outputFormat.parse',
      new Problem('the answer', 'is a stream: pass it to format.partial, or pass await collecting(stream).response()'),
    );
  const { text, ending: cut } = typeof answer === 'string' ? { text: answer } : answerOf(answer);
  if (cut) throw new OutputError('unfinished', 'the answer is incomplete', text, [], cut);
  const parsed = behindThought(text, valueIn);
  if (!parsed) throw new OutputError('malformed', `the answer is not JSON (${text.length} characters)`, text, [notOneValue]);
  const checked = validate ? await judged(validate, parsed.value, text) : { value: parsed.value, issues: plainIssues(parsed.value, jsonSchema) };
  const issues = checked.issues ?? [];
  if (issues.length > 0) throw new OutputError('invalid', misfitOf(issues, !validate), text, issues);
  return 'value' in checked ? checked.value : undefined;
}

const notOneValue = { path: '', message: 'the answer must be one complete JSON value' };

/** The value of a text: alone, or as the only object or list among other words. */
function valueIn(text: string): ReadJson | undefined {
  const parsed = withoutFence(text.trim()) === '' ? undefined : parseArguments(text);
  return parsed ?? onlyJsonIn(text);
}

/** A validator may throw, for instance if an answer is nested too deeply for it. */
async function judged(validate: Validate, value: unknown, text: string): ReturnType<Validate> {
  try {
    return await validate(value);
  } catch (cause) {
    throw new OutputError('invalid', 'the schema could not check the answer', text, [], cause);
  }
}

/** Where the answer does not match. Messages of a schema library are left out, because they quote the answer. */
function misfitOf(issues: OutputError['issues'], isPlain: boolean): string {
  const places = issues.map(({ path, message }) => `${path || 'the root'}${isPlain ? ` ${message}` : ''}`);
  return `the answer does not match the schema${isPlain ? ':' : ' at'} ${cleanText([...new Set(places)].slice(0, 5).join(', '), [])}`;
}
