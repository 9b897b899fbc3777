/** Answers a row, and decides by the category of an error about the row and the queue. */
import {
  type Job,
  type Queue,
  RateLimitError,
  UnrecoverableError,
  WaitingError,
} from 'bullmq';
import { type Client, isApiError, isModelsvcError } from 'modelsvc';
import { type Answers, limit, type Row } from './rows.ts';

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

/** A row is sent again at most this often after a request that was sent and got no complete answer. Each of them may be billed. */
const maxRepeats = 2;

/** True unless the service answered with an error, or the connection failed before the request. */
function wasSent(error: unknown): boolean {
  return isModelsvcError(error, 'connection', 'timeout')
    ? ['request', 'headers', 'body'].includes(error.phase)
    : !isApiError(error);
}

/** `attemptsMade` counts the attempts of the job that have failed before, `attemptsStarted` also this one and those that were given back. */
export function verdictOf(
  error: unknown,
  {
    attemptsMade,
    attemptsStarted,
  }: Pick<Job, 'attemptsMade' | 'attemptsStarted'>,
): Verdict {
  if (isModelsvcError(error, 'abort')) return 'give back';
  if (isModelsvcError(error, 'validation')) return 'bury';
  if (wasSent(error) && attemptsMade >= maxRepeats) return 'bury';
  if (!isApiError(error)) return 'retry';
  // The key has one limit, so a refusal concerns all workers. Without a Retry-After, a row that is refused again asks for a longer pause.
  if (error.category === 'rate')
    return {
      pauseMs:
        error.retryAfter ||
        Math.min(1000 * 2 ** (attemptsStarted - attemptsMade - 1), 60_000),
    };
  if (error.retryable) return 'retry';
  // Code 1313 restricts the account; no reset ends that.
  if (
    ['auth', 'account', 'billing'].includes(error.category) ||
    error.code === '1313'
  )
    return 'hold';
  // Without a reset time, one row asks again every 15 minutes. With a clock that is ahead, the time can be over already.
  if (error.category === 'quota')
    return { pauseMs: Math.max(error.retryAfter ?? 900_000, 1000) };
  return 'bury';
}

/** The first word of the reason of a dead letter. */
export function categoryOf(error: unknown): string {
  return isApiError(error)
    ? error.category
    : isModelsvcError(error)
      ? error.kind
      : 'other';
}

export interface Parts {
  readonly client: Client;
  readonly queue: Queue<Row>;
  readonly answers: Pick<Answers, 'has' | 'keep' | 'leave'>;
}

/** The processor of a BullMQ worker. */
export function answering({
  client,
  queue,
  answers,
}: Parts): (
  job: Job<Row>,
  token?: string,
  signal?: AbortSignal,
) => Promise<void> {
  return async (job, token, signal) => {
    const row = job.data;
    if (typeof row?.id !== 'string')
      throw new UnrecoverableError(
        'validation: the job is not a row with an id',
      );
    // A worker was killed between the answer and the end of its job.
    if (await answers.has(row.id)) return answers.leave(row);
    try {
      await answers.keep(
        row,
        await client.chat().create(signal, row.request),
      );
    } catch (error) {
      const verdict = verdictOf(error, job);
      const reason = `${categoryOf(error)}: ${error instanceof Error ? error.message : error}`;
      if (verdict === 'retry') throw new Error(reason, { cause: error });
      if (verdict === 'bury') {
        await answers.leave(row);
        throw new UnrecoverableError(reason);
      }
      if (typeof verdict === 'object') {
        console.error(
          `All workers wait for ${Math.ceil(verdict.pauseMs / 1000)} s. ${reason}`,
        );
        // Another row may have been told to wait longer.
        if ((await queue.getRateLimitTtl(limit.max)) < verdict.pauseMs)
          await queue.rateLimit(verdict.pauseMs);
        throw new RateLimitError();
      }
      if (verdict === 'hold') {
        console.error(
          `The queue is paused until you run report.ts --resume. ${reason}`,
        );
        await queue.pause();
      }
      await job.moveToWait(token);
      throw new WaitingError();
    }
  };
}
