import { backoffMs, isRepeatable, maxDelayMs } from '../../errors/backoff.ts';
import type { ConnectionFailure } from '../../errors/errors.ts';
import { isNoProgram } from '../../errors/refusal.ts';
import type { RetryReason } from '../../hooks/hook.ts';
import type { Fate } from '../door.ts';
import type { RetryPolicy } from '../request/call.ts';
import { Disconnected, type Failure, RefusedAttempt } from './failure.ts';

/** Milliseconds. Without `retryFor`, a longer Retry-After fails the call immediately, with `retryAfter` on the error. */
const maxRetryAfterMs = 60_000;

/** Whether a failed attempt is retried. */
export interface RetryDecision {
  /** Milliseconds to wait before the next attempt; undefined if there is none. */
  readonly delayMs: number | undefined;
  readonly why: RetryReason;
  /** Milliseconds of `retryFor` that are left; undefined if it does not apply. */
  readonly leftMs?: number | undefined;
}

/** Decides after each failed attempt of one call whether there is another. */
export class RetryDecider {
  readonly #policy: RetryPolicy;
  /** End of the time of `retryFor`, which begins with the first refusal. A change of the machine's clock does not affect it. */
  endsAt: number | undefined;
  /** Retries that `retryFor` granted. The others count against `maxRetries`, and these too if it is set in addition to `retryFor`. */
  #granted = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
  }

  /**
   * Decides about the attempt after a failed one. `attempt` counts from 0, `random` is from 0 to 1; `isSpent`: the body cannot be sent
   * again. `mayRetry` is false if the gate has no retries left.
   */
  decide(
    failure: Failure,
    billed: Fate['billed'],
    attempt: number,
    isSpent: boolean = false,
    mayRetry: () => boolean = () => true,
    random: number = Math.random(),
  ): RetryDecision {
    const policy = this.#policy;
    const leftMs = policy.retryForMs > 0 && isRefusal(failure) ? this.#leftMs() : undefined;
    const why = reasonAgainst(failure, billed, policy.isBound ? attempt : attempt - this.#granted, policy, isSpent, leftMs);
    if (why) return { delayMs: undefined, why, leftMs };
    const isPaced = !mayRetry();
    if (leftMs === undefined)
      return isPaced ? { delayMs: undefined, why: 'gate' } : { delayMs: delayOf(failure, attempt, policy, random), why: 'retried' };
    this.#granted++;
    // The last attempt is at the end of the time.
    const delayMs = Math.min(isPaced ? maxDelayMs : delayOf(failure, attempt, policy, random), leftMs);
    return { delayMs, why: 'retried', leftMs };
  }

  #leftMs(): number {
    const now = performance.now();
    this.endsAt ??= now + this.#policy.retryForMs;
    return Math.max(0, this.endsAt - now);
  }
}

/** True for a failure that shows that the service has not begun to work: a refusal, or no program at the port. */
function isRefusal(failure: Failure): boolean {
  if (failure instanceof RefusedAttempt) return true;
  return failure instanceof Disconnected && isNoProgram(failure.facts.code);
}

/**
 * `docs/decisions.md` gives the reasons. A billed call is retried after 429, 5xx and network errors. It is not retried
 * after part of the reply has arrived or after a response-header timeout, because the service may have done the work.
 */
function reasonAgainst(
  failure: Failure,
  billed: Fate['billed'],
  counted: number,
  policy: RetryPolicy,
  isSpent: boolean,
  leftMs: number | undefined,
): RetryReason | undefined {
  const refused = failure instanceof RefusedAttempt ? failure : undefined;
  if (failure instanceof Disconnected) {
    // The limit is this process's own: another attempt would join the same queue at its end.
    if (failure.facts.phase === 'socket') return 'final';
    if (policy.bills && isDelivered(failure.facts, failure.timeoutMs !== undefined)) return 'billed';
  } else if (!refused || !isRetried(refused, billed, policy)) return 'final';
  if (leftMs === undefined) {
    if (policy.maxRetries <= 0) return 'off';
    if (counted >= policy.maxRetries) return 'exhausted';
  } else if (leftMs === 0 || (policy.isBound && counted >= policy.maxRetries)) return 'exhausted';
  if ((refused?.facts.retryAfter ?? 0) > (leftMs ?? maxRetryAfterMs)) return 'retry-after';
  return isSpent ? 'body-spent' : undefined;
}

/** True if the service has begun to reply, or holds the request in silence. The contract repeats other lost requests, though they may be billed. */
export function isDelivered({ phase, replied }: Pick<ConnectionFailure, 'phase' | 'replied'>, isTimeout: boolean): boolean {
  return replied || (isTimeout && (phase === 'headers' || phase === 'body'));
}

function isRetried({ facts }: RefusedAttempt, billed: Fate['billed'], { performs }: RetryPolicy): boolean {
  return isRepeatable(facts) && (facts.status >= 300 || (billed === 'no' && performs === 'answer'));
}

function delayOf(failure: Failure, attempt: number, { baseDelayMs }: RetryPolicy, random: number): number {
  return backoffMs(failure instanceof RefusedAttempt ? failure.facts : undefined, attempt, baseDelayMs, random);
}
