/** Answers a row, and decides by the category of an error about the row and the queue. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Job, type Queue, RateLimitError, UnrecoverableError, WaitingError } from 'bullmq';
import {
  type Client,
  type Hook,
  isAbortError,
  isApiError,
  isConnectionError,
  isModelsvcError,
  isQueueError,
  isValidationError,
  withPriority,
  withSignal,
} from 'modelsvc';
import type { Answers, Row } from './rows.ts';

export type Verdict =
  /** BullMQ runs the row again after a delay, up to its `attempts`; then it is a dead letter. */
  | 'retry'
  /** The row is a dead letter now. */
  | 'bury'
  /** The row goes back and was not counted. */
  | 'give back'
  /** The row goes back, and a person has to resume the queue. */
  | 'hold'
  /** The row goes back, and all workers wait. */
  | { readonly pauseMs: number };

/** A row is asked again at most this often after a request that was sent and got no complete answer. Each of them may be billed. */
const maxRepeats = 2;

/** The call of the row, for the hook. */
const calls = new AsyncLocalStorage<AbortController>();

/** A hook for the client of a worker. It ends a call whose request may be billed, so that the client does not repeat it. */
export const noRepeat: Hook = {
  onError: (_meta, error) => void (isConnectionError(error) && wasSent(error) && calls.getStore()?.abort(error)),
};

/** True unless the service answered with an error, or the connection failed before the request. */
function wasSent(error: unknown): boolean {
  return isConnectionError(error) ? ['request', 'headers', 'body'].includes(error.phase) : !isApiError(error);
}

/** `made`: attempts of the job that have failed before. */
export function verdictOf(error: unknown, made: number): Verdict {
  // A worker that stops, or a limiter without Redis.
  if (isAbortError(error) || isQueueError(error)) return 'give back';
  if (isValidationError(error)) return 'bury';
  if (wasSent(error) && made >= maxRepeats) return 'bury';
  if (!isApiError(error) || error.retryable) return 'retry';
  // Code 1313 restricts the account; no reset ends that.
  if (['auth', 'account', 'billing'].includes(error.category) || error.code === '1313') return 'hold';
  // Without a reset time, one row asks again every 15 minutes. With a clock that is ahead, the time can be over already.
  if (error.category === 'quota') return { pauseMs: Math.max(error.retryAfter ?? 900_000, 1000) };
  return 'bury';
}

/** The first word of the reason of a dead letter. */
export function categoryOf(error: unknown): string {
  return isApiError(error) ? error.category : isModelsvcError(error) ? error.kind : 'other';
}

export interface Parts {
  readonly client: Client;
  readonly queue: Queue<Row>;
  readonly answers: Pick<Answers, 'has' | 'keep' | 'leave'>;
}

/** The processor of a BullMQ worker. */
export function answering({ client, queue, answers }: Parts): (job: Job<Row>, token?: string, signal?: AbortSignal) => Promise<void> {
  return async (job, token, signal) => {
    const row = job.data;
    if (typeof row?.id !== 'string') throw new UnrecoverableError('validation: the job is not a row with an id');
    // A worker was killed between the answer and the end of its job.
    if (await answers.has(row.id)) return answers.leave(row);
    const lost = new AbortController();
    const ctx = withSignal(withPriority(signal, row.urgent ? 1 : 0), lost.signal);
    try {
      await answers.keep(row, await calls.run(lost, () => client.chat().create(ctx, row.request)));
    } catch (caught) {
      const error = lost.signal.aborted ? lost.signal.reason : caught;
      const verdict = verdictOf(error, job.attemptsMade);
      const reason = `${categoryOf(error)}: ${error instanceof Error ? error.message : error}`;
      if (verdict === 'retry') throw new Error(reason, { cause: error });
      if (verdict === 'bury') {
        await answers.leave(row);
        throw new UnrecoverableError(reason);
      }
      if (typeof verdict === 'object') {
        console.error(`All workers wait for ${Math.ceil(verdict.pauseMs / 1000)} s. ${reason}`);
        await queue.rateLimit(verdict.pauseMs);
        throw new RateLimitError();
      }
      if (verdict === 'hold') {
        console.error(`The queue is paused until you run report.ts --resume. ${reason}`);
        await queue.pause();
      }
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };
}
