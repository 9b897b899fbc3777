import type { AnthropicMessage, AnthropicUsage, ChatChunk, ChatResponse, ChatUsage } from '../../generated/types.ts';
import type { AnthropicReply } from '../surfaces/anthropic-reply.ts';
import type { Message } from '../surfaces/chat-request.ts';
import type { AnthropicStreamEvent } from '../surfaces/protocols.ts';
import type { ToolStream } from './tool-stream.ts';

/** What a tool loop has done. */
export interface ToolRun<Response, Message, Usage> {
  /** The last response; of a failed run undefined when there was none. */
  readonly response: Response;
  /** The whole conversation: the request's messages, each round's assistant message and results, and the last answer. Send it back with a message added to go on. */
  readonly transcript: readonly Message[];
  /** Usage of all the model calls, summed; undefined when none told any. */
  readonly usage: Usage | undefined;
  /** Model calls made. */
  readonly rounds: number;
}

export type ChatToolRun = ToolRun<ChatResponse, Message, ChatUsage>;
export type AnthropicToolRun = ToolRun<AnthropicReply, AnthropicMessage, AnthropicUsage>;

const runs = new WeakMap<object, ToolRun<unknown, unknown, unknown>>();

export function rememberRun(key: object, run: ToolRun<unknown, unknown, unknown>): void {
  runs.set(key, run);
}

/** A run that failed, as far as it came. */
export type FailedToolRun = ToolRun<ChatResponse | AnthropicReply | undefined, Message | AnthropicMessage, ChatUsage | AnthropicUsage>;

/**
 * Transcript, summed usage and number of rounds behind what `runWithTools` gave back, or behind a tool stream that has been read to its end.
 * Of an error that ended a run, what had been said until then: its tools may have changed the world already. The transcript then may end
 * with an assistant message whose calls have no results. Undefined for anything else.
 */
export function toolRun(result: ChatResponse | ToolStream<ChatChunk>): ChatToolRun | undefined;
export function toolRun(result: AnthropicReply | ToolStream<AnthropicStreamEvent>): AnthropicToolRun | undefined;
export function toolRun(error: Error): FailedToolRun | undefined;
export function toolRun(result: object): ToolRun<unknown, unknown, unknown> | undefined {
  return runs.get(result);
}
