// The time range of the options.
import type { UsageWindow } from 'modelsvc/types';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { momentOf } from '../../input/moment.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

export function rangeOf(input: Input, now: Date): UsageWindow {
  const { days, since, until } = { days: input.number('days'), since: input.text('since'), until: input.text('until') };
  const given = [days !== undefined && '--days', since !== undefined && '--since'].filter((one) => one !== false);
  if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other`);
  if (days !== undefined && days > 366) throw usageError(`--days must be 0 to 366, not ${days}`);
  if (until !== undefined && since === undefined) throw usageError('--until needs --since');
  const end = until === undefined ? now : momentOf('--until', until, true);
  const start = since === undefined ? startOf(now, days ?? 1) : momentOf('--since', since, false);
  if (start > end) throw usageError('the start of the range is after its end');
  return { start, end };
}

/** Midnight for 0 days, otherwise the start of the hour that many days ago. */
function startOf(now: Date, days: number): Date {
  if (days === 0) return new Date(now.getFullYear(), now.getMonth(), now.getDate());
  return new Date(Math.floor(now.getTime() / hourMs) * hourMs - days * dayMs);
}
