import { Cancellation } from './cancellation.ts';
import { type CallContext, signalsOf, toContext } from './context.ts';
import { TaskError, ValidationError } from './errors.ts';

/** How to wait for a job. */
export interface WaitOptions<T> {
  /** Milliseconds between two polls; 100 at least. Default: 1,000, growing to 10,000. */
  readonly interval?: number;
  /** Milliseconds after which to give up with a TaskError. Default: none. */
  readonly maxWait?: number;
  /** Called after each poll that found the job still running. */
  readonly onProgress?: (state: T) => void;
}

/** What a poll means: still running, ended well, or failed with this word. */
export type TaskState = 'running' | 'done' | { readonly failed: string; readonly text?: string };

const minIntervalMs = 100;
const firstIntervalMs = 1000;
const maxIntervalMs = 10_000;
const maxTimerMs = 20 * 24 * 60 * 60 * 1000;

/** Refuse what a timer cannot do: beyond 24.8 days it would fire at once. */
export function checkWait(operation: string, options: WaitOptions<never>): void {
  if (typeof options !== 'object' || options === null)
    throw new ValidationError(operation, 'the wait', 'must be a number of milliseconds, or an object of options');
  const { interval, maxWait, onProgress } = options;
  for (const [name, value] of Object.entries({ interval, maxWait }))
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= maxTimerMs))
      throw new ValidationError(operation, name, 'must be a number of milliseconds');
  if (onProgress !== undefined && typeof onProgress !== 'function') throw new ValidationError(operation, 'onProgress', 'must be a function');
}

/** Poll until the job ends. Words that nobody knows count as running; a failed job throws a TaskError. */
export async function poll<T>(
  operation: string,
  id: string,
  ctx: CallContext,
  fetchState: () => Promise<T>,
  judge: (state: T) => TaskState,
  options: WaitOptions<T> = {},
): Promise<T> {
  checkWait(operation, options);
  const { interval, maxWait, onProgress } = options;
  const started = performance.now();
  const cancellation = new Cancellation(signalsOf(toContext(ctx)), operation);
  try {
    for (
      let delayMs = Math.max(interval ?? firstIntervalMs, minIntervalMs);
      ;
      delayMs = interval === undefined ? Math.min(delayMs * 1.5, maxIntervalMs) : delayMs
    ) {
      cancellation.throwIfAborted();
      const state = await fetchState();
      const verdict = judge(state);
      if (verdict === 'done') return state;
      if (verdict !== 'running') throw new TaskError(operation, id, verdict.failed, state, verdict.text);
      onProgress?.(state);
      if (maxWait !== undefined && performance.now() - started + delayMs > maxWait)
        throw new TaskError(operation, id, 'timeout', state, `task ${id} is still running after ${maxWait} ms`);
      await cancellation.sleep(delayMs);
    }
  } finally {
    cancellation.release();
  }
}
