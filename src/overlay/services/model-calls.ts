// The calls that chat, messages and Responses have alike: a reply, a stream, a stream into a callback, and runs of the tool loop.
import type { Route } from '../../generated/routes.ts';
import type { ChatResponse } from '../../generated/types.ts';
import { type ReplyOf, requestJson } from '../call/operations/request-json.ts';
import type { OnText } from '../call/reply/decode.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { InputOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { validated, validationError } from '../errors/problem.ts';
import { fieldsOf, textOf } from '../json/json-value.ts';
import { checkFields, checkRequest, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { requestCollected } from '../streams/collected-reply.ts';
import type { EventStream } from '../streams/event-stream.ts';
import { requestStream } from '../streams/request-stream.ts';
import type { ChatRequest } from '../surfaces/chat/request.ts';
import type { StreamProtocol } from '../surfaces/protocol.ts';
import { runTools, streamTools } from '../tools/run-tools.ts';
import type { OutputFormat } from '../tools/structured-output.ts';
import type { ToolSurface } from '../tools/surface.ts';
import type { ToolLoopInput } from '../tools/tool-loop-input.ts';
import type { ToolStream } from '../tools/tool-stream.ts';

/** Callback of the deprecated `createStream`. A throw, a rejection or a returned Error aborts the stream. */
export type StreamCallback<T> = (item: T) => unknown;

/** How one surface is called. */
export interface ModelSurface<Operation, Request, Reply extends object, Item, Message> {
  readonly route: Route<Operation>;
  readonly tools: ToolSurface<Request, Reply, Item, Message>;
  protocol(): StreamProtocol<Item>;
  /** Checks a request and makes its body. `keepThinking` asks the service to keep the thought of earlier rounds. May throw a Problem. */
  input(request: Request, settings: Settings, stream: boolean, keepThinking: boolean): InputOf<Operation>;
  /** A request for an answer in JSON, with the instructions of its schema. May throw a Problem. */
  asksForJson(request: Request, instructions: string): Request;
  /** The value that the caller gets for the JSON of a reply. */
  reply(json: ReplyOf<Operation>): Reply;
  readonly onText?: OnText;
}

/** Fields of a request that `createSimple` also takes. The public methods spell them out. */
type SimpleOptions = Pick<ChatRequest, 'effort'> & { readonly system?: string | undefined };

export type SimpleArguments = [model: string, text: string, options?: SimpleOptions | undefined];

const simpleFields: KnownFields<SimpleOptions> = { effort: 1, system: 1 };

/** Calls of one surface with the settings of a client. `operation` is the name in errors and hooks. */
export class ModelCalls<Operation, Request, Reply extends object, Item, Message> {
  readonly #settings: Settings;
  readonly #surface: ModelSurface<Operation, Request, Reply, Item, Message>;

  constructor(settings: Settings, surface: ModelSurface<Operation, Request, Reply, Item, Message>) {
    this.#settings = settings;
    this.#surface = surface;
  }

  get settings(): Settings {
    return this.#settings;
  }

  get tools(): ToolSurface<Request, Reply, Item, Message> {
    return this.#surface.tools;
  }

  async create(operation: string, ctx: CallContext, request: Request, keepThinking = false): Promise<Received<Reply>> {
    const { route, onText } = this.#surface;
    if (!this.#asksForWhole(ctx, request)) {
      const input = (): InputOf<Operation> => this.#surface.input(request, this.#settings, true, keepThinking);
      const how = {
        protocol: () => this.#surface.protocol(),
        assembler: () => this.#surface.tools.collect(),
        onText,
        whole: (json: object) => this.#surface.reply(json as ReplyOf<Operation>),
      };
      return requestCollected(this.#settings, route, ctx, input, operation, how);
    }
    const input = (): InputOf<Operation> => this.#surface.input(request, this.#settings, false, keepThinking);
    return this.#surface.reply(await requestJson(this.#settings, route, ctx, input, operation, onText)) as Received<Reply>;
  }

  /** True for an answer that comes as one reply: by the options, or because its bytes are asked for, or because it is not a stream of text. */
  #asksForWhole(ctx: CallContext, request: Request): boolean {
    const { wholeReplies, rawBody } = fieldsOf(ctx);
    const { background, stream, model } = fieldsOf(request);
    // `stream: true` is refused there.
    if (rawBody === true || background === true || typeof stream === 'boolean' || /-voice\b/.test(textOf(model))) return true;
    return Boolean(wholeReplies ?? this.#settings.wholeReplies ?? !this.#settings.endpoints[this.#surface.route.surface].isServiceHost);
  }

  /** `create` from a text. The short form begins with the model; three texts are the other form, with a wrong context. */
  async createSimple(
    operation: string,
    given: Called<SimpleArguments>,
    requestOf: (model: string, text: string, options: SimpleOptions) => Request,
  ): Promise<Received<Reply>> {
    const [ctx, model, text, options = {}] = contextFirst(given, given.length < 4 && typeof given[0] === 'string' && typeof given[2] !== 'string');
    validated(operation, () => {
      checkFields(options, simpleFields, 'options', 'must have effort or system: pass a signal as the first argument');
      if (typeof (options.system ?? '') !== 'string') throw new Problem('options.system', 'must be a string');
    });
    return this.create(operation, ctx, requestOf(model, text, options));
  }

  async parse<Output>(
    operation: string,
    ctx: CallContext,
    request: Request,
    format: OutputFormat<Output>,
  ): Promise<Received<Reply & { readonly parsed: Output }>> {
    const asked = validated(operation, () => {
      checkRequest(request);
      const { instructions } = fieldsOf(format);
      if (typeof instructions !== 'string') throw new Problem('format', 'must be made by outputFormat');
      return this.#surface.asksForJson(request, instructions);
    });
    const reply = await this.create(operation, ctx, asked);
    const parsed = await format.parse(reply as object as ChatResponse);
    return Object.defineProperty(reply, 'parsed', { value: parsed, enumerable: false }) as Received<Reply & { readonly parsed: Output }>;
  }

  stream(operation: string, ctx: CallContext, request: Request, keepThinking = false): EventStream<Item> {
    const input = (): InputOf<Operation> => this.#surface.input(request, this.#settings, true, keepThinking);
    return requestStream(this.#settings, this.#surface.route, ctx, input, this.#surface.protocol(), operation);
  }

  async createStream(operation: string, ctx: CallContext, request: Request, callback: StreamCallback<Item>): Promise<void> {
    const stream = this.stream(operation, ctx, request);
    if (typeof callback !== 'function') throw validationError(operation, new Problem('the callback', 'must be a function'));
    for await (const item of stream) {
      const verdict = await callback(item);
      if (verdict instanceof Error || isModelsvcError(verdict)) throw verdict;
    }
  }

  runWithTools(input: ToolLoopInput<Request, Reply>): Promise<Received<Reply>> {
    return runTools(this, input) as Promise<Received<Reply>>;
  }

  streamWithTools(input: ToolLoopInput<Request, Reply>): ToolStream<Item> {
    return streamTools(this, input);
  }
}
