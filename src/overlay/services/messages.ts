import type { operations } from '../../generated/operations.ts';
import { anthropicCountTokens, anthropicCreate } from '../../generated/routes.ts';
import type { AnthropicCountTokensRequest, AnthropicMessage, AnthropicTokenCount } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { InputOf } from '../call/request/input.ts';
import { withEffort } from '../call/request/thinking.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { isFields } from '../json/json-value.ts';
import { checkRequest } from '../json/known-fields.ts';
import type { EventStream } from '../streams/event-stream.ts';
import * as protocols from '../streams/protocols.ts';
import { keepInputTexts } from '../surfaces/messages/input-text.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import { type AnthropicReply, withAccessors } from '../surfaces/messages/reply.ts';
import { type AnthropicMessageRequest, checkBudget, jsonRequest, messageBody } from '../surfaces/messages/request.ts';
import { withCompatibleTools } from '../tool-schema/index.ts';
import { messageTools } from '../tools/messages-surface.ts';
import type { OutputFormat } from '../tools/structured-output.ts';
import type { AnyTools, ToolLoopOptions } from '../tools/tool-loop-input.ts';
import type { ToolStream } from '../tools/tool-stream.ts';
import { ModelCalls, type ModelSurface, type StreamCallback } from './model-calls.ts';

type MessagesOperation = operations['anthropic.create'];

const surface: ModelSurface<MessagesOperation, AnthropicMessageRequest, AnthropicReply, AnthropicStreamEvent, AnthropicMessage> = {
  route: anthropicCreate,
  tools: messageTools,
  protocol: protocols.anthropicCreate,
  input: (request, settings, stream) => {
    if (settings.endpoints.messages.isVendor) checkBudget(request);
    return withEffort(messageBody(request, !settings.disableToolSchemaCompat, stream), 'messages', settings);
  },
  asksForJson: jsonRequest,
  reply: withAccessors,
  onText: keepInputTexts,
};

/** The Anthropic-style message surface. It takes the same bearer key as chat, and `max_tokens` is required. */
export class Anthropic {
  readonly #settings: Settings;
  readonly #calls: ModelCalls<MessagesOperation, AnthropicMessageRequest, AnthropicReply, AnthropicStreamEvent, AnthropicMessage>;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#calls = new ModelCalls(settings, surface);
  }

  /**
   * Create a message and wait for the complete reply. Its `text()` and `thinking()` join its blocks. Check `stop_reason`.
   *
   * @example
   * ```ts
   * const reply = await c.anthropic().create({
   *   model: 'glm-5.3',
   *   effort: 'low',
   *   max_tokens: 1024,
   *   messages: [{ role: 'user', content: 'Is 91 prime?' }],
   * });
   * console.log(reply.text(), reply.usage.output_tokens);
   * ```
   */
  create<Names extends PropertyKey = never>(request: Extensible<AnthropicMessageRequest, Names>): Promise<Received<AnthropicReply>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<AnthropicMessageRequest, Names>): Promise<Received<AnthropicReply>>;
  create(...given: Called<[request: AnthropicMessageRequest]>): Promise<Received<AnthropicReply>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.create(anthropicCreate.id, ctx, request);
  }

  /**
   * Create a message whose text is JSON that matches the schema of `format`, which `outputFormat` made. Returns the reply with the validated value as
   * `parsed`, which is not enumerable.
   *
   * The surface has no JSON mode: the system prompt gets the schema. Throws an OutputError, after a paid call, if the answer is incomplete, is not JSON
   * or does not match. For a stream use `format.partial`.
   *
   * @example
   * ```ts
   * const format = outputFormat(z.object({ answer: z.string() }));
   * const messages = [{ role: 'user', content: 'Is 91 prime?' }];
   * const { parsed } = await c.anthropic().parse({ model: 'glm-5.3', effort: 'low', max_tokens: 1024, messages }, format);
   * console.log(parsed.answer);
   * ```
   */
  parse<Output, Names extends PropertyKey = never>(
    request: Extensible<AnthropicMessageRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<AnthropicReply & { readonly parsed: Output }>>;
  parse<Output, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AnthropicMessageRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<AnthropicReply & { readonly parsed: Output }>>;
  parse<Output>(
    ...given: Called<[request: AnthropicMessageRequest, format: OutputFormat<Output>]>
  ): Promise<Received<AnthropicReply & { readonly parsed: Output }>> {
    const [ctx, request, format] = contextFirst(given, given.length < 3);
    return this.#calls.parse('anthropic.parse', ctx, request, format);
  }

  /**
   * Stream a message as the protocol's raw events: `type` is the event's name, `data` its payload.
   *
   * The request is sent when you request the first event. `ping` and unknown event types are passed on. An `error` event throws an
   * ApiError. A stream that stops before `message_stop` throws a StreamError.
   *
   * @example
   * ```ts
   * const stream = c.anthropic().stream({
   *   model: 'glm-5.3',
   *   effort: 'low',
   *   max_tokens: 1024,
   *   messages: [{ role: 'user', content: 'Is 91 prime?' }],
   * });
   * for await (const text of textDeltas(stream)) console.log(text);
   * ```
   */
  stream<Names extends PropertyKey = never>(request: Extensible<AnthropicMessageRequest, Names>): EventStream<AnthropicStreamEvent>;
  stream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<AnthropicMessageRequest, Names>): EventStream<AnthropicStreamEvent>;
  stream(...given: Called<[request: AnthropicMessageRequest]>): EventStream<AnthropicStreamEvent> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.stream('anthropic.stream', ctx, request);
  }

  /**
   * Stream a message into a callback.
   *
   * @deprecated Use `stream`; removed in 1.0. A callback that throws, rejects or returns an Error aborts the stream, and the call rejects with that value.
   */
  createStream<Names extends PropertyKey = never>(
    request: Extensible<AnthropicMessageRequest, Names>,
    callback: StreamCallback<AnthropicStreamEvent>,
  ): Promise<void>;
  createStream<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AnthropicMessageRequest, Names>,
    callback: StreamCallback<AnthropicStreamEvent>,
  ): Promise<void>;
  createStream(...given: Called<[request: AnthropicMessageRequest, callback: StreamCallback<AnthropicStreamEvent>]>): Promise<void> {
    const [ctx, request, callback] = contextFirst(given, given.length < 3);
    return this.#calls.createStream('anthropic.createStream', ctx, request, callback);
  }

  /** Count the input tokens of a message request. Unconfirmed: no recorded response. `tools().tokenize` is the documented way. */
  countTokens<Names extends PropertyKey = never>(request: Extensible<AnthropicCountTokensRequest, Names>): Promise<Received<AnthropicTokenCount>>;
  countTokens<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AnthropicCountTokensRequest, Names>,
  ): Promise<Received<AnthropicTokenCount>>;
  countTokens(...given: Called<[request: AnthropicCountTokensRequest]>): Promise<Received<AnthropicTokenCount>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    // Counted as `create` would send it.
    const input = (): InputOf<operations['anthropic.countTokens']> => {
      checkRequest(request);
      const { body } = withEffort<AnthropicCountTokensRequest>(request, 'messages', this.#settings);
      return { body: this.#settings.disableToolSchemaCompat ? body : withCompatibleTools(body) };
    };
    return requestJson(this.#settings, anthropicCountTokens, ctx, input);
  }

  /**
   * Call the model, run the tools it requests and call it again, until it requests none. Returns the last response.
   *
   * `tools` is a function `(name, argumentsText) => text` that runs the tools of `request.tools` and gets `input` as JSON text, or a list of
   * tools made by `defineTool`, which are declared automatically. If a tool throws, the model receives `error: <message>` with `is_error`,
   * and the call continues. The request is not changed. A `tool_choice` that forces a tool applies only until tools have run. After
   * `pause_turn` the model is called again without tool results. `toolRun(response)` returns the transcript, the total usage and the number
   * of rounds.
   *
   * Throws a ToolLoopError if the model still requests tools after 8 rounds of them (`ToolMaxRounds`), or after `options.maxRounds`; those last calls are not run.
   * Canceling `ctx` rejects the call immediately, even while a tool hangs. The tool's third argument contains the signal.
   */
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<AnthropicMessageRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<AnthropicReply, Tools>,
  ): Promise<Received<AnthropicReply>>;
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AnthropicMessageRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<AnthropicReply, Tools>,
  ): Promise<Received<AnthropicReply>>;
  runWithTools(
    ...given: Called<[request: AnthropicMessageRequest, tools: AnyTools, options?: ToolLoopOptions<AnthropicReply> | undefined]>
  ): Promise<Received<AnthropicReply>> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.runWithTools({ operation: 'anthropic.runWithTools', ctx, request, tools, options });
  }

  /**
   * `runWithTools` as a stream: the events of every round, one round after the other. `options.onRound` marks the boundaries. After the end,
   * `toolRun(stream)` returns the complete last response, the transcript and the usage.
   */
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<AnthropicMessageRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<AnthropicReply, Tools>,
  ): ToolStream<AnthropicStreamEvent>;
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<AnthropicMessageRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<AnthropicReply, Tools>,
  ): ToolStream<AnthropicStreamEvent>;
  streamWithTools(
    ...given: Called<[request: AnthropicMessageRequest, tools: AnyTools, options?: ToolLoopOptions<AnthropicReply> | undefined]>
  ): ToolStream<AnthropicStreamEvent> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.streamWithTools({ operation: 'anthropic.streamWithTools', ctx, request, tools, options });
  }
}
