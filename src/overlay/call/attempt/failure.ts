// A failed attempt is facts first. Gate and retry decision read them. Then the error is made, once.

import { ApiError, type ApiFailure, ConnectionError, type ConnectionFailure, type ModelsvcError, TimeoutError } from '../../errors/errors.ts';
import type { Billed } from '../../errors/message.ts';
import { attemptsAdvice } from '../../errors/next-step.ts';
import { cleanText } from '../../secrets/clean.ts';
import type { RefusedReply } from '../request/call.ts';

/** The service or a gateway refused the request. */
export class RefusedAttempt extends Error {
  readonly facts: ApiFailure;
  /** The output of a reply that is not an answer but may be paid for. */
  partial: ApiError['partial'];
  /** The usage of such a reply. */
  usage: unknown;
  reply: RefusedReply | undefined;
  /** Attaches the facts of the reply to the error. Undefined for a call that was not sent. */
  inform: ((error: ApiError) => void) | undefined;

  constructor(facts: ApiFailure) {
    super();
    this.facts = facts;
  }
}

/** The connection failed, or was too slow if `timeoutMs` is set. */
export class Disconnected extends Error {
  readonly summary: string;
  readonly facts: ConnectionFailure;
  readonly timeoutMs: number | undefined;

  constructor(summary: string, facts: ConnectionFailure, timeoutMs?: number) {
    super();
    this.summary = summary;
    this.facts = facts;
    this.timeoutMs = timeoutMs;
  }
}

/** An attempt that failed. An error ends the call as it is. */
export type Failure = RefusedAttempt | Disconnected | ModelsvcError;

/** Facts of the attempt that an error carries. */
export interface AttemptState {
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly waitedMs: number;
  readonly requestId: string | undefined;
  readonly billed: Billed;
  /** The part of an answer that has arrived. */
  readonly partial?: unknown;
}

/** The error that users get. `words` is advice in addition to the failure's. */
export function errorOf(failure: Failure, state: AttemptState, words: string, secrets: readonly string[]): ModelsvcError {
  const error = madeOf(failure, state, words, secrets);
  const partial = state.partial ?? (failure instanceof RefusedAttempt ? failure.partial : undefined);
  // Not enumerable, so that logging the error does not log content.
  return partial === undefined ? error : Object.defineProperty(error, 'partial', { value: partial, configurable: true });
}

/** A failure may quote a header or a host: all is cleaned here. */
function madeOf(failure: Failure, { attempts, waitedMs, requestId, billed }: AttemptState, words: string, secrets: readonly string[]): ModelsvcError {
  if (!(failure instanceof RefusedAttempt || failure instanceof Disconnected)) return failure;
  const bill = attemptsAdvice(billed, attempts, failure instanceof Disconnected);
  const advice = [failure.facts.advice, words.trim(), bill].filter(Boolean).join(' ');
  if (failure instanceof RefusedAttempt) {
    const serviceMessage = cleanText(failure.facts.serviceMessage, secrets);
    const error = new ApiError({ ...failure.facts, serviceMessage, advice, attempts, waitedMs });
    failure.inform?.(error);
    return error;
  }
  const { timeoutMs } = failure;
  const summary = cleanText(failure.summary, secrets);
  const facts = { ...failure.facts, advice, attempts, requestId };
  return timeoutMs === undefined ? new ConnectionError(summary, facts) : new TimeoutError(summary, facts, timeoutMs);
}
