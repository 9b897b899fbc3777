// How long to wait before a refused request is sent again. All times are in milliseconds.
import type { ApiFailure } from './errors.ts';
import { businessCode } from './failure.ts';

/** Delay after a first failure. Default of `Config.retryDelay`. */
export const firstDelayMs = 200;
/** Longest computed wait between two attempts. */
export const maxDelayMs = 30_000;
/** Longest wait added to a Retry-After, so that callers refused at the same time do not retry at the same time. */
const maxJitterMs = 5000;
/** A shorter Retry-After, or one of a time that has passed, does not replace the backoff: with `retryFor` it would mean hundreds of requests a second. */
const shortestObeyedMs = 1000;
/** Factor for an overload without a business code: the message surface reports it as status 529 or as a word. */
const overloadFactor = 4;

type RefusalFacts = Pick<ApiFailure, 'code' | 'status' | 'retryAfter'>;

/** The wait after a failure; `refusal` is undefined if the connection failed. `attempt` counts from 0, `random` is from 0 to 1. */
export function backoffMs(refusal: RefusalFacts | undefined, attempt: number, baseDelayMs: number, random: number): number {
  const asked = refusal?.retryAfter ?? 0;
  if (asked >= shortestObeyedMs) return asked + Math.min(asked / 4, maxJitterMs) * random;
  const backoff = Math.min(baseDelayMs * (refusal ? backoffFactor(refusal) : 1) * 2 ** attempt, maxDelayMs);
  return Math.min(Math.max(asked, backoff) * (1 + random / 4), maxDelayMs);
}

/** An overloaded model needs longer to recover than a rate limit on the caller's own burst. */
function backoffFactor({ code, status }: RefusalFacts): number {
  return businessCode(code)?.backoff ?? (status === 529 || code === 'overloaded_error' ? overloadFactor : 1);
}

/** True for a reply of a model that is overloaded for all its users. */
export function isOverload(refusal: RefusalFacts): boolean {
  return backoffFactor(refusal) > 1;
}

/** True if the same request may be sent again. In a success only a listed code is a refusal. */
export function isRepeatable({ code, status }: RefusalFacts): boolean {
  const known = businessCode(code);
  if (status >= 500 || status === 429) return known === undefined || known.retry === 'yes';
  return status < 300 && known?.retry === 'yes';
}
