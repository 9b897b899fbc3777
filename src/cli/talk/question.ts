// A question to a model, from the options of a command. Every surface makes its request from it.
import type { Effort, OutputFormat } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { knownCapabilities } from '../client.ts';
import { usageError } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import { defaultModels } from '../table/model-ids.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Attachment } from './attachments.ts';
import { type Schema, schemaOf } from './schema.ts';
import type { GivenTool } from './tools.ts';

/** The commands that ask a model, each by its surface. */
export const surfaceNames = ['chat', 'messages', 'responses'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

/** A message, or an item, as the wire of its surface has it, without the system prompt. */
export interface WireMessage {
  /** Absent on items of Responses that are not messages. */
  readonly role?: string;
  readonly [field: string]: unknown;
}

/** How a model answers: everything but the conversation. */
export interface AnswerOptions {
  readonly model: string;
  /** Models to ask if that one refuses. */
  readonly fallback: readonly string[];
  /** `for` of `firstModel`, with `fallback`; of --retry-for. */
  readonly retryFor: number | undefined;
  readonly system: string | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  /** Switch thinking on, at a depth of the service's choice. */
  readonly thinks: boolean;
  readonly effort: Effort | undefined;
  /** Ask for JSON, of a schema or any, and check it. */
  readonly format: OutputFormat<unknown> | undefined;
  /** Instructions with the schema. */
  readonly instructions: string | undefined;
  readonly tools: readonly GivenTool[];
  /** Engine of the service's web search, which only chat names. Undefined without a search. */
  readonly searchEngine: string | undefined;
}

export interface Question extends AnswerOptions {
  /** The conversation, oldest first; the last message is the new one. */
  readonly messages: readonly WireMessage[];
}

/** The model of --model, of a template, or of SVC_MODEL. */
export function chosenModel(cli: Cli, input: Input): string | undefined {
  const model = input.text('model') ?? (cli.screen.io.env['SVC_MODEL'] || undefined);
  if (model === '') throw usageError('--model is empty', 'Pass the id of a model; `modelsvc models list` prints them.');
  return model === undefined ? undefined : cli.modelId(model);
}

/** The model of questions in text: from the settings, or the newest. */
export function defaultModel(cli: Cli): string {
  return cli.modelId(cli.setting('model') ?? defaultModels.text);
}

const capabilities = { image: 'vision', video: 'video', document: 'file' } as const;

/**
 * The model for a message with these attachments. `chosen` is the model of this question, `kept` the conversation's. A kept model, or one from
 * the settings, is replaced with a note if it is known not to take them.
 */
export async function modelFor(cli: Cli, attachments: readonly Attachment[], chosen: string | undefined, kept?: string): Promise<string> {
  const kinds = attachments.flatMap(({ kind }) => (kind === 'text' ? [] : [kind]));
  if (kinds.length === 0) return chosen ?? kept ?? defaultModel(cli);
  const ofFiles = cli.setting('vision-model');
  const vision = cli.modelId(ofFiles ?? defaultModels.vision);
  const named = chosen ?? kept ?? (ofFiles === undefined && cli.setting('model') !== undefined ? defaultModel(cli) : undefined);
  if (named === undefined) return vision;
  const taken = await knownCapabilities(cli.make, named);
  const refused = taken && kinds.find((kind) => !taken.includes(capabilities[kind]));
  if (refused === undefined) return named;
  const next = chosen === undefined ? `${vision} is asked. \`modelsvc config set vision-model ID\` names another` : 'the service may refuse it';
  cli.screen.note(`${named} takes no ${refused}s: ${next}.`);
  return chosen ?? vision;
}

/** Reads the options of `modelOptions`. */
export async function answerOptionsOf(cli: Cli, input: Input, model: string): Promise<AnswerOptions> {
  if (cli.values.output === 'table') throw usageError('--output table: an answer is not a list', 'Use text, json, jsonl or yaml.');
  const schema = await schemaIn(cli.screen, input);
  const format = schema && (await formatOf(schema));
  const [thinking, level] = [input.text('thinking'), input.text('effort')];
  if (thinking !== undefined && level !== undefined)
    throw usageError('--thinking and --effort exclude each other', '--effort off is --thinking off.');
  const system = await input.wholeText('system', () => cli.screen.stdinText());
  return {
    model,
    fallback: input.list('fallback').map((name) => cli.modelId(name)),
    retryFor: cli.isDryRun ? undefined : cli.values.retryFor,
    system: system === '' ? undefined : system,
    temperature: input.number('temperature'),
    topP: input.number('top-p'),
    maxTokens: input.number('max-tokens'),
    stop: input.list('stop'),
    thinks: thinking === 'on',
    effort: (thinking === 'off' ? 'off' : level) as Effort | undefined,
    format,
    instructions: schema && format?.instructions,
    tools: [],
    searchEngine: undefined,
  };
}

/** The system prompt with the schema: all surfaces get it there, since `json_object` does not carry it. */
export function systemText({ system, instructions }: AnswerOptions): string | undefined {
  return [system, instructions].filter((text) => text !== undefined).join('\n\n') || undefined;
}

async function schemaIn(screen: Screen, input: Input): Promise<Schema | undefined> {
  const text = await input.wholeText('schema', () => screen.stdinText());
  return text === undefined ? undefined : schemaOf(text);
}

async function formatOf(schema: Schema): Promise<OutputFormat<unknown>> {
  const { outputFormat } = await import('modelsvc');
  // The documented type.
  return outputFormat(schema, { type: 'json_object' });
}
