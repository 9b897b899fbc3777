import { chatCreate, chatCreateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ChatChunk, ChatResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { CallInput } from '../call/request/build-call.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { withEffort, withKeptThought } from '../call/request/thinking.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { validationError } from '../errors/problem.ts';
import { Problem } from '../json/problem.ts';
import type { EventStream } from '../streams/event-stream.ts';
import { requestStream } from '../streams/request-stream.ts';
import { ChatProtocol } from '../surfaces/chat/protocol.ts';
import { type ChatJobRequest, type ChatRequest, chatBody } from '../surfaces/chat/request.ts';
import { chatSurface } from '../tools/chat-surface.ts';
import { runTools, streamTools } from '../tools/tool-loop.ts';
import type { AnyTools, ToolLoopOptions } from '../tools/tool-loop-input.ts';
import type { ToolStream } from '../tools/tool-stream.ts';

/** Callback of the deprecated `createStream`. A throw, a rejection or a returned Error aborts the stream. */
export type StreamCallback<T> = (item: T) => unknown;

/** Chat completions on the OpenAI-style surface. */
export class Chat {
  readonly #settings: Settings;
  readonly #toolSurface = chatSurface({
    create: (operation, ctx, request, keepThinking) => this.#create(operation, ctx, request, keepThinking),
    stream: (operation, ctx, request, keepThinking) => this.#stream(operation, ctx, request, keepThinking),
    settings: () => this.#settings,
  });

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Create a chat completion and wait for the complete reply.
   *
   * Check `choices[0].finish_reason`: `length`, `sensitive`, `network_error` and `model_context_window_exceeded` mean an incomplete answer.
   * `Config.maxRetries` limits retries of failures. A response-header timeout is not retried: the service may still be working, and billing.
   *
   * @example
   * ```ts
   * const response = await c.chat().create(undefined, {
   *   model: 'glm-5.3',
   *   messages: [{ role: 'user', content: 'Write a haiku about rain.' }],
   * });
   * console.log(response.choices[0]?.message.content, response.usage?.total_tokens);
   * ```
   */
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatRequest, Names>): Promise<Received<ChatResponse>> {
    return this.#create('chat.create', ctx, request);
  }

  /** Create a chat completion from one user text. */
  createSimple(ctx: CallContext, model: string, text: string): Promise<Received<ChatResponse>> {
    return this.#create('chat.createSimple', ctx, { model, messages: [{ role: 'user', content: text }] });
  }

  #create(operation: string, ctx: CallContext, request: ChatRequest, keepThinking = false): Promise<Received<ChatResponse>> {
    return requestJson(this.#settings, chatCreate, ctx, () => this.#input(request, false, keepThinking), operation);
  }

  /** Start a chat completion as a job. Fetch its result with `getAsyncResult` or `waitForResult` and the task's `id`. */
  createAsync<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatJobRequest, Names>): Promise<Received<AsyncTask>> {
    return requestJson(this.#settings, chatCreateAsync, ctx, () => this.#input(request, false));
  }

  /**
   * Stream a chat completion: `for await (const chunk of c.chat().stream(ctx, request))`.
   *
   * The request is sent when you request the first chunk. Connecting is retried like `create`. A later failure is thrown after the chunks
   * that arrived before it. A stream that stops before a finish reason or `[DONE]` throws a StreamError. Leaving the loop closes the socket.
   *
   * @example
   * ```ts
   * const stream = c.chat().stream(undefined, {
   *   model: 'glm-5.3',
   *   messages: [{ role: 'user', content: 'Write a haiku about rain.' }],
   * });
   * for await (const text of textDeltas(stream)) console.log(text);
   * ```
   */
  stream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatRequest, Names>): EventStream<ChatChunk> {
    return this.#stream('chat.stream', ctx, request);
  }

  #stream(operation: string, ctx: CallContext, request: ChatRequest, keepThinking = false): EventStream<ChatChunk> {
    return requestStream(this.#settings, chatCreate, ctx, () => this.#input(request, true, keepThinking), new ChatProtocol(), operation);
  }

  /**
   * Stream a chat completion into a callback.
   *
   * @deprecated Use `stream`; removed in 1.0. A callback that throws, rejects or returns an Error aborts the stream, and the call rejects with that value.
   */
  createStream<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    callback: StreamCallback<ChatChunk>,
  ): Promise<void> {
    const operation = 'chat.createStream';
    return drain(operation, this.#stream(operation, ctx, request), callback);
  }

  /**
   * Call the model, run the tools it requests and call it again, until it requests none. Returns the last response.
   *
   * `tools` is a function `(name, argumentsText) => text` that runs the tools of `request.tools`, or a list of tools made by `defineTool`,
   * which are declared automatically. If a tool throws, the model receives `error: <message>` and the call continues. The request is not
   * changed. A `tool_choice` that forces a tool applies only until tools have run. Only the first choice of a response is used.
   * `toolRun(response)` returns the transcript, the total usage and the number of model calls.
   *
   * Throws a ToolLoopError if the model still requests tools after 8 rounds of them (`ToolMaxRounds`); those last calls are not run.
   * Canceling `ctx` rejects the call immediately, even while a tool hangs. The tool's third argument contains the signal.
   *
   * @example
   * ```ts
   * const request = { model: 'glm-5.3', messages: [{ role: 'user', content: 'What is the weather in Metz?' }] };
   * const response = await c.chat().runWithTools(undefined, request, [
   *   defineTool({
   *     name: 'weather',
   *     description: 'The weather in a city',
   *     input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
   *     run: ({ city }) => `Rain in ${city}`,
   *   }),
   * ]);
   * console.log(response.choices[0]?.message.content);
   * ```
   */
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>> {
    return runTools(this.#toolSurface, { operation: 'chat.runWithTools', ctx, request, tools, options });
  }

  /** `runWithTools` with another limit: at most `maxRounds` rounds of tools, which must be 1 or more. */
  runWithToolsLimit<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    maxRounds: number,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>> {
    return runTools(this.#toolSurface, { operation: 'chat.runWithToolsLimit', ctx, request, tools, maxRounds, options });
  }

  /**
   * `runWithTools` as a stream: the chunks of every round, one round after the other. `options.onRound` marks the boundaries. After the end,
   * `toolRun(stream)` returns the complete last response, the transcript and the usage.
   *
   * @example
   * ```ts
   * const clock = defineTool({ name: 'clock', description: 'The time', input: {}, run: () => new Date().toISOString() });
   * const request = { model: 'glm-5.3', messages: [{ role: 'user', content: 'What time is it?' }] };
   * const stream = c.chat().streamWithTools(undefined, request, [clock]);
   * for await (const text of textDeltas(stream)) console.log(text);
   * console.log(toolRun(stream)?.modelCalls);
   * ```
   */
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): ToolStream<ChatChunk> {
    return streamTools(this.#toolSurface, { operation: 'chat.streamWithTools', ctx, request, tools, options });
  }

  #input(request: ChatRequest | ChatJobRequest, stream: boolean, keepThinking = false): CallInput {
    const input = withEffort(chatBody(request, !this.#settings.disableToolSchemaCompat, stream), 'chat', this.#settings);
    return keepThinking ? { ...input, body: withKeptThought(input.body, this.#settings) } : input;
  }
}

/** The deprecated callback form of chat and messages. */
export async function drain<T>(operation: string, stream: EventStream<T>, callback: StreamCallback<T>): Promise<void> {
  if (typeof callback !== 'function') throw validationError(operation, new Problem('the callback', 'must be a function'));
  for await (const item of stream) {
    const verdict = await callback(item);
    if (verdict instanceof Error || isModelsvcError(verdict)) throw verdict;
  }
}
