/** A Unix time in seconds or milliseconds as `2026-07-11 07:32:09Z`. The service sends both. */
export function timeText(time: number | null | undefined): string {
  if (typeof time !== 'number' || !(time > 0) || time > 8e15) return '';
  return new Date(time > 1e11 ? time : time * 1000).toISOString().replace('T', ' ').replace(/\.\d+/, '');
}
