import type { Batch, BatchRequestCounts } from '../generated/types.ts';
import type { CallContext } from './context.ts';
import { isApiError, isConnectionError } from './error-guards.ts';
import type { TaskState } from './poll.ts';

/** How many requests of a batch are in which state; what the service has not told is undefined. */
export interface BatchCounts {
  readonly total: number | undefined;
  readonly completed: number | undefined;
  readonly failed: number | undefined;
}

/** The counts of a batch, in whichever of its three forms the service sent them. */
export function batchCounts(batch: Batch): BatchCounts {
  const { request_counts: counts } = batch;
  const inner: BatchRequestCounts = typeof counts === 'object' && counts !== null ? counts : typeof counts === 'number' ? { total: counts } : {};
  return { total: inner.total ?? batch.total, completed: inner.completed ?? batch.completed, failed: inner.failed ?? batch.failed };
}

/** Expired and cancelled batches have ended too: what was finished can be fetched, and is billed. */
export function batchState(batch: Batch): TaskState {
  const { status } = batch;
  if (status === 'completed' || status === 'expired' || status === 'cancelled') return 'done';
  return status === 'failed' ? { failed: status, text: failureText(batch) } : 'running';
}

/** The service's words as they came; `poll` cleans them. */
function failureText(batch: Batch): string {
  const fault = Array.isArray(batch.errors?.data) ? batch.errors.data[0] : undefined;
  const line = typeof fault?.line === 'number' ? ` in line ${fault.line}` : '';
  const message = wordOf(fault?.message);
  const code = wordOf(fault?.code);
  return `batch ${wordOf(batch.id)} failed${line}${message && `: ${message}`}${code && ` (code ${code})`}`;
}

/** A field that should be text: an object's conversion to text could throw. */
export function wordOf(field: unknown): string {
  return typeof field === 'string' || typeof field === 'number' ? String(field) : '';
}

/** Polls in a row that may go without an answer: a wait of hours must outlive an outage of a minute. */
const maxMisses = 10;

/** `fetchState` that gives the last known state while the service cannot be reached. The first state must be had. */
export function patient(fetchState: (ctx: CallContext) => Promise<Batch>): (ctx: CallContext) => Promise<Batch> {
  let last: Batch | undefined;
  let misses = 0;
  return async (ctx) => {
    try {
      last = await fetchState(ctx);
      misses = 0;
    } catch (error) {
      const passing = isConnectionError(error) || (isApiError(error) && (error.status >= 500 || error.category === 'rate'));
      if (last === undefined || !passing || ++misses > maxMisses) throw error;
    }
    return last;
  };
}
