import type { ApiFailure, ConnectionFailure } from '../../errors/errors.ts';
import { businessCode } from '../../errors/failure.ts';
import type { RetryReason } from '../../hooks/hook.ts';
import type { RetryPolicy } from '../request/call.ts';
import { Disconnected, type Failure, RefusedAttempt } from './failure.ts';

/** Longest computed wait between two attempts. Waits here are in milliseconds. */
const maxDelayMs = 30_000;
/** Longest wait added to a Retry-After, so that callers refused at the same time do not retry at the same time. */
const maxJitterMs = 5000;
/** A longer Retry-After fails the call immediately, with `retryAfter` on the error. */
const maxRetryAfterMs = 60_000;

/** Whether a failed attempt is retried. */
export interface RetryDecision {
  /** Milliseconds to wait before the next attempt; undefined if there is none. */
  readonly delayMs: number | undefined;
  readonly why: RetryReason;
}

/** Decide about the next attempt. `attempt` counts from 0, `random` is from 0 to 1; `isSpent`: the body cannot be sent again. */
export function retryDecision(
  failure: Failure,
  attempt: number,
  policy: RetryPolicy,
  isSpent: boolean = false,
  random: number = Math.random(),
): RetryDecision {
  const against = reasonAgainst(failure, attempt, policy, isSpent);
  return against ? { delayMs: undefined, why: against } : { delayMs: delayOf(failure, attempt, policy, random), why: 'retried' };
}

/**
 * `docs/decisions.md` gives the reasons. A billed call is retried after 429, 5xx and network errors. It is not retried
 * after part of the reply has arrived or after a response-header timeout, because the service may have done the work.
 */
function reasonAgainst(failure: Failure, attempt: number, policy: RetryPolicy, isSpent: boolean): RetryReason | undefined {
  const refusal = failure instanceof RefusedAttempt ? failure.facts : undefined;
  if (failure instanceof Disconnected) {
    const against = reasonAgainstRepeating(failure.facts, failure.timeoutMs !== undefined, policy.bills);
    if (against) return against;
  } else if (!refusal || !isRetriedStatus(refusal)) return 'final';
  if (policy.maxRetries <= 0) return 'off';
  if (attempt >= policy.maxRetries) return 'exhausted';
  if ((refusal?.retryAfter ?? 0) > maxRetryAfterMs) return 'retry-after';
  return isSpent ? 'body-spent' : undefined;
}

/** Why a request must not be sent again after its connection failed. */
export function reasonAgainstRepeating(
  { phase, replied }: Pick<ConnectionFailure, 'phase' | 'replied'>,
  isTimeout: boolean,
  bills: boolean,
): 'final' | 'billed' | undefined {
  // The limit is this process's own: another attempt would join the same queue at its end.
  if (phase === 'socket') return 'final';
  const isDelivered = replied || (isTimeout && (phase === 'headers' || phase === 'body'));
  return isDelivered && bills ? 'billed' : undefined;
}

function isRetriedStatus(refusal: ApiFailure): boolean {
  if (refusal.status < 500 && refusal.status !== 429) return false;
  const known = businessCode(refusal.code);
  return known === undefined || known.retry === 'yes';
}

function delayOf(failure: Failure, attempt: number, policy: RetryPolicy, random: number): number {
  // A wait of 0, or until a time that has passed, is no reason to leave out the backoff.
  const refusal = failure instanceof RefusedAttempt ? failure.facts : undefined;
  const asked = refusal?.retryAfter;
  if (asked) return asked + Math.min(asked / 4, maxJitterMs) * random;
  const backoff = Math.min(policy.baseDelayMs * (refusal ? backoffFactor(refusal) : 1) * 2 ** attempt, maxDelayMs);
  return Math.min(backoff * (1 + random / 4), maxDelayMs);
}

/** Factor for an overload without a business code: the message surface reports it as status 529 or as a word. */
const overloadFactor = 4;

/** An overloaded model needs longer to recover than a rate limit on the caller's own burst. */
function backoffFactor(refusal: ApiFailure): number {
  return businessCode(refusal.code)?.backoff ?? (refusal.status === 529 || refusal.code === 'overloaded_error' ? overloadFactor : 1);
}

/** True for a reply of a model that is overloaded for all its users. */
export function isOverload(refusal: ApiFailure): boolean {
  return backoffFactor(refusal) > 1;
}

type ReadHeader = (name: string) => string | undefined;

/** The time of a reply by the service's clock, in milliseconds. Without a `date` header, which pages often cannot read, by this machine's. */
export function timeOf(header: ReadHeader): number {
  return dateIn(header('date')) ?? Date.now();
}

/** The wait that a reply requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. */
export function retryAfterOf(header: ReadHeader, now: number): number | undefined {
  const exact = parseNumber(header('retry-after-ms'));
  if (exact !== undefined) return exact;
  const text = header('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = parseNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = dateIn(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** An HTTP date in milliseconds. "-5" and "1e3" are none, though Date.parse accepts them. */
function dateIn(text: string = ''): number | undefined {
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
