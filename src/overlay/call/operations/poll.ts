import type { Route } from '../../../generated/routes.ts';
import { type CallContext, fieldsOfContext, signalsOf, withSignal } from '../../context.ts';
import { TaskError } from '../../errors/answer-errors.ts';
import { errorField, type FailureMarks, innerCode } from '../../errors/failure.ts';
import { isModelsvcError } from '../../errors/guards.ts';
import { validated } from '../../errors/problem.ts';
import { serviceWords } from '../../errors/service-words.ts';
import type { Fields } from '../../json/json-value.ts';
import { checkFields, type KnownFields } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { cleanText, cleanToken, secretsOf } from '../../secrets/clean.ts';
import { Cancellation } from '../cancellation.ts';
import { perform } from '../operation.ts';
import type { Settings } from '../settings/settings.ts';

/** Options of waiting for a job. */
export interface WaitOptions<T> {
  /** Milliseconds between two polls, at least 100. Default: 1,000, growing to 10,000. */
  readonly interval?: number | undefined;
  /**
   * Milliseconds after which the wait polls a last time, and fails with a TaskError of status `timeout`, whose `result` is the last known
   * state. A poll that is silent, slow or waiting for a retry is aborted then, but not in its first 5 seconds. Default: none.
   */
  readonly maxWait?: number | undefined;
  /** Called after each poll if the job is still running, and awaited. An error that it throws ends the wait. */
  readonly onState?: ((state: T) => unknown) | undefined;
}

/** Result of a poll: running, done, or failed with this status. */
export type TaskState = 'running' | 'done' | FailedTask;

/** Status of a failed job, with the service's explanation. */
interface FailedTask {
  readonly failed: string;
  readonly text?: string | undefined;
  readonly code?: string | undefined;
}

/** Adds the service's explanation of a failed job: from its field `error`, or from the fields next to the status. */
export function explained(state: TaskState, result: object): TaskState {
  if (typeof state !== 'object') return state;
  const { message, code } = errorField(result as Fields) ?? { message: serviceWords(result), code: innerCode(undefined, result) };
  return { ...state, text: message, code };
}

/** A copy of a route for polling. The reply of a failed job is returned, not thrown as an ApiError, so that the wait can throw a TaskError. */
export function polledRoute<Operation, T>(route: Route<Operation>, judge: (state: T) => TaskState): Route<Operation> & FailureMarks {
  return { ...route, isTask: (body) => typeof judge(body as T) === 'object' };
}

/** Statuses that mean a failed job in every service. */
const failures = /^(fail(ed|ure)?|error(ed)?|cancell?ed|abort(ed)?|expired|rejected|terminated|time(d[ _-]?)?out)$/;

/** Judge a status, ignoring its case. `done` lists the statuses of success in lower case. An empty status is a failure; an unknown one counts as running. */
export function statusState(status: unknown, ...done: readonly string[]): TaskState {
  if (typeof status !== 'string') return 'running';
  const word = status.trim().toLowerCase();
  if (done.includes(word)) return 'done';
  return word === '' || failures.test(word) ? { failed: status.trim() } : 'running';
}

const minIntervalMs = 100;
const firstIntervalMs = 1000;
const maxIntervalMs = 10_000;
/** Least time for a poll, if `maxWait` is not shorter: the last one begins when the wait ends. */
const lastPollMs = 5000;
const maxTimerMs = 20 * 24 * 60 * 60 * 1000;

/** Every field of WaitOptions. */
export const waitFields: KnownFields<WaitOptions<never>> = { interval: 1, maxWait: 1, onState: 1 };

/** Refuse unknown options, and values that timers cannot handle: beyond 24.8 days they would fire immediately. */
export function checkWait<Options extends WaitOptions<never>>(options: Options, known: KnownFields<Options>): void {
  checkFields(options, known, 'options', 'must be a number of milliseconds, or an object of options');
  const { interval, maxWait, onState } = options;
  for (const [name, value] of Object.entries({ interval, maxWait }))
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= maxTimerMs))
      throw new Problem(name, 'must be a duration from 0 to 20 days', undefined, 'pass a number of milliseconds');
  if (onState !== undefined && typeof onState !== 'function') throw new Problem('onState', 'must be a function');
}

const goesOn = 'The job goes on: raise maxWait, or wait for the same id again. Only a new job is billed again.';

/** A job to wait for. */
export interface PolledJob<T> {
  readonly operation: string;
  readonly id: string;
  readonly settings: Settings;
  readonly ctx: CallContext;
  /** Poll once. The context also aborts the request when the wait ends. */
  fetchState(ctx: CallContext): Promise<T>;
  judge(state: T): TaskState;
}

/** Poll until the job ends. A failed job throws a TaskError. `wait` is the interval in milliseconds, or options. */
export function poll<T>(task: PolledJob<T>, wait: number | WaitOptions<T> = {}): Promise<T> {
  const options = typeof wait === 'number' ? { interval: wait } : wait;
  return perform(task.settings, 'wait', task.operation, task.ctx, (ctx) => pollWithin({ ...task, ctx }, options));
}

async function pollWithin<T>(task: PolledJob<T>, options: WaitOptions<T>): Promise<T> {
  const { operation, id, judge, settings } = task;
  const context = validated(operation, () => {
    checkWait(options, waitFields);
    return fieldsOfContext(task.ctx);
  });
  const { interval, maxWait, onState } = options;
  const limit = new AbortController();
  const over = new DOMException('the wait reached maxWait', 'TimeoutError');
  const bounded = maxWait === undefined ? context : withSignal(context, limit.signal);
  const cancellation = new Cancellation(signalsOf(bounded), operation, settings.lifetime);
  const endsAt = performance.now() + (maxWait ?? Number.POSITIVE_INFINITY);
  const fail = (status: string, state: T | undefined, text?: string, code?: string, advice?: string): TaskError => {
    const secrets = secretsOf(settings, context.headers);
    const words = text ? cleanText(text, secrets) : undefined;
    return new TaskError(operation, cleanToken(id, secrets), status, state, words, code && cleanToken(code, secrets), advice);
  };
  const late = (state: T | undefined): TaskError =>
    fail('timeout', state, `job ${id} is still ${state === undefined ? 'in an unknown state' : 'running'} after ${maxWait} ms`, undefined, goesOn);
  let delayMs = Math.max(interval ?? firstIntervalMs, minIntervalMs);
  let isLast = maxWait === 0;
  let last: T | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      cancellation.throwIfAborted();
      if (maxWait !== undefined)
        timer = setTimeout(() => limit.abort(over), Math.max(endsAt - performance.now(), Math.min(maxWait || lastPollMs, lastPollMs)));
      last = await task.fetchState(bounded);
      const verdict = judge(last);
      if (verdict === 'done') return last;
      if (verdict !== 'running') throw fail(verdict.failed, last, verdict.text, verdict.code);
      await cancellation.race(onState?.(last));
      clearTimeout(timer);
      const leftMs = endsAt - performance.now();
      if (isLast || leftMs <= 0) throw late(last);
      isLast = leftMs <= delayMs;
      await cancellation.sleep(Math.min(leftMs, delayMs));
      if (interval === undefined) delayMs = Math.min(delayMs * 1.5, maxIntervalMs);
    }
  } catch (error) {
    // The caller did not cause the abort of a poll at `maxWait`.
    throw isModelsvcError(error, 'abort') && cancellation.reason?.cause === over ? late(last) : error;
  } finally {
    clearTimeout(timer);
    cancellation.release();
  }
}
