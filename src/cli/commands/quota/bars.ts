import { type TableColumn, table } from '../../terminal/table-text.ts';
import { cleaned, type Paint, type Style } from '../../terminal/terminal.ts';
import { momentText, waitText } from '../../terminal/time-text.ts';
import type { View, WindowView } from './view.ts';

const cells = 20;
const columns: readonly TableColumn[] = [
  { title: 'WINDOW' },
  { title: 'USED' },
  { title: '' },
  { title: 'RESETS', isExtra: true },
  { title: 'PACE', isExtra: true },
];

/** A line for each window: name, bar, used share, count, reset and pace. */
export function barsText({ level, windows, peak }: View, now: Date, paint: Paint, width: number): string {
  const lines = [level === undefined ? 'No coding plan.' : `Plan: ${cleaned(level)}`];
  if (windows.length > 0) {
    const rows = windows.map((one) => [cleaned(one.name), bar(one, paint), usedText(one), resetText(one, now), paceText(one, now)]);
    lines.push('', table(columns, rows, paint, width).text);
  }
  if (level !== undefined || windows.length > 0) {
    const wait = `${waitText(peak.changesAt.getTime() - now.getTime())} (${momentText(peak.changesAt, now)})`;
    lines.push('', peakText(peak, wait));
  }
  return lines.join('\n');
}

function peakText({ peak, multiplier }: View['peak'], wait: string): string {
  // Factors of at most 1 are those of credits.
  if (multiplier <= 1) return peak ? `Peak hours: credits count in full for ${wait}.` : `Off-peak: credits count half. Peak hours begin in ${wait}.`;
  return peak ? `Peak hours: tokens of high-tier models count ${multiplier} times for ${wait}.` : `Off-peak. Peak hours begin in ${wait}.`;
}

function bar(one: WindowView, paint: Paint): string {
  const { usedPercent } = one;
  if (usedPercent === undefined) return '';
  // A window that is used at all has a mark, and one that is not full has a gap.
  const exact = (usedPercent / 100) * cells;
  const full = usedPercent >= 100 ? cells : Math.min(cells - 1, usedPercent > 0 ? Math.max(1, Math.round(exact)) : 0);
  return `${paint(styleOf(one), '█'.repeat(full))}${paint('dim', '░'.repeat(cells - full))}`;
}

export function styleOf({ isExhausted, isLow }: WindowView): Style {
  return isExhausted ? 'red' : isLow ? 'yellow' : 'green';
}

function usedText({ usedPercent, count }: WindowView): string {
  if (usedPercent === undefined) return 'unknown';
  return `${String(Math.floor(usedPercent)).padStart(3)} %${count === undefined ? '' : `  ${count}`}`;
}

function resetText({ resetsAt }: WindowView, now: Date): string {
  if (!resetsAt) return 'idle';
  const leftMs = resetsAt.getTime() - now.getTime();
  return leftMs <= 0 ? 'now' : `in ${waitText(leftMs)} (${momentText(resetsAt, now)})`;
}

function paceText({ isExhausted, projectedPercent, exhaustsAt, resetsAt }: WindowView, now: Date): string {
  if (isExhausted) return 'used up';
  if (exhaustsAt && resetsAt && exhaustsAt > now)
    return `runs out in ${waitText(exhaustsAt.getTime() - now.getTime())}, ${waitText(resetsAt.getTime() - exhaustsAt.getTime())} early`;
  return projectedPercent === undefined ? '' : `${Math.round(projectedPercent)} % at the end`;
}
