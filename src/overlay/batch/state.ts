import type { Batch } from '../../generated/types.ts';
import { statusState, type TaskState } from '../call/operations/poll.ts';
import type { CallContext } from '../context.ts';
import { isApiError, isModelsvcError } from '../errors/guards.ts';
import { fieldsOf, labelOf, listOf, textOf } from '../json/json-value.ts';

/** Numbers of requests of a batch by state. A count that the service did not send is undefined. */
export interface BatchCounts {
  readonly total: number | undefined;
  readonly completed: number | undefined;
  readonly failed: number | undefined;
}

/** The counts of a batch, from any of the three forms that the service sends. */
export function batchCounts(batch: Batch): BatchCounts {
  const outer = fieldsOf(batch);
  const counts = outer['request_counts'];
  const inner = typeof counts === 'number' ? { total: counts } : fieldsOf(counts);
  const count = (name: string): number | undefined => numberOf(inner[name]) ?? numberOf(outer[name]);
  return { total: count('total'), completed: count('completed'), failed: count('failed') };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Polls of a batch that has ended before the id of each of its result files is there. */
const maxLooks = 6;

/** Judges the polls of one wait. */
export function batchJudge(): (batch: Batch) => TaskState {
  let looks = 0;
  return (batch) => {
    const state = batchState(batch);
    return state === 'done' && lacksFile(batch) && looks++ < maxLooks ? 'running' : state;
  };
}

/** True for a batch with results whose file is not there. A completed batch without counts has at least one. */
export function lacksFile(batch: Batch): unknown {
  const { completed = batch.status === 'completed', failed } = batchCounts(batch);
  // The id of a missing file is an empty string.
  return (completed && !batch.output_file_id) || (failed && !batch.error_file_id);
}

/** Expired and canceled batches are done: their finished requests are billed and can be fetched. */
function batchState(batch: Batch): TaskState {
  const state = statusState(batch.status, 'completed', 'expired', 'cancelled', 'canceled');
  return typeof state === 'object' ? { ...state, text: failureText(batch) } : state;
}

/** The service's message, unchanged; `poll` cleans it. */
function failureText(batch: Batch): string {
  const fault = fieldsOf(listOf(fieldsOf(batch.errors)['data'])[0]);
  const [line, code, words] = [labelOf(fault['line']), labelOf(fault['code']), textOf(fault['message'])];
  return `batch ${labelOf(batch.id)} failed${line && ` in line ${line}`}${words && `: ${words}`}${code && ` (code ${code})`}`;
}

/** Failed polls in a row that are tolerated, because a wait of hours must survive an outage of a minute. */
const maxMisses = 10;

/** Wraps `fetchState` to return the last known state while the service is unreachable. The first fetch must succeed. */
export function patient(fetchState: (ctx: CallContext) => Promise<Batch>): (ctx: CallContext) => Promise<Batch> {
  let last: Batch | undefined;
  let misses = 0;
  return async (ctx) => {
    try {
      last = await fetchState(ctx);
      misses = 0;
    } catch (error) {
      const passing = isModelsvcError(error, 'connection', 'timeout') || (isApiError(error) && (error.status >= 500 || error.category === 'rate'));
      if (last === undefined || !passing || ++misses > maxMisses) throw error;
    }
    return last;
  };
}
