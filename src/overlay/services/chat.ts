import type { operations } from '../../generated/operations.ts';
import { chatCreate, chatCreateAsync } from '../../generated/routes.ts';
import type { AsyncTask, ChatChunk, ChatResponse } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { withEffort, withKeptThought } from '../call/request/thinking.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { isFields } from '../json/json-value.ts';
import type { EventStream } from '../streams/event-stream.ts';
import * as protocols from '../streams/protocols.ts';
import { type ChatJobRequest, type ChatRequest, chatBody, jsonRequest, type Message } from '../surfaces/chat/request.ts';
import { chatTools } from '../tools/chat-surface.ts';
import type { OutputFormat } from '../tools/structured-output.ts';
import type { AnyTools, ToolLoopOptions } from '../tools/tool-loop-input.ts';
import type { ToolStream } from '../tools/tool-stream.ts';
import { ModelCalls, type ModelSurface, type SimpleArguments, type StreamCallback } from './model-calls.ts';

type ChatOperation = operations['chat.create'];

const surface: ModelSurface<ChatOperation, ChatRequest, ChatResponse, ChatChunk, Message> = {
  route: chatCreate,
  tools: chatTools,
  protocol: protocols.chatCreate,
  input: (request, settings, stream, keepThinking) => {
    const input = withEffort(chatBody(request, !settings.disableToolSchemaCompat, stream), 'chat', settings);
    return keepThinking ? { ...input, body: withKeptThought(input.body, settings) } : input;
  },
  asksForJson: jsonRequest,
  reply: (json) => json,
};

/** Chat completions on the OpenAI-style surface. */
export class Chat {
  readonly #settings: Settings;
  readonly #calls: ModelCalls<ChatOperation, ChatRequest, ChatResponse, ChatChunk, Message>;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#calls = new ModelCalls(settings, surface);
  }

  /**
   * Create a chat completion and wait for the complete reply.
   *
   * Check `choices[0].finish_reason`: `length`, `sensitive`, `network_error` and `model_context_window_exceeded` mean an incomplete answer.
   * `Config.maxRetries` limits retries of failures. A response-header timeout is not retried: the service may still be working, and billing.
   *
   * @example
   * ```ts
   * const response = await c.chat().create({
   *   model: 'glm-5.3',
   *   effort: 'low',
   *   messages: [{ role: 'user', content: 'Write a haiku about rain.' }],
   * });
   * console.log(response.choices[0]?.message.content, response.usage?.total_tokens);
   * ```
   */
  create<Names extends PropertyKey = never>(request: Extensible<ChatRequest, Names>): Promise<Received<ChatResponse>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatRequest, Names>): Promise<Received<ChatResponse>>;
  create(...given: Called<[request: ChatRequest]>): Promise<Received<ChatResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.create('chat.create', ctx, request);
  }

  /**
   * Create a chat completion from one user text. The options are two fields of the request: `effort`, how deep the model thinks, and `system`,
   * the text of a system message. For others use `create`.
   *
   * @example
   * ```ts
   * const response = await c.chat().createSimple('glm-5.3', 'Write a haiku about rain.', { effort: 'low', system: 'Answer in French.' });
   * console.log(response.choices[0]?.message.content);
   * ```
   */
  createSimple(
    model: string,
    text: string,
    options?: Pick<ChatRequest, 'effort'> & { readonly system?: string | undefined },
  ): Promise<Received<ChatResponse>>;
  createSimple(
    ctx: CallContext,
    model: string,
    text: string,
    options?: Pick<ChatRequest, 'effort'> & { readonly system?: string | undefined },
  ): Promise<Received<ChatResponse>>;
  createSimple(...given: Called<SimpleArguments>): Promise<Received<ChatResponse>> {
    return this.#calls.createSimple('chat.createSimple', given, (model, text, { effort, system }) => {
      const user: Message = { role: 'user', content: text };
      return { model, effort, messages: system === undefined ? [user] : [{ role: 'system', content: system }, user] };
    });
  }

  /**
   * Create a chat completion whose text is JSON that matches the schema of `format`, which `outputFormat` made. Returns the reply with the validated
   * value as `parsed`, which is not enumerable.
   *
   * The request asks for any JSON, which is the documented form, and its system prompt gets the schema. Throws an OutputError, after a paid call, if
   * the answer is incomplete, is not JSON or does not match. For a stream use `format.partial`.
   *
   * @example
   * ```ts
   * const format = outputFormat(z.object({ answer: z.string() }));
   * const messages = [{ role: 'user', content: 'Is 91 prime?' }];
   * const { parsed } = await c.chat().parse({ model: 'glm-5.3', effort: 'low', messages }, format);
   * console.log(parsed.answer);
   * ```
   */
  parse<Output, Names extends PropertyKey = never>(
    request: Extensible<ChatRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<ChatResponse & { readonly parsed: Output }>>;
  parse<Output, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<ChatResponse & { readonly parsed: Output }>>;
  parse<Output>(
    ...given: Called<[request: ChatRequest, format: OutputFormat<Output>]>
  ): Promise<Received<ChatResponse & { readonly parsed: Output }>> {
    const [ctx, request, format] = contextFirst(given, given.length < 3);
    return this.#calls.parse('chat.parse', ctx, request, format);
  }

  /** Start a chat completion as a job. Fetch its result with `getAsyncResult` or `waitForResult` and the task's `id`. */
  createAsync<Names extends PropertyKey = never>(request: Extensible<ChatJobRequest, Names>): Promise<Received<AsyncTask>>;
  createAsync<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatJobRequest, Names>): Promise<Received<AsyncTask>>;
  createAsync(...given: Called<[request: ChatJobRequest]>): Promise<Received<AsyncTask>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, chatCreateAsync, ctx, () => {
      return withEffort(chatBody(request as ChatJobRequest, !this.#settings.disableToolSchemaCompat, false), 'chat', this.#settings);
    });
  }

  /**
   * Stream a chat completion: `for await (const chunk of c.chat().stream(ctx, request))`.
   *
   * The request is sent when you request the first chunk. Connecting is retried like `create`. A later failure is thrown after the chunks
   * that arrived before it. A stream that stops before a finish reason or `[DONE]` throws a StreamError. Leaving the loop closes the socket.
   *
   * @example
   * ```ts
   * const stream = c.chat().stream({
   *   model: 'glm-5.3',
   *   effort: 'low',
   *   messages: [{ role: 'user', content: 'Write a haiku about rain.' }],
   * });
   * for await (const text of textDeltas(stream)) console.log(text);
   * ```
   */
  stream<Names extends PropertyKey = never>(request: Extensible<ChatRequest, Names>): EventStream<ChatChunk>;
  stream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ChatRequest, Names>): EventStream<ChatChunk>;
  stream(...given: Called<[request: ChatRequest]>): EventStream<ChatChunk> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.stream('chat.stream', ctx, request);
  }

  /**
   * Stream a chat completion into a callback.
   *
   * @deprecated Use `stream`; removed in 1.0. A callback that throws, rejects or returns an Error aborts the stream, and the call rejects with that value.
   */
  createStream<Names extends PropertyKey = never>(request: Extensible<ChatRequest, Names>, callback: StreamCallback<ChatChunk>): Promise<void>;
  createStream<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    callback: StreamCallback<ChatChunk>,
  ): Promise<void>;
  createStream(...given: Called<[request: ChatRequest, callback: StreamCallback<ChatChunk>]>): Promise<void> {
    const [ctx, request, callback] = contextFirst(given, given.length < 3);
    return this.#calls.createStream('chat.createStream', ctx, request, callback);
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
   * const request = { model: 'glm-5.3', effort: 'low' as const, messages: [{ role: 'user', content: 'What is the weather in Metz?' }] };
   * const response = await c.chat().runWithTools(request, [
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
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>>;
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>>;
  runWithTools(
    ...given: Called<[request: ChatRequest, tools: AnyTools, options?: ToolLoopOptions<ChatResponse> | undefined]>
  ): Promise<Received<ChatResponse>> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.runWithTools({ operation: 'chat.runWithTools', ctx, request, tools, options });
  }

  /** `runWithTools` with another limit: at most `maxRounds` rounds of tools, which must be 1 or more. */
  runWithToolsLimit<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    maxRounds: number,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>>;
  runWithToolsLimit<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    maxRounds: number,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): Promise<Received<ChatResponse>>;
  runWithToolsLimit(
    ...given: Called<[request: ChatRequest, tools: AnyTools, maxRounds: number, options?: ToolLoopOptions<ChatResponse> | undefined]>
  ): Promise<Received<ChatResponse>> {
    const [ctx, request, tools, maxRounds, options] = contextFirst(given, given.length < 5 && !isFields(given[1]));
    return this.#calls.runWithTools({ operation: 'chat.runWithToolsLimit', ctx, request, tools, maxRounds, options });
  }

  /**
   * `runWithTools` as a stream: the chunks of every round, one round after the other. `options.onRound` marks the boundaries. After the end,
   * `toolRun(stream)` returns the complete last response, the transcript and the usage.
   *
   * @example
   * ```ts
   * const clock = defineTool({ name: 'clock', description: 'The time', input: {}, run: () => new Date().toISOString() });
   * const request = { model: 'glm-5.3', effort: 'low' as const, messages: [{ role: 'user', content: 'What time is it?' }] };
   * const stream = c.chat().streamWithTools(request, [clock]);
   * for await (const text of textDeltas(stream)) console.log(text);
   * console.log(toolRun(stream)?.modelCalls);
   * ```
   */
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): ToolStream<ChatChunk>;
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ChatRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ChatResponse, Tools>,
  ): ToolStream<ChatChunk>;
  streamWithTools(
    ...given: Called<[request: ChatRequest, tools: AnyTools, options?: ToolLoopOptions<ChatResponse> | undefined]>
  ): ToolStream<ChatChunk> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.streamWithTools({ operation: 'chat.streamWithTools', ctx, request, tools, options });
  }
}
