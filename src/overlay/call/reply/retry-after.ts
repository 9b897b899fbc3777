type ReadHeader = (name: string) => string | undefined;

/** The time of a reply by the service's clock, in milliseconds. Without a `date` header, which pages often cannot read, by this machine's. */
export function replyTime(header: ReadHeader): number {
  return dateIn(header('date')) ?? Date.now();
}

/** The wait that a reply requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date. It is a finite number. */
export function retryAfterOf(header: ReadHeader, now: number): number | undefined {
  const requested = requestedMs(header, now);
  return requested === undefined ? undefined : Math.min(requested, Number.MAX_SAFE_INTEGER);
}

function requestedMs(header: ReadHeader, now: number): number | undefined {
  const exact = parseNumber(header('retry-after-ms'));
  if (exact !== undefined) return exact;
  const text = header('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  const seconds = parseNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = dateIn(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** An HTTP date in milliseconds. "-5" and "1e3" are not dates, though Date.parse accepts them. */
function dateIn(text: string = ''): number | undefined {
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}
