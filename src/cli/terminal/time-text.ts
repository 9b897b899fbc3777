// Times and durations for people.

/** `1 h 12 min`, `45 s`. */
export function waitText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [days, hours, rest] = partsOf(minutes);
  return days > 0 ? `${days} d ${hours} h` : `${hours} h ${rest} min`;
}

/** `2h10m`, `3d4h`, `45s`. */
export function shortWait(ms: number): string {
  const [first = '', unit = '', second, unit2] = waitText(ms).split(' ');
  const short = (text = ''): string => text[0] ?? '';
  return `${first}${short(unit)}${second === undefined ? '' : `${second}${short(unit2)}`}`;
}

function partsOf(minutes: number): readonly [days: number, hours: number, minutes: number] {
  return [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const dayMs = 24 * 60 * 60 * 1000;

/** A time in the local time zone: `14:32` today, `Tue 14:32` within six days, `2026-08-06` beyond. */
export function momentText(moment: Date, now: Date): string {
  const clock = clockText(moment).slice(-5);
  if (dayText(moment) === dayText(now)) return clock;
  return Math.abs(moment.getTime() - now.getTime()) < 6 * dayMs ? `${weekdays[moment.getDay()]} ${clock}` : dayText(moment);
}

/** `2026-08-06` in the local time zone. */
export function dayText(moment: Date): string {
  return `${moment.getFullYear()}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
}

/** `2026-08-06 14:32` in the local time zone. */
export function clockText(moment: Date): string {
  return `${dayText(moment)} ${pad(moment.getHours())}:${pad(moment.getMinutes())}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** A Unix time in seconds or milliseconds as `2026-07-11 07:32:09Z`. The service sends both. */
export function timeText(time: number | null | undefined): string {
  if (typeof time !== 'number' || !(time > 0) || time > 8e15) return '';
  return new Date(time > 1e11 ? time : time * 1000).toISOString().replace('T', ' ').replace(/\.\d+/, '');
}
