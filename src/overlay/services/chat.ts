import { chatCreate, chatCreateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ChatChunk, ChatResponse } from '../../generated/types.ts';
import type { CallInput } from '../call/call.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { Problem, validationError } from '../errors/problem.ts';
import type { EventStream } from '../streams/event-stream.ts';
import { requestStream } from '../streams/request-stream.ts';
import { type ChatJobRequest, type ChatRequest, chatBody } from '../surfaces/chat-request.ts';
import { ChunkProtocol } from '../surfaces/protocols.ts';
import { chatSurface } from '../tools/chat-surface.ts';
import { laterInput, runTools, streamTools, type ToolLoopOptions } from '../tools/tool-loop.ts';
import { ToolStream } from '../tools/tool-stream.ts';
import type { ToolExecutor } from '../tools/toolbox.ts';
import type { TypedTool } from '../tools/typed-tool.ts';

/** What a callback of the deprecated `createStream` may do: a throw, a rejection or an Error given back aborts the stream. */
export type StreamCallback<T> = (item: T) => unknown;

/** Chat completions on the OpenAI-style surface. */
export class Chat {
  readonly #settings: Settings;
  readonly #toolSurface = chatSurface({
    create: (operation, ctx, request) => this.#create(operation, ctx, request),
    stream: (operation, ctx, request) => this.#stream(operation, ctx, request),
    lifetime: () => this.#settings.lifetime,
  });

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Create a chat completion and wait for all of it.
   *
   * Check `choices[0].finish_reason`: `length`, `sensitive`, `network_error` and `model_context_window_exceeded` end an answer before it is whole.
   * A failure is retried as `Config.maxRetries` says, but not when the wait for the response header ran out: the service may still be working, and billing.
   */
  create(ctx: CallContext, request: ChatRequest): Promise<ChatResponse> {
    return this.#create('chat.create', ctx, request);
  }

  /** Create a chat completion from one user text. */
  createSimple(ctx: CallContext, model: string, text: string): Promise<ChatResponse> {
    return this.#create('chat.createSimple', ctx, { model, messages: [{ role: 'user', content: text }] });
  }

  async #create(operation: string, ctx: CallContext, request: ChatRequest): Promise<ChatResponse> {
    return requestJson(this.#settings, chatCreate, ctx, () => ({ body: this.#body(request, false) }), operation);
  }

  /** Start a chat completion as a job; `getAsyncResult` or `waitForResult` fetches its answer by the task's `id`. */
  async createAsync(ctx: CallContext, request: ChatJobRequest): Promise<AsyncTask> {
    return requestJson(this.#settings, chatCreateAsync, ctx, () => ({ body: this.#body(request, false) }));
  }

  /**
   * Stream a chat completion: `for await (const chunk of c.chat().stream(ctx, request))`.
   *
   * The request is sent when the first chunk is asked for. Connecting is retried like `create`; after that a failure is thrown after the
   * chunks that came before it. A stream that stops before a finish reason or `[DONE]` throws a StreamError. Leaving the loop closes the socket.
   */
  stream(ctx: CallContext, request: ChatRequest): EventStream<ChatChunk> {
    return this.#stream('chat.stream', ctx, request);
  }

  #stream(operation: string, ctx: CallContext, request: ChatRequest): EventStream<ChatChunk> {
    const input = (): CallInput => ({ body: this.#body(request, true) });
    return requestStream(this.#settings, chatCreate, ctx, input, new ChunkProtocol<ChatChunk>(), operation);
  }

  /**
   * Stream a chat completion into a callback.
   *
   * @deprecated Use `stream`; removed in 1.0. A callback that throws, rejects or gives back an Error aborts the stream, and the call rejects with that value.
   */
  createStream(ctx: CallContext, request: ChatRequest, callback: StreamCallback<ChatChunk>): Promise<void> {
    const operation = 'chat.createStream';
    return drain(operation, this.#stream(operation, ctx, request), callback);
  }

  /**
   * Call the model, run the tools it asks for and call it again, until it asks for none: gives back the last response.
   *
   * `tools` is a function `(name, argumentsText) => text` that runs the tools of `request.tools`, or a list made by `defineTool`, which
   * declares itself. An error of a tool is told to the model as `error: <message>` and not thrown. The request stays as it is; its
   * `tool_choice` counts only until tools have run, if it forces one. Of the response's choices the first counts.
   * `toolRun(response)` has the transcript, the summed usage and the number of rounds.
   *
   * Throws a ToolLoopError when the model still asks for tools after 8 rounds of them (`ToolMaxRounds`); those last calls are not run.
   * A cancelled `ctx` rejects at once, even while a tool hangs; the tool's third argument carries the signal.
   */
  runWithTools(
    ctx: CallContext,
    request: ChatRequest,
    tools: ToolExecutor | readonly TypedTool[],
    options?: ToolLoopOptions<ChatResponse>,
  ): Promise<ChatResponse> {
    return runTools(this.#toolSurface, { operation: 'chat.runWithTools', ctx, request, tools, options });
  }

  /** `runWithTools` with another limit: `maxRounds` rounds of tools at most, 1 or more. */
  runWithToolsLimit(
    ctx: CallContext,
    request: ChatRequest,
    tools: ToolExecutor | readonly TypedTool[],
    maxRounds: number,
    options?: ToolLoopOptions<ChatResponse>,
  ): Promise<ChatResponse> {
    return runTools(this.#toolSurface, { operation: 'chat.runWithToolsLimit', ctx, request, tools, maxRounds, options });
  }

  /**
   * `runWithTools` as a stream: the chunks of every round, one round after the other. `options.onRound` marks the boundaries; after the end
   * `toolRun(stream)` has the last response whole, the transcript and the usage.
   */
  streamWithTools(
    ctx: CallContext,
    request: ChatRequest,
    tools: ToolExecutor | readonly TypedTool[],
    options?: ToolLoopOptions<ChatResponse> & { readonly maxRounds?: number },
  ): ToolStream<ChatChunk> {
    const { maxRounds, ...rest } = options ?? {};
    const operation = 'chat.streamWithTools';
    const input = { ...laterInput(operation, ctx, request, tools), options: rest, ...(maxRounds === undefined ? {} : { maxRounds }) };
    return new ToolStream(operation, (stream) => streamTools(this.#toolSurface, input, stream));
  }

  #body(request: ChatRequest | ChatJobRequest, stream: boolean): Record<string, unknown> {
    return chatBody(request, !this.#settings.disableToolSchemaCompat, stream);
  }
}

/** The deprecated callback form of both surfaces. */
export async function drain<T>(operation: string, stream: EventStream<T>, callback: StreamCallback<T>): Promise<void> {
  if (typeof callback !== 'function') throw validationError(operation, new Problem('the callback', 'must be a function'));
  for await (const item of stream) {
    const verdict = await callback(item);
    if (verdict instanceof Error || isModelsvcError(verdict)) throw verdict;
  }
}
