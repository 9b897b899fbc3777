// Dates and times of options.
import { usageError } from '../errors/exit.ts';

/** A date or time, local unless it has a zone. `isEnd`: a date alone means the end of its day. */
export function momentOf(option: string, text: string, isEnd: boolean): Date {
  const [, year = '', month = '', day = '', rest] = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/.exec(text) ?? [];
  const moment = new Date(`${year}-${month}-${day}T${rest ?? (isEnd ? '23:59:59' : '00:00')}`);
  // Date turns the 30th of February into a day of March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (Number.isNaN(moment.getTime()) || !isDay)
    throw usageError(`${option} must be a date such as 2026-08-06 or 2026-08-06T14:00, not ${JSON.stringify(text)}`);
  return moment;
}
