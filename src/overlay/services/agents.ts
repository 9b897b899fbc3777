import { agentsAsyncResult, agentsConversation, agentsInvoke } from '../../generated/routes.ts';
import type {
  AgentAsyncResult,
  AgentAsyncResultRequest,
  AgentChunk,
  AgentConversation,
  AgentConversationRequest,
  AgentRequest,
  AgentResponse,
} from '../../generated/types.ts';
import { poll, statusState, type TaskState, type WaitOptions } from '../call/operations/poll.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { fieldsOf } from '../json/json-value.ts';
import { bodyOf, type Without } from '../json/known-fields.ts';
import type { EventStream } from '../streams/event-stream.ts';
import * as protocols from '../streams/protocols.ts';
import { requestStream } from '../streams/request-stream.ts';

/** Request to run an agent. The method determines whether it streams. */
export type AgentRunRequest = Without<AgentRequest, 'stream'>;

/**
 * Ready-made agents, on the region's host. Every run is billed.
 *
 * The service reports a failed run with HTTP 200 and `status: "failed"`. The methods throw an ApiError for it, whose `status` is 200.
 */
export class Agents {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Run an agent. The reply contains the answer in `choices[].messages`, or an `async_id` if the agent runs in the background: call `wait`.
   * `slides_glm_agent` supports streaming only.
   */
  invoke<Names extends PropertyKey = never>(request: Extensible<AgentRunRequest, Names>): Promise<Received<AgentResponse>>;
  invoke<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<AgentRunRequest, Names>): Promise<Received<AgentResponse>>;
  invoke(...given: Called<[request: AgentRunRequest]>): Promise<Received<AgentResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, agentsInvoke, ctx, () => ({ body: bodyOf(request, 'agents', false) }));
  }

  /**
   * Run an agent and stream its answer, if the agent supports it: `for await (const chunk of c.agents().stream(ctx, request))`.
   *
   * Pieces are in `choices[].messages`. Unconfirmed: some agents may use `delta`. The request is sent when you request the first chunk. A
   * stream that stops before a finish reason or `[DONE]` throws a StreamError. Leaving the loop closes the socket.
   */
  stream<Names extends PropertyKey = never>(request: Extensible<AgentRunRequest, Names>): EventStream<AgentChunk>;
  stream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<AgentRunRequest, Names>): EventStream<AgentChunk>;
  stream(...given: Called<[request: AgentRunRequest]>): EventStream<AgentChunk> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    const operation = 'agents.stream';
    return requestStream(this.#settings, agentsInvoke, ctx, () => ({ body: bodyOf(request, 'agents', true) }), protocols.agentsInvoke(), operation);
  }

  /** Poll a background run once: `pending`, or the finished answer. Pass the run's `custom_variables` again, because some agents need them. */
  asyncResult<Names extends PropertyKey = never>(request: Extensible<AgentAsyncResultRequest, Names>): Promise<Received<AgentAsyncResult>>;
  asyncResult<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AgentAsyncResultRequest, Names>,
  ): Promise<Received<AgentAsyncResult>>;
  asyncResult(...given: Called<[request: AgentAsyncResultRequest]>): Promise<Received<AgentAsyncResult>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, agentsAsyncResult, ctx, () => ({ body: request }));
  }

  /**
   * Poll a background run until it ends. A failed run throws an ApiError with its code, a canceled or expired one a TaskError.
   *
   * @param wait Milliseconds between two polls, or options. Default: 1,000, growing to 10,000.
   */
  wait<Names extends PropertyKey = never>(
    request: Extensible<AgentAsyncResultRequest, Names>,
    wait?: number | WaitOptions<AgentAsyncResult>,
  ): Promise<Received<AgentAsyncResult>>;
  wait<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AgentAsyncResultRequest, Names>,
    wait?: number | WaitOptions<AgentAsyncResult>,
  ): Promise<Received<AgentAsyncResult>>;
  wait(
    ...given: Called<[request: AgentAsyncResultRequest, wait?: number | WaitOptions<AgentAsyncResult> | undefined]>
  ): Promise<Received<AgentAsyncResult>> {
    const [ctx, request, wait = {}] = contextFirst(given, given.length < 2 || (given.length < 3 && fieldsOf(given[0])['async_id'] !== undefined));
    const operation = 'agents.wait';
    const settings = this.#settings;
    const fetchState = (bounded: CallContext): Promise<AgentAsyncResult> =>
      requestJson(settings, agentsAsyncResult, bounded, () => ({ body: request }), operation);
    return poll({ operation, id: request?.async_id, settings, ctx, fetchState, judge: runState }, wait);
  }

  /** Fetch the files and images that an agent made in a conversation. Only `slides_glm_agent` supports this. */
  conversation<Names extends PropertyKey = never>(request: Extensible<AgentConversationRequest, Names>): Promise<Received<AgentConversation>>;
  conversation<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AgentConversationRequest, Names>,
  ): Promise<Received<AgentConversation>>;
  conversation(...given: Called<[request: AgentConversationRequest]>): Promise<Received<AgentConversation>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, agentsConversation, ctx, () => ({ body: request }));
  }
}

function runState(result: AgentAsyncResult): TaskState {
  return statusState(result.status, 'success');
}
