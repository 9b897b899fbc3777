import { cleaned, type Paint } from '../../terminal/terminal.ts';
import { shortWait } from '../../terminal/time-text.ts';
import { styleOf } from './bars.ts';
import type { View } from './view.ts';

const shortNames: Readonly<Record<string, string>> = { 'five-hour': '5h', weekly: 'week', 'monthly-tools': 'tools' };

/** One line: `pro 5h 31% 2h10m | week 40% 3d4h | tools 3% | peak 3x`, with ` (4m old)` for one that was known before. */
export function statusline(view: View, now: Date, paint: Paint, at: Date = now): string {
  const ageMs = now.getTime() - at.getTime();
  return `${lineOf(view, now, paint)}${ageMs < 1000 ? '' : ` (${shortWait(ageMs)} old)`}`;
}

function lineOf({ level, windows, peak }: View, now: Date, paint: Paint): string {
  if (windows.length === 0) return level === undefined ? 'no plan' : cleaned(level);
  const parts = windows.map((one) => {
    const { name, usedPercent, resetsAt, isReset } = one;
    const used = isReset ? 'reset' : usedPercent === undefined ? '?' : `${Math.floor(usedPercent)}%`;
    const leftMs = resetsAt ? resetsAt.getTime() - now.getTime() : 0;
    const short = Object.hasOwn(shortNames, name) ? shortNames[name] : cleaned(name);
    return `${short} ${paint(styleOf(one), used)}${leftMs > 0 ? ` ${shortWait(leftMs)}` : ''}`;
  });
  if (peak.peak) parts.push(`peak ${peak.multiplier}x`);
  return `${level === undefined ? '' : `${cleaned(level)} `}${parts.join(' | ')}`;
}
