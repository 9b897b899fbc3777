// One exchange with a model, the same for all surfaces. A surface is a table of functions over its wire forms.
import {
  answerDeltas,
  answerOf,
  type ChatResponse,
  type Client,
  type CollectingStream,
  type Context,
  type FinishError,
  firstModel,
  isApiError,
  opened,
  type ToolDecision,
  type TypedTool,
  toolRun,
  webSearchOf,
} from 'modelsvc';
import type { JudgedAnswer, WebSearches } from 'modelsvc/types';
import type { Attachment } from './attachments.ts';
import { withoutIdleRound, withoutOpenCalls } from './continuation.ts';
import type { Question, SurfaceName, WireMessage } from './question.ts';

/** Text and reasoning of one item of a stream, or of a complete response. */
export interface Delta {
  readonly text: string;
  readonly reasoning: string;
}

export interface Piece extends Delta {
  /** The item as the wire has it: a chunk, an event, or a response. */
  readonly item: unknown;
}

export interface ModelCall {
  readonly name: string;
  /** The arguments: a value, or the text that is not JSON. */
  readonly arguments: unknown;
}

/** A complete answer. */
export interface TalkAnswer extends Delta {
  readonly response: object;
  /** Calls that were requested and not run. */
  readonly calls: readonly ModelCall[];
  readonly usage: object | undefined;
  readonly model: string | undefined;
  /** The model that was asked. Before it, others of --fallback have refused: each with the reason. */
  readonly asked: string;
  readonly refusals: ReadonlyMap<string, string>;
  readonly problem: FinishError | undefined;
  /** The conversation with the answer. */
  readonly messages: readonly WireMessage[];
  /** Searches of the service for the answer. */
  readonly searches: WebSearches;
}

/** How to perform an exchange. */
export interface ExchangeOptions {
  /** Default: true. A stream has no limit for the wait until its first byte of text. */
  readonly stream?: boolean;
  /** Tools to run. */
  readonly tools?: readonly TypedTool[] | undefined;
  /** Decides about the calls of a round before they run. */
  readonly decide?: ((calls: readonly ModelCall[]) => Promise<ToolDecision[]>) | undefined;
}

export interface TalkExchange {
  /** Iterate once. */
  readonly pieces: AsyncIterable<Piece>;
  /** True once the answer is complete: before the only piece of a response, and after the last one of a stream. */
  isComplete(): boolean;
  /** The answer, once it is complete. */
  answer(): TalkAnswer;
  /** Text of the answer that has arrived so far. */
  text(): string;
  /** The conversation up to the error that ended the exchange: rounds of tools that are complete, and the text that had arrived since. */
  soFar(error: unknown): readonly WireMessage[];
}

export interface TalkSurface {
  readonly name: SurfaceName;
  userMessage(text: string, attachments: readonly Attachment[]): WireMessage;
  send(client: Client, ctx: Context, question: Question, way: ExchangeOptions): TalkExchange;
}

/** The wire of a surface. */
export interface Wire<Request, Item extends object, Response extends object> {
  readonly name: SurfaceName;
  request(question: Question): Request;
  create(client: Client, ctx: Context, request: Request): Promise<Response>;
  stream(client: Client, ctx: Context, request: Request): CollectingStream<Item, Response>;
  createWithTools(client: Client, ctx: Context, request: Request, tools: readonly TypedTool[], onRound: OnRound): Promise<Response>;
  streamWithTools(client: Client, ctx: Context, request: Request, tools: readonly TypedTool[], onRound: OnRound): AsyncIterable<Item>;
  userMessage(text: string, attachments: readonly Attachment[]): WireMessage;
  /** The text of the messages before the answer that belong to its turn. Default: none. */
  textBefore?(answer: JudgedAnswer, transcript: readonly WireMessage[]): string;
}

/** The calls of an answer, as the library reads their arguments. */
export function callsOf({ calls }: Pick<JudgedAnswer, 'calls'>): readonly ModelCall[] {
  return calls.map(({ name, arguments: text, read }) => ({ name, arguments: read ? read.value : text }));
}

type OnRound = (round: { readonly calls: readonly { readonly name: string; readonly input?: unknown }[] }) => Promise<ToolDecision[] | undefined>;

export function surfaceOf<Request, Item extends object, Response extends object>(wire: Wire<Request, Item, Response>): TalkSurface {
  return {
    name: wire.name,
    userMessage: wire.userMessage,
    send: (client, ctx, question, way) => exchange(wire, client, ctx, question, way),
  };
}

function exchange<Request, Item extends object, Response extends object>(
  wire: Wire<Request, Item, Response>,
  client: Client,
  ctx: Context,
  question: Question,
  { stream = true, tools: own, decide }: ExchangeOptions,
): TalkExchange {
  const { fallback, retryFor } = question;
  const refusals = new Map<string, string>();
  let asked = question.model;
  /** Calls the model of the question, and the models of --fallback that follow it. */
  const first = <T>(call: (request: Request, ctx: Context) => Promise<T>): Promise<T> => {
    if (fallback.length === 0) return call(wire.request(question), ctx);
    const next = async (model: string, context: Context): Promise<T> => {
      asked = model;
      try {
        return await call(wire.request({ ...question, model }), context);
      } catch (error) {
        if (isApiError(error)) refusals.set(model, `refused with ${error.code === undefined ? `status ${error.status}` : `code ${error.code}`}`);
        throw error;
      }
    };
    return firstModel([question.model, ...fallback], next, { ctx, for: retryFor || undefined });
  };
  // The loop also goes on with a turn that the service paused between searches.
  const tools = own ?? (wire.name === 'messages' && question.searchEngine !== undefined ? [] : undefined);
  let response: Response | undefined;
  let run: Run | undefined;
  let text = '';
  let isRoundOver = false;
  const onRound: OnRound = async ({ calls }) => {
    isRoundOver = true;
    return decide?.(calls.map(({ name, input }) => ({ name, arguments: input })));
  };
  const answered = (): TalkAnswer => {
    if (!response) throw new TypeError('the pieces of the exchange are not read');
    const answer = answerOf(response as ChatResponse) as JudgedAnswer<WireMessage>;
    const transcript = run && transcriptOf(run);
    return {
      response,
      text: (transcript ? (wire.textBefore?.(answer, transcript) ?? '') : '') + answer.text,
      reasoning: answer.thought,
      calls: callsOf(answer),
      usage: asObject(run?.usage ?? answer.usage),
      model: answer.model,
      asked,
      refusals,
      problem: answer.problem,
      searches: webSearchOf((run ?? response) as never),
      messages: transcript ?? [...question.messages, ...answer.history],
    };
  };
  let complete: TalkAnswer | undefined;
  const answer = (): TalkAnswer => (complete ??= answered());
  async function* streamed(): AsyncGenerator<Piece> {
    let plain: CollectingStream<Item, Response> | undefined;
    const items = await first<AsyncIterable<Item>>(async (request, context) => {
      plain = tools ? undefined : wire.stream(client, context, request);
      const stream = plain ?? wire.streamWithTools(client, context, request, tools ?? [], onRound);
      // Without a limit, because the first text to print is the begin of the answer.
      return fallback.length === 0 ? stream : opened(stream, { within: 0 });
    });
    for await (const { item, text: piece, thought: reasoning } of answerDeltas(items)) {
      // The next answer has begun, so the calls of the round have their results.
      if (isRoundOver) text = '';
      isRoundOver = false;
      text += piece;
      yield { text: piece, reasoning, item };
    }
    run = runOf(items);
    response = plain ? await plain.response() : (run?.response as Response | undefined);
  }
  async function* whole(): AsyncGenerator<Piece> {
    response = await first((request, context) =>
      tools ? wire.createWithTools(client, context, request, tools, onRound) : wire.create(client, context, request),
    );
    run = runOf(response);
    const { reasoning } = answer();
    text = answer().text;
    yield { text, reasoning, item: response };
  }
  return {
    pieces: stream ? streamed() : whole(),
    isComplete: () => response !== undefined,
    answer,
    text: () => text,
    soFar: (error) => {
      const failed = typeof error === 'object' && error !== null ? runOf(error) : undefined;
      const rounds = failed ? withoutOpenCalls(withoutIdleRound(transcriptOf(failed))) : question.messages;
      return text.trim() === '' ? rounds : [...rounds, { role: 'assistant', content: text }];
    },
  };
}

interface Run {
  readonly response: unknown;
  readonly transcript: readonly WireMessage[];
  readonly usage: unknown;
}

function runOf(result: object): Run | undefined {
  return toolRun(result as never) as Run | undefined;
}

/** The conversation of a run, without the system prompt. */
function transcriptOf({ transcript }: Run): readonly WireMessage[] {
  return transcript.filter(({ role }) => role !== 'system');
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}
