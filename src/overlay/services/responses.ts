import type { operations } from '../../generated/operations.ts';
import { responsesCreate, responsesDelete, responsesGet, responsesInputItems } from '../../generated/routes.ts';
import type { ResponsesDeleted, ResponsesInputItem, ResponsesInputItemList, ResponsesStreamEvent } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { withEffort } from '../call/request/thinking.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { isFields } from '../json/json-value.ts';
import type { EventStream } from '../streams/event-stream.ts';
import * as protocols from '../streams/protocols.ts';
import type { ChatRequest } from '../surfaces/chat/request.ts';
import { type ResponsesReply, withResponseAccessors } from '../surfaces/responses/reply.ts';
import { jsonRequest, type ResponsesRequest, responsesBody } from '../surfaces/responses/request.ts';
import { responsesTools } from '../tools/responses-surface.ts';
import type { OutputFormat } from '../tools/structured-output.ts';
import type { AnyTools, ToolLoopOptions } from '../tools/tool-loop-input.ts';
import type { ToolStream } from '../tools/tool-stream.ts';
import { ModelCalls, type ModelSurface, type SimpleArguments } from './model-calls.ts';

/** A response with the validated value of its text. */
export type ParsedResponse<Output> = ResponsesReply & { readonly parsed: Output };

type ResponsesOperation = operations['responses.create'];

const surface: ModelSurface<ResponsesOperation, ResponsesRequest, ResponsesReply, ResponsesStreamEvent, ResponsesInputItem> = {
  route: responsesCreate,
  tools: responsesTools,
  protocol: protocols.responsesCreate,
  input: (request, settings, stream) => withEffort(responsesBody(request, !settings.disableToolSchemaCompat, stream), 'responses', settings),
  asksForJson: jsonRequest,
  reply: withResponseAccessors,
};

/**
 * The Responses surface: OpenAI's newer protocol, in the service's own edition. It has no schema-enforced output, and no model of it can be
 * kept from thinking.
 */
export class Responses {
  readonly #settings: Settings;
  readonly #calls: ModelCalls<ResponsesOperation, ResponsesRequest, ResponsesReply, ResponsesStreamEvent, ResponsesInputItem>;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#calls = new ModelCalls(settings, surface);
  }

  /**
   * Create a response and wait for it. Its `text()`, `reasoning()` and `toolCalls()` read its items. Check `status`: `incomplete` means that
   * the output ended early; `finishError(response)` has the reason. The service keeps no response unless `store` is true.
   *
   * @example
   * ```ts
   * const response = await c.responses().create({ model: 'glm-5.3', effort: 'low', input: 'Is 91 prime?' });
   * console.log(response.text(), response.usage?.output_tokens);
   * ```
   */
  create<Names extends PropertyKey = never>(request: Extensible<ResponsesRequest, Names>): Promise<Received<ResponsesReply>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ResponsesRequest, Names>): Promise<Received<ResponsesReply>>;
  create(...given: Called<[request: ResponsesRequest]>): Promise<Received<ResponsesReply>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.create(responsesCreate.id, ctx, request);
  }

  /**
   * Create a response from one user text. The options are two fields of the request: `effort`, how deep the model thinks, and `system`, sent as
   * `instructions`. For others use `create`.
   */
  createSimple(
    model: string,
    text: string,
    options?: Pick<ChatRequest, 'effort'> & { readonly system?: string | undefined },
  ): Promise<Received<ResponsesReply>>;
  createSimple(
    ctx: CallContext,
    model: string,
    text: string,
    options?: Pick<ChatRequest, 'effort'> & { readonly system?: string | undefined },
  ): Promise<Received<ResponsesReply>>;
  createSimple(...given: Called<SimpleArguments>): Promise<Received<ResponsesReply>> {
    return this.#calls.createSimple('responses.createSimple', given, (model, input, { effort, system }) => ({
      model,
      effort,
      input,
      instructions: system,
    }));
  }

  /**
   * Create a response whose text is JSON that matches the schema of `format`, which `outputFormat` made. Returns the response with the
   * validated value as `parsed`, which is not enumerable.
   *
   * The surface has no schema-enforced output. The request asks for any JSON, and its `instructions` get the schema. Throws an OutputError,
   * after a paid call, if the answer is incomplete, is not JSON or does not match. For a stream use `format.partial`.
   *
   * @example
   * ```ts
   * const format = outputFormat(z.object({ answer: z.string() }));
   * const { parsed } = await c.responses().parse({ model: 'glm-5.3', effort: 'low', input: 'Is 91 prime?' }, format);
   * console.log(parsed.answer);
   * ```
   */
  parse<Output, Names extends PropertyKey = never>(
    request: Extensible<ResponsesRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<ParsedResponse<Output>>>;
  parse<Output, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ResponsesRequest, Names>,
    format: OutputFormat<Output>,
  ): Promise<Received<ParsedResponse<Output>>>;
  parse<Output>(...given: Called<[request: ResponsesRequest, format: OutputFormat<Output>]>): Promise<Received<ParsedResponse<Output>>> {
    const [ctx, request, format] = contextFirst(given, given.length < 3);
    return this.#calls.parse('responses.parse', ctx, request, format);
  }

  /**
   * Stream a response as the protocol's events. `response.completed` and `response.incomplete` have the complete response and end the stream.
   *
   * The request is sent when you request the first event. Unknown event types are passed on. `response.failed` and `error` throw an ApiError.
   * A stream that stops before its last event throws a StreamError.
   *
   * @example
   * ```ts
   * const stream = c.responses().stream({ model: 'glm-5.3', effort: 'low', input: 'Is 91 prime?' });
   * for await (const text of textDeltas(stream)) console.log(text);
   * ```
   */
  stream<Names extends PropertyKey = never>(request: Extensible<ResponsesRequest, Names>): EventStream<ResponsesStreamEvent>;
  stream<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<ResponsesRequest, Names>): EventStream<ResponsesStreamEvent>;
  stream(...given: Called<[request: ResponsesRequest]>): EventStream<ResponsesStreamEvent> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return this.#calls.stream('responses.stream', ctx, request);
  }

  /**
   * Call the model, run the tools it requests and call it again, until it requests none. Returns the last response.
   *
   * `tools` is a function `(name, argumentsText) => text` that runs the functions of `request.tools`, or a list of tools made by `defineTool`,
   * which are declared automatically. If a tool throws, the model receives `error: <message>` and the call continues. The request is not
   * changed. Every round sends all items again, reasoning included. With `store: true` it sends the id of the response before and the results
   * of its calls only. `toolRun(response)` returns the items, the total usage and the number of model calls.
   *
   * Throws a ToolLoopError if the model still requests tools after 8 rounds of them (`ToolMaxRounds`), or after `options.maxRounds`; those last calls are not run.
   * Canceling `ctx` rejects the call immediately, even while a tool hangs. The tool's third argument contains the signal.
   */
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<ResponsesRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ResponsesReply, Tools>,
  ): Promise<Received<ResponsesReply>>;
  runWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ResponsesRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ResponsesReply, Tools>,
  ): Promise<Received<ResponsesReply>>;
  runWithTools(
    ...given: Called<[request: ResponsesRequest, tools: AnyTools, options?: ToolLoopOptions<ResponsesReply> | undefined]>
  ): Promise<Received<ResponsesReply>> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.runWithTools({ operation: 'responses.runWithTools', ctx, request, tools, options });
  }

  /**
   * `runWithTools` as a stream: the events of every round, one round after the other. `options.onRound` marks the boundaries. After the end,
   * `toolRun(stream)` returns the complete last response, the items and the usage.
   */
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    request: Extensible<ResponsesRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ResponsesReply, Tools>,
  ): ToolStream<ResponsesStreamEvent>;
  streamWithTools<Tools extends AnyTools, Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ResponsesRequest, Names>,
    tools: Tools,
    options?: ToolLoopOptions<ResponsesReply, Tools>,
  ): ToolStream<ResponsesStreamEvent>;
  streamWithTools(
    ...given: Called<[request: ResponsesRequest, tools: AnyTools, options?: ToolLoopOptions<ResponsesReply> | undefined]>
  ): ToolStream<ResponsesStreamEvent> {
    const [ctx, request, tools, options] = contextFirst(given, given.length < 4 && !isFields(given[1]));
    return this.#calls.streamWithTools({ operation: 'responses.streamWithTools', ctx, request, tools, options });
  }

  /** A stored response. A response that failed is a result with `status` `failed`, not an error. Unconfirmed: no recorded reply. */
  get(id: string): Promise<Received<ResponsesReply>>;
  get(ctx: CallContext, id: string): Promise<Received<ResponsesReply>>;
  async get(...given: Called<[id: string]>): Promise<Received<ResponsesReply>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    const route = { ...responsesGet, isTask: isFailedResponse };
    return withResponseAccessors(await requestJson(this.#settings, route, ctx, () => ({ parameters: { response_id: id } })));
  }

  /** The input items of a stored response. Their order and paging are not known. Unconfirmed: no recorded reply. */
  inputItems(id: string): Promise<Received<ResponsesInputItemList>>;
  inputItems(ctx: CallContext, id: string): Promise<Received<ResponsesInputItemList>>;
  inputItems(...given: Called<[id: string]>): Promise<Received<ResponsesInputItemList>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, responsesInputItems, ctx, () => ({ parameters: { response_id: id } }));
  }

  /** Delete a stored response. Unconfirmed: no recorded reply, so the result may be empty. */
  delete(id: string): Promise<Received<ResponsesDeleted>>;
  delete(ctx: CallContext, id: string): Promise<Received<ResponsesDeleted>>;
  delete(...given: Called<[id: string]>): Promise<Received<ResponsesDeleted>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, responsesDelete, ctx, () => ({ parameters: { response_id: id } }));
  }
}

/** True for the stored response of a failed call: it has an `error`, but it is what was asked for. */
function isFailedResponse(body: Readonly<Record<string, unknown>>): boolean {
  return body['object'] === 'response' || body['status'] === 'failed';
}
