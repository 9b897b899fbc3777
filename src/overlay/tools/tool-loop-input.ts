// Input of a run of the tool loop: the request, the tools and the options.
import { type CallContext, copyContext } from '../context.ts';
import type { KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import type { RequestedCall } from '../surfaces/answer.ts';
import type { ToolDecisions } from './decisions.ts';
import type { ToolExecutor } from './toolbox.ts';
import type { TypedTool } from './typed-tool.ts';

/** The tools of a run: an executor, or typed tools. */
export type AnyTools = ToolExecutor | readonly TypedTool[];

/** A call with valid arguments. */
export interface ValidToolCall<Input = unknown, Name extends string = string> extends RequestedCall {
  readonly name: Name;
  /** The validated value for a typed tool; the text of the arguments for an executor. */
  readonly input: Input;
  readonly problem?: undefined;
}

/** A call of a typed tool with invalid arguments, or of a tool that does not exist. It does not run. */
export interface InvalidToolCall extends RequestedCall {
  readonly input?: undefined;
  /** The model receives `error: <problem>`. */
  readonly problem: string;
}

/**
 * A call that is about to run. Its `name` decides the type of `input`: `call.name === 'weather' && call.input?.city`. `input` is undefined, and
 * `problem` is set, for an invalid call.
 */
export type ToolRoundCall<Tools extends AnyTools = AnyTools> = Tools extends readonly (infer Tool)[]
  ? CallOf<Tool> | InvalidToolCall
  : ValidToolCall<string>;

type CallOf<Tool> = Tool extends TypedTool<infer Input, infer Name> ? ValidToolCall<Input, Name> : never;

/** A round whose tools are about to run. */
export interface ToolRound<Response, Tools extends AnyTools = AnyTools> {
  /** Number of the model call, from 1. */
  readonly round: number;
  readonly response: Response;
  readonly calls: readonly ToolRoundCall<Tools>[];
}

/** A call whose result is known. */
export type ToolEnd<Tools extends AnyTools = AnyTools> = ToolRoundCall<Tools> & ToolOutcome;

/** The result of a call, and how it came about. */
export interface ToolOutcome {
  /** Number of the model call, from 1. */
  readonly round: number;
  /** The text that the model receives. */
  readonly text: string;
  /** True if the model receives `error: <text>`: the tool failed, or the call was invalid or denied. */
  readonly isError: boolean;
  /** The error that the tool threw or returned. */
  readonly error?: unknown;
  /** Milliseconds that the tool ran; 0 for a call that did not run. */
  readonly durationMs: number;
}

/** A run after the tools of a round, for `stopWhen`. */
export interface ToolRunSoFar<Response, Tools extends AnyTools = AnyTools> {
  /** Number of the model call, from 1. */
  readonly round: number;
  /** Usage of all model calls, summed; undefined if no response contained usage. `estimateCost(model, usage)` returns its price. */
  readonly usage: (Response extends { readonly usage?: infer Usage } ? Usage : object) | undefined;
  /** Calls of all rounds, in order. */
  readonly calls: readonly ToolRoundCall<Tools>[];
  /** The last response. */
  readonly response: Response;
}

/** Options of a tool loop. */
export interface ToolLoopOptions<Response, Tools extends AnyTools = AnyTools> {
  /** Run the calls of a round in parallel: all of them, or at most this number at a time. Results keep their order. Default: false, one at a time. */
  readonly parallel?: boolean | number | undefined;
  /**
   * Called before the tools of a round run, to observe, approve or deny calls. Return one decision per call, in order; a missing or undefined
   * decision allows the call. Any other return value ends the run with a ValidationError before a tool of the round runs. An error it throws
   * ends the run too.
   */
  readonly onRound?: ((round: ToolRound<Response, Tools>) => ToolDecisions | Promise<ToolDecisions>) | undefined;
  /**
   * Called when the result of a call is known, also of one that was invalid, denied or replaced. With `parallel` calls come in the order of their
   * ends. The next call waits for it. An error it throws ends the run.
   */
  readonly onToolEnd?: ((end: ToolEnd<Tools>) => void | Promise<void>) | undefined;
  /**
   * Called after the tools of a round have run, before the next request; true ends the run as a success. The transcript then has every result, and
   * `toolRun(response)?.ended` is `stopped`. An error it throws ends the run. Default: the run goes on until the model requests no tools.
   */
  readonly stopWhen?: ((run: ToolRunSoFar<Response, Tools>) => boolean | Promise<boolean>) | undefined;
  /**
   * Maximum number of rounds. A round is a response that requests tools, together with their results. If the response after the last round
   * still requests tools, they are not run and a ToolLoopError is thrown. At least 1. Default: 8 (`ToolMaxRounds`).
   */
  readonly maxRounds?: number | undefined;
  /**
   * Ask the service to keep the model's thought of earlier rounds, where it would drop it: chat on the platform root, for models that know the
   * field. Sent as `thinking: { type: 'enabled', clear_thinking: false }`. A `clear_thinking` of your own wins, and so does thinking that is
   * off. Thought is always sent back, also with false. Default: true.
   */
  readonly keepThinking?: boolean | undefined;
}

export const optionFields: KnownFields<ToolLoopOptions<never>> = {
  parallel: 1,
  onRound: 1,
  onToolEnd: 1,
  stopWhen: 1,
  maxRounds: 1,
  keepThinking: 1,
};

/** Input of one run. */
export interface ToolLoopInput<Request, Response, Tools extends AnyTools = AnyTools> {
  readonly operation: string;
  readonly ctx: CallContext;
  readonly request: Request;
  readonly tools: Tools;
  /** Replaces `maxRounds` of the options. */
  readonly maxRounds?: number;
  readonly options?: ToolLoopOptions<Response, Tools> | undefined;
}

/** Copies the input of a run that starts later. Changes to the request, the context or the list of tools then have no effect. */
export function laterInput<Request, Response>(input: ToolLoopInput<Request, Response>): ToolLoopInput<Request, Response> {
  const { ctx, request, tools, options } = input;
  const copy = Array.isArray(tools) ? [...(tools as TypedTool[])] : tools;
  return { ...input, ctx: copyContext(ctx), request: asSent(request), tools: copy, options: { ...options } };
}

/**
 * A copy of the request by JSON, so that later rounds repeat the bytes of earlier ones, whatever the caller changes. A request that JSON cannot
 * represent is not copied; sending it throws.
 */
export function asSent<Request>(request: Request): Request {
  try {
    return JSON.parse(JSON.stringify(request, representable)) as Request;
  } catch {
    return request;
  }
}

/** Throws for a number that JSON would replace by null, which counts as absent. */
function representable(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not finite');
  return value;
}

/** The number of calls that run at the same time. */
export function callsAtOnce(parallel: boolean | number | undefined): number {
  if (parallel === undefined || parallel === false) return 1;
  if (parallel === true) return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(parallel) || parallel < 1) throw new Problem('parallel', 'must be true, false or an integer of at least 1');
  return parallel;
}
