// One run of the tool loop, on all surfaces: what follows each response.
import { startOperation } from '../call/operation.ts';
import { fieldsOfContext } from '../context.ts';
import { ToolLoopError } from '../errors/answer-errors.ts';
import { raiseBilled } from '../errors/refusal.ts';
import { fieldsOf, isObject } from '../json/json-value.ts';
import { checkFields, checkRequest } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { secretsOf } from '../secrets/clean.ts';
import type { AnswerCall } from '../surfaces/answer.ts';
import { ToolMaxRounds } from '../surfaces/constants.ts';
import { decided, shownCall } from './approval.ts';
import type { Instead } from './decisions.ts';
import { rememberRun } from './run-info.ts';
import { RunSignal } from './run-signal.ts';
import type { ToolCalls, ToolResult, ToolSurface } from './surface.ts';
import { callsAtOnce, optionFields, type ToolLoopInput, type ToolRoundCall, type ToolRunSoFar } from './tool-loop-input.ts';
import { failure, resultText, type Toolbox, toolbox, withName } from './toolbox.ts';
import { errorText, type PreparedCall } from './typed-tool.ts';
import { addUsage } from './usage.ts';

/** The result of a call, and how it came about. */
interface CallOutcome extends ToolResult {
  readonly ran?: boolean;
  readonly error?: unknown;
}

/** The calls of a response, and the results that are known. */
interface OpenCalls {
  readonly calls: readonly AnswerCall[];
  readonly results: ToolResult[];
}

const notRun = failure('the call was not run');
const unfinished = failure('the run ended during this call: it may have had effects');

/** State of one run. Decides the step after each response; the surface sends requests and reads responses. */
export class ToolLoop<Request, Response extends object, Item, Message> {
  readonly run: RunSignal;
  readonly #calls: ToolCalls<Request, Response, Item, Message>;
  readonly #surface: ToolSurface<Request, Response, Item, Message>;
  readonly #input: ToolLoopInput<Request, Response>;
  readonly #maxRounds: number;
  readonly #atOnce: number;
  readonly #keepThinking: boolean;
  readonly #toolbox: Toolbox;
  readonly #declared: readonly unknown[];
  readonly #transcript: Message[];
  #response: Response | undefined;
  #usage: unknown;
  #round = 0;
  #toolsRan = false;
  #ended: 'answered' | 'stopped' | undefined;
  /** Calls of all rounds, kept for `stopWhen` alone. */
  readonly #shown: ToolRoundCall[] = [];
  #open: OpenCalls | undefined;

  constructor(calls: ToolCalls<Request, Response, Item, Message>, input: ToolLoopInput<Request, Response>) {
    const { tools: surface, settings } = calls;
    const { operation, request, tools, options } = input;
    checkRequest(request);
    if (options !== undefined) checkFields(options, optionFields, 'options');
    const { maxRounds = ToolMaxRounds } = input.maxRounds === undefined ? { ...options } : input;
    if (!Array.isArray(surface.messagesOf(request))) throw new Problem(surface.conversation, 'must be an array');
    const given = surface.toolsOf(request);
    if (!Array.isArray(given)) throw new Problem('tools', 'must be an array');
    if (!Number.isSafeInteger(maxRounds) || maxRounds < 1) throw new Problem('maxRounds', 'must be an integer of at least 1');
    for (const name of ['onRound', 'onToolEnd', 'stopWhen'] as const)
      if (options?.[name] !== undefined && typeof options[name] !== 'function') throw new Problem(`options.${name}`, 'must be a function');
    const { keepThinking = true } = { ...options };
    if (typeof keepThinking !== 'boolean') throw new Problem('options.keepThinking', 'must be true or false');
    this.#calls = calls;
    this.#surface = surface;
    this.#input = input;
    this.#keepThinking = keepThinking;
    this.#maxRounds = maxRounds;
    this.#atOnce = callsAtOnce(options?.parallel);
    const declared = surface.declared(request);
    this.#toolbox = toolbox(tools, declared, given.length - declared.length);
    this.#declared = [...given, ...this.#toolbox.tools.map((tool) => surface.declare(tool))];
    this.#transcript = [...surface.messagesOf(request)];
    this.run = new RunSignal(input.ctx, operation, settings.lifetime);
  }

  create(): Promise<Response> {
    // `stream: false` asks for whole replies.
    const asked = fieldsOf(this.#input.request)['stream'] === false ? { stream: false } : {};
    return this.#calls.create(this.#input.operation, this.run.contextFrom(this.#input.ctx), { ...this.#next(), ...asked }, this.#keepThinking);
  }

  stream(): AsyncIterableIterator<Item, undefined> {
    return this.#calls.stream(this.#input.operation, this.run.contextFrom(this.#input.ctx), this.#next(), this.#keepThinking);
  }

  #next(): Request {
    this.run.throwIfAborted();
    return this.#surface.next(this.#input.request, this.#transcript, this.#declared, this.#toolsRan, this.#response);
  }

  get hasResponse(): boolean {
    return this.#response !== undefined;
  }

  /** Makes the current state of the run available to `toolRun(key)`. Its transcript can be sent as it is. */
  remember(key: unknown): void {
    this.#close();
    if (this.#round > 0) raiseBilled(key, 'yes');
    if (!isObject(key)) return;
    const { name: surface } = this.#surface;
    rememberRun(key, {
      surface,
      response: this.#response,
      transcript: this.#transcript,
      usage: this.#usage,
      modelCalls: this.#round,
      ended: this.#ended,
    });
  }

  /** Processes a response. Returns true if it is the last one. */
  async accept(response: Response): Promise<boolean> {
    this.#round++;
    this.#response = response;
    const turn = this.#surface.read(response, this.#round, this.#toolbox.names);
    this.#usage = addUsage(this.#usage, turn.usage);
    for (const message of turn.history) this.#transcript.push(message);
    this.#open = { calls: turn.calls, results: [] };
    if (turn.step === 'stop') {
      this.#ended = 'answered';
      return true;
    }
    if (this.#round > this.#maxRounds) {
      this.#close();
      const run = { lastResponse: response, transcript: this.#transcript, usage: this.#usage };
      throw new ToolLoopError(this.#input.operation, this.#maxRounds, run);
    }
    if (turn.step !== 'run') return false;
    await this.#runTools(response, this.#open);
    return this.#stops(response);
  }

  async #stops(response: Response): Promise<boolean> {
    const { stopWhen } = this.#input.options ?? {};
    if (!stopWhen) return false;
    const run = { round: this.#round, usage: this.#usage as ToolRunSoFar<Response>['usage'], calls: [...this.#shown], response };
    if (!(await this.run.race(Promise.resolve(stopWhen(run))))) return false;
    this.#ended = 'stopped';
    return true;
  }

  /** Answers the open calls, those without a known result with an error: services refuse a call without a result. */
  #close(): void {
    const { calls = [], results = [] } = this.#open ?? {};
    this.#open = undefined;
    if (calls.length === 0) return;
    const answered = calls.map(({ id }, index) => ({ id, ...(results[index] ?? notRun) }));
    // Not `push(...)`: engines limit the number of arguments to about 100,000.
    for (const message of this.#surface.results(answered)) this.#transcript.push(message);
  }

  async #runTools(response: Response, { calls, results }: OpenCalls): Promise<void> {
    const prepared = await this.run.race(Promise.all(calls.map((call) => this.#toolbox.prepare(call))));
    const { operation, options } = this.#input;
    if (options?.stopWhen) for (const [index, call] of calls.entries()) this.#shown.push(shownCall(call, prepared[index] as PreparedCall));
    const decisions = await decided({ operation, run: this.run, round: this.#round, response, calls, prepared, options });
    const waiting = calls.entries();
    const worker = async (): Promise<void> => {
      // The workers share one iterator, so each takes the next call not yet taken.
      for (const [index, call] of waiting) {
        this.run.throwIfAborted();
        await this.#runCall(call, prepared[index] as PreparedCall, decisions[index], (result) => {
          results[index] = result;
        });
      }
    };
    await this.run.race(Promise.all(Array.from({ length: Math.min(this.#atOnce, calls.length) }, worker)));
    this.#close();
    this.#toolsRan = true;
  }

  /** Runs a call, keeps its result, and passes it to `onToolEnd`. */
  async #runCall(call: AnswerCall, prepared: PreparedCall, decision: Instead | undefined, keep: (result: ToolResult) => void): Promise<void> {
    const { onToolEnd } = this.#input.options ?? {};
    const startedAt = performance.now();
    const { ran = false, error, ...outcome } = await this.#resultOf(call, prepared, decision, keep);
    const result = withName(outcome, call.name, this.#toolbox);
    this.run.throwIfAborted();
    keep(result);
    const durationMs = ran ? performance.now() - startedAt : 0;
    await onToolEnd?.({ ...shownCall(call, prepared), round: this.#round, ...result, error, durationMs });
  }

  async #resultOf(call: AnswerCall, prepared: PreparedCall, decision: Instead | undefined, keep: (result: ToolResult) => void): Promise<CallOutcome> {
    if (decision) return 'deny' in decision ? failure(decision.deny) : { text: resultText(decision.replace), isError: false };
    if (prepared.problem !== undefined) return failure(prepared.problem);
    const { settings } = this.#calls;
    const secrets = secretsOf(settings, fieldsOfContext(this.#input.ctx).headers);
    const facts = { kind: 'tool.call', operation: call.name, toolCallId: call.id, request: () => call.arguments, secrets } as const;
    const hooks = startOperation(settings, this.#input.ctx, facts);
    keep(unfinished);
    let text = '';
    const work = async (): Promise<unknown> => {
      const value = await prepared.run({ signal: this.run.signal, callId: call.id, round: this.#round });
      text = resultText(value);
      // An abort at the same moment must not lose it.
      keep({ text, isError: false });
      return value;
    };
    try {
      const value = await this.run.race(hooks ? hooks.around(work) : work());
      hooks?.succeeded({}, value);
      return { text, isError: false, ran: true };
    } catch (error) {
      hooks?.failed(error);
      return { ...failure(errorText(error)), ran: true, error };
    }
  }
}
