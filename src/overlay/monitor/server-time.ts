/** The service's clock runs at UTC+8 all year, on both hosts. Seen live on the global host; the china host is assumed to agree. */
export const serverOffsetMs: number = 8 * 60 * 60 * 1000;

/**
 * A moment as the monitor calls write it: `yyyy-MM-dd HH:mm:ss` on the service's clock (UTC+8), whatever the zone of this process.
 * Milliseconds are dropped. Throws a RangeError for an invalid Date and for years that four digits cannot write.
 */
export function formatServerTime(moment: Date): string {
  const text = new Date(moment.getTime() + serverOffsetMs).toISOString();
  if (text.length !== 24) throw new RangeError('the year does not fit in four digits');
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/**
 * The moment that a time of the service means: `yyyy-MM-dd`, `yyyy-MM-dd HH:mm` or `yyyy-MM-dd HH:mm:ss` on its clock (UTC+8).
 * A date alone is that day's midnight there. Undefined for any other text and for days and hours that do not exist.
 */
export function parseServerTime(text: string): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day, minutes = '00:00', seconds = ':00'] = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2})(:\d{2})?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Read as UTC, which no local zone can bend, then moved.
  const wall = `${day}T${minutes}${seconds}.000Z`;
  const clock = new Date(wall);
  // Date.parse turns the 30th of February and 24:00 into the next day.
  if (Number.isNaN(clock.getTime()) || clock.toISOString() !== wall) return undefined;
  return new Date(clock.getTime() - serverOffsetMs);
}
