import { Problem } from '../json/problem.ts';
import { validationError } from './problem.ts';

/** The service's clock is at UTC+8 all year, on both hosts. Seen live on the global host; assumed for the china host. */
export const serverOffsetMs: number = 8 * 60 * 60 * 1000;

/** The time of a Date of any realm. Throws a ValidationError for other values and for invalid Dates. */
export function timeOf(operation: string, name: string, moment: unknown): number {
  const time = Object.prototype.toString.call(moment) === '[object Date]' ? (moment as Date).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw validationError(operation, new Problem(name, 'must be a valid Date'));
  return time;
}

/**
 * Formats a time for the monitor calls: `yyyy-MM-dd HH:mm:ss` on the service's clock (UTC+8), in any local time zone.
 * Milliseconds are dropped. Throws a ValidationError for an invalid Date and for years outside 0 to 9999.
 */
export function formatServerTime(moment: Date): string {
  const clock = new Date(timeOf('formatServerTime', 'moment', moment) + serverOffsetMs);
  const text = Number.isNaN(clock.getTime()) ? '' : clock.toISOString();
  if (text.length !== 24) throw validationError('formatServerTime', new Problem('moment', 'must have a year of four digits'));
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/**
 * Parses a time of the service: `yyyy-MM-dd`, `yyyy-MM-dd HH:mm` or `yyyy-MM-dd HH:mm:ss` on its clock (UTC+8).
 * A date alone means midnight at UTC+8. Returns undefined for any other text, and for days and hours that do not exist.
 */
export function parseServerTime(text: string): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day, minutes = '00:00', seconds = ':00'] = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2})(:\d{2})?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Parsed as UTC and then shifted, so that the local time zone has no effect.
  const wall = `${day}T${minutes}${seconds}.000Z`;
  const clock = new Date(wall);
  // Date.parse turns the 30th of February and 24:00 into the next day.
  if (Number.isNaN(clock.getTime()) || clock.toISOString() !== wall) return undefined;
  return new Date(clock.getTime() - serverOffsetMs);
}

/**
 * A time in the forms of `parseServerTime`, inside of other words, or with a zone: `2026-11-22T12:00:00.5Z`, `2026-11-22 12:00 UTC+8`. A time in
 * another form has no match: its date alone would be wrong.
 */
const timeInWords =
  /(?<![\d-])(?<day>\d{4}-\d{2}-\d{2})(?:(?<mark>[ T])(?<time>\d{2}:\d{2}(?::\d{2})?)(?<part>\.\d{1,9})?(?<zone>Z(?![A-Za-z])|(?: ?\(?(?:UTC|GMT)| )?(?<hours>[+-]\d{1,2})(?::?(?<minutes>\d{2}))?| ?\(?(?:UTC|GMT))?)?(?![\dTZ:+-]| \d{1,2}:)/g;

/** Milliseconds from `now` until the first time that the service's words name; 0 if it has passed. Undefined if they name none. */
export function untilTimeIn(words: string, now: number = Date.now()): number | undefined {
  for (const { groups = {} } of words.matchAll(timeInWords)) {
    const { day = '', mark, time, part = '', zone, hours = '0', minutes = '0' } = groups;
    const moment = parseServerTime(time === undefined ? day : `${day} ${time}`);
    // ISO time without a zone is local time, of a place that is not known.
    if (!moment || (mark === 'T' && zone === undefined) || Math.abs(Number(hours)) > 14) continue;
    const ahead = Number(hours) * 60 + Number(`${hours.startsWith('-') ? '-' : ''}${minutes}`);
    const shift = zone === undefined ? 0 : serverOffsetMs - ahead * 60_000;
    return Math.max(0, moment.getTime() + shift + Math.ceil(Number(`0${part}`) * 1000) - now);
  }
  return undefined;
}
