// Several models for one question. Each is asked by a call of its own, and the code of a call contains no word of the others.
import { Cancellation } from '../call/cancellation.ts';
import { durationField } from '../call/settings/fields.ts';
import { type CallContext, type Context, fieldsOfContext, signalsOf } from '../context.ts';
import { backoffMs, firstDelayMs, isOverload, isRepeatable } from '../errors/backoff.ts';
import type { ApiError, ModelsvcError } from '../errors/errors.ts';
import { isApiError, isModelsvcError } from '../errors/guards.ts';
import { validated, validationError } from '../errors/problem.ts';
import { withFailures } from '../errors/refusal.ts';
import { isThenable } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';

/** Options of `firstModel`. */
export interface FirstModelOptions {
  /** Context of the calls: the function gets it. Its signal also ends a wait. Default: none. */
  readonly ctx?: CallContext | undefined;
  /**
   * Milliseconds, from the first refusal. The context of the calls then has `maxRetries: 0`, because `firstModel` decides about all retries: an
   * overload asks the next model at once. If all models are overloaded, they are called again after a backoff, until the time has passed. After
   * another refusal that may pass, such as a rate limit, the same model is called again. 0 asks each model once. A call waits a second for a place,
   * and the last model for the rest of the time; `queueTimeout` of `ctx` replaces both. Default: the retries of the calls.
   */
  readonly for?: number | undefined;
}

const operation = 'firstModel';
const most = 8;
/** Milliseconds that a call waits for a place before the next model is asked. */
const placeMs = 1000;
const optionFields: KnownFields<FirstModelOptions> = { ctx: 1, for: 1 };
/** Codes for a model that is unknown or not in the plan. Of the codes for used-up windows, 1304 alone names neither plan nor account. */
const ofTheModel = /^(1211|1304|1311|model_not_found|usage_not_included)$/;

/**
 * Asks the models in order, at most eight, and returns the first answer. The next model is asked only if this one was overloaded, unknown or not
 * in the plan, and only if the service refused every attempt. After a lost connection or a part of an answer the call may be billed, so its error
 * is thrown. A tool loop is not begun again after its first round. Pass a stream to `opened`, because it is sent only when it is read.
 *
 * The error that is thrown is the last one. Its `previous` is the error of the model before.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user' as const, content: 'Hello' }];
 * const call = (model: string, ctx: Context) => c.chat().create(ctx, { model, effort: 'low', messages });
 * const reply = await firstModel(['glm-5.3', 'glm-5.3-flash'], call, { for: 60_000 });
 * console.log(reply.model);
 * ```
 */
export async function firstModel<T>(
  models: readonly string[],
  call: (model: string, ctx: Context) => Promise<T>,
  options: FirstModelOptions = {},
): Promise<T> {
  const { turns, signals } = validated(operation, () => checked(models, call, options));
  const cancellation = new Cancellation(signals, operation);
  const failures = new Map<string, ModelsvcError>();
  try {
    for (;;) {
      cancellation.throwIfAborted();
      const { model, context } = turns;
      try {
        return await asked(call(model, context));
      } catch (error) {
        const delayMs = turns.after(error);
        if (delayMs === undefined) throw error;
        // The newest of each model, so that hours of waiting keep no more errors than there are models.
        failures.delete(model);
        failures.set(model, error as ModelsvcError);
        if (delayMs > 0) await cancellation.sleep(delayMs);
      }
    }
  } catch (error) {
    withFailures(error, [...failures.values()].reverse());
    throw error;
  } finally {
    cancellation.release();
  }
}

/** A stream has no `then`: returned as it is, it would fail only when it is read, after the choice of the model. */
function asked<T>(answer: Promise<T>): Promise<T> {
  if (isThenable(answer)) return answer;
  throw validationError(operation, new Problem('the function', 'must return a promise', undefined, 'for a stream, return opened(stream)'));
}

interface Asking {
  readonly turns: Turns;
  readonly signals: readonly AbortSignal[];
}

function checked(models: unknown, call: unknown, options: FirstModelOptions): Asking {
  if (!Array.isArray(models) || models.length === 0 || models.length > most) throw new Problem('models', `must be a list of 1 to ${most} model ids`);
  for (const [index, model] of (models as unknown[]).entries()) {
    if (typeof model !== 'string' || model.trim() === '') throw new Problem(`models[${index}]`, 'must be a model id');
    if (models.indexOf(model) < index) throw new Problem(`models[${index}]`, 'is in the list twice');
  }
  if (typeof call !== 'function') throw new Problem('the second argument', 'must be a function that calls a model');
  checkFields(options, optionFields, 'options');
  const forMs = durationField('options.for', options.for);
  const given = fieldsOfContext(options.ctx);
  return { turns: new Turns([...(models as string[])], forMs, given), signals: signalsOf(given) };
}

/** Decides which model is asked, and when. */
class Turns {
  /** Without those that can never answer. */
  readonly #models: string[];
  /** Undefined: the calls decide about their retries. */
  readonly #forMs: number | undefined;
  readonly #given: Context;
  #at = 0;
  /** End of the time, which begins with the first refusal. A change of the machine's clock does not affect it. */
  #endsAt: number | undefined;
  #waits = 0;
  /** True if a model of this round may answer later. */
  #mayPass = false;
  /** The newest overload of this round, and the newest `Retry-After` of one. */
  #overload: ApiError | undefined;
  #retryAfter: number | undefined;

  constructor(models: string[], forMs: number | undefined, given: Context) {
    this.#models = models;
    this.#forMs = forMs;
    this.#given = given;
  }

  get model(): string {
    return this.#models[this.#at] as string;
  }

  /** The context of the next call. */
  get context(): Context {
    if (this.#forMs === undefined) return this.#given;
    const leftMs = this.#endsAt === undefined ? this.#forMs : this.#leftMs();
    const queueTimeout = this.#at < this.#models.length - 1 ? placeMs : Math.max(leftMs, placeMs);
    return { queueTimeout, ...this.#given, maxRetries: 0, retryFor: undefined };
  }

  /** Milliseconds to wait before `model` is asked, after a failure; undefined if the failure ends the work. */
  after(error: unknown): number | undefined {
    // An error of a tool loop has the bill of its first answers.
    if (!isModelsvcError(error, 'api', 'connection', 'timeout', 'queue') || error.billed !== 'no') return undefined;
    const leftMs = this.#leftMs();
    const refusal = isApiError(error) ? error : undefined;
    if (ofTheModel.test(refusal?.code ?? '')) this.#models.splice(this.#at, 1);
    else if (error.kind === 'queue') this.#busy();
    else if (refusal && isOverload(refusal)) this.#busy(refusal);
    else return this.#again(refusal, leftMs);
    return this.#at < this.#models.length ? 0 : this.#nextRound(leftMs);
  }

  #leftMs(): number {
    const now = performance.now();
    this.#endsAt ??= now + (this.#forMs ?? 0);
    return Math.max(0, this.#endsAt - now);
  }

  /** The model is overloaded, or its calls wait for each other. */
  #busy(refusal?: ApiError): void {
    this.#at++;
    this.#mayPass = true;
    this.#overload = refusal ?? this.#overload;
    this.#retryAfter = refusal?.retryAfter ?? this.#retryAfter;
  }

  /** The same model again: its refusal may pass, and does not lead to another model. */
  #again(refusal: ApiError | undefined, leftMs: number): number | undefined {
    if (leftMs === 0 || (refusal && !isRepeatable(refusal)) || (refusal?.retryAfter ?? 0) > leftMs) return undefined;
    return this.#wait(refusal, leftMs);
  }

  /** All models were busy. The last round is at the end of the time. */
  #nextRound(leftMs: number): number | undefined {
    if (!this.#mayPass || leftMs === 0) return undefined;
    const { code, status } = this.#overload ?? {};
    const delayMs = this.#wait(status === undefined ? undefined : { code, status, retryAfter: this.#retryAfter }, leftMs);
    this.#at = 0;
    this.#mayPass = false;
    this.#overload = undefined;
    this.#retryAfter = undefined;
    return delayMs;
  }

  #wait(refusal: Pick<ApiError, 'code' | 'status' | 'retryAfter'> | undefined, leftMs: number): number {
    return Math.min(backoffMs(refusal, this.#waits++, firstDelayMs, Math.random()), leftMs);
  }
}
