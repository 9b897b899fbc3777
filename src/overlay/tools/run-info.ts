import type {
  AnthropicMessage,
  AnthropicUsage,
  ChatChunk,
  ChatResponse,
  ChatUsage,
  ResponsesInputItem,
  ResponsesStreamEvent,
  ResponsesUsage,
} from '../../generated/types.ts';
import { isObject } from '../json/json-value.ts';
import type { Message } from '../surfaces/chat/request.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import type { AnthropicReply } from '../surfaces/messages/reply.ts';
import type { ResponsesReply } from '../surfaces/responses/reply.ts';
import type { ToolStream } from './tool-stream.ts';

/** Result of a tool loop. */
export interface ToolRun<Response, Message, Usage, On extends Surface = Surface> {
  /** The surface of the run, which decides the type of the transcript: `run.surface === 'chat'`. */
  readonly surface: On;
  /** The last response; undefined if a run failed before the first. */
  readonly response: Response;
  /** The conversation: the messages of the request and all later messages. To continue, push a new message and send it. */
  readonly transcript: Message[];
  /** Usage of all model calls, summed; undefined if no response contained usage. `cachedShare` returns the part that came from the cache. */
  readonly usage: Usage | undefined;
  /** Number of model calls: one more than the rounds of tools, unless the run failed. */
  readonly modelCalls: number;
  /** `answered`: the model requested no more tools. `stopped`: `stopWhen` ended the run. Undefined for a run that failed or was left. */
  readonly ended: 'answered' | 'stopped' | undefined;
}

/** A surface with a tool loop. */
export type Surface = 'chat' | 'messages' | 'responses';

/** Result of a tool loop of `chat`. */
export type ChatToolRun = ToolRun<ChatResponse, Message, ChatUsage, 'chat'>;
/** Result of a tool loop of `anthropic`. */
export type AnthropicToolRun = ToolRun<AnthropicReply, AnthropicMessage, AnthropicUsage, 'messages'>;
/** The transcript has the items of `input` and of every `output`. */
export type ResponsesToolRun = ToolRun<ResponsesReply, ResponsesInputItem, ResponsesUsage, 'responses'>;

const runs = new WeakMap<object, ToolRun<unknown, unknown, unknown>>();

export function rememberRun(key: object, run: ToolRun<unknown, unknown, unknown>): void {
  runs.set(key, run);
}

/** A run up to its failure. Its `surface` decides the type of the transcript. */
export type FailedToolRun =
  | ToolRun<ChatResponse | undefined, Message, ChatUsage, 'chat'>
  | ToolRun<AnthropicReply | undefined, AnthropicMessage, AnthropicUsage, 'messages'>
  | ToolRun<ResponsesReply | undefined, ResponsesInputItem, ResponsesUsage, 'responses'>;

/**
 * The transcript, summed usage and number of model calls of a run, from the response of `runWithTools` or a tool stream read to its end.
 *
 * For an error that ended a run, and for a stream that failed or was left, it returns the run up to then, because tools may have had effects.
 * Each transcript can be sent as it is: a call without a known result is answered with an error. Returns undefined for other values.
 */
export function toolRun(result: ChatResponse | ToolStream<ChatChunk>): ChatToolRun | undefined;
export function toolRun(result: AnthropicReply | ToolStream<AnthropicStreamEvent>): AnthropicToolRun | undefined;
export function toolRun(result: ResponsesReply | ToolStream<ResponsesStreamEvent>): ResponsesToolRun | undefined;
export function toolRun(error: Error): FailedToolRun | undefined;
export function toolRun(caught: unknown): FailedToolRun | undefined;
export function toolRun(result: unknown): ToolRun<unknown, unknown, unknown> | undefined {
  return isObject(result) ? runs.get(result) : undefined;
}
