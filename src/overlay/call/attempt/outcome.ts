import type { Ending } from '../../concurrency/gate.ts';
import { ApiError, TimeoutError } from '../../errors/errors.ts';
import { isOverload } from './retry.ts';

/** How a failed attempt ended, for its gate. */
export function endingOf(error: unknown): Ending {
  if (error instanceof TimeoutError) return { outcome: error.phase === 'headers' ? 'overloaded' : 'other' };
  if (!(error instanceof ApiError)) return { outcome: 'other' };
  if (isOverload(error)) return { outcome: 'overloaded' };
  if (error.category === 'quota') return { outcome: 'exhausted', error };
  return error.category === 'rate' ? { outcome: 'refused', tooFast: error.code === '1303' } : { outcome: 'other' };
}
