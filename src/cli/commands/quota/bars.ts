import { barText } from '../../terminal/bar.ts';
import { type TableColumn, table } from '../../terminal/table-text.ts';
import { cleaned, type Paint, type Style } from '../../terminal/terminal.ts';
import { momentText, waitText } from '../../terminal/time-text.ts';
import { wrapped } from '../../terminal/wrap.ts';
import type { View, WindowView } from './view.ts';

const columns: readonly TableColumn[] = [
  { title: 'WINDOW' },
  { title: 'USED', isExtra: true },
  { title: '' },
  { title: '', isExtra: true },
  { title: 'RESETS', isExtra: true },
  { title: 'PACE', isExtra: true },
];

/** A line for each window: name, bar, used share, count, reset and pace. */
export function barsText({ level, windows, edition, peak }: View, now: Date, paint: Paint, width: number): string {
  const lines = [level === undefined ? 'No coding plan.' : `Plan: ${cleaned(level)}`];
  if (level !== undefined && windows.length === 0) lines.push('', wrapped(notTold, width));
  if (windows.length > 0) {
    const rows = windows.map((one) => [
      cleaned(one.name),
      barText(one.usedPercent && one.usedPercent / 100, paint, styleOf(one)),
      usedText(one),
      one.count ?? '',
      resetText(one, now),
      paceText(one, now),
    ]);
    lines.push('', table(columns, rows, paint, width).text);
  }
  if (level !== undefined || windows.length > 0) {
    const wait = `${waitText(peak.changesAt.getTime() - now.getTime())} (${momentText(peak.changesAt, now)})`;
    lines.push('', wrapped(peakText(edition, peak.peak, wait), width));
  }
  return lines.join('\n');
}

/** The reply names a plan and has no windows. Some team keys get it, so it is not an unused plan. */
const notTold = 'The reply has no windows: the use of this plan is not told. The key of a team needs its organization and project.';

function peakText(edition: View['edition'], isPeak: boolean, wait: string): string {
  const next = isPeak ? `for ${wait}` : `Peak hours begin in ${wait}`;
  if (edition === 'V3') return isPeak ? `Peak hours: credits count in full ${next}.` : `Off-peak: credits count half. ${next}.`;
  return isPeak
    ? `Peak hours: tokens of glm-5.3 count 3 times, of glm-5.3-flash 1.2 times, ${next}.`
    : `Off-peak: tokens of glm-5.3 count once, of glm-5.3-flash 0.4 times. ${next}.`;
}

export function styleOf({ isExhausted, isLow }: WindowView): Style {
  return isExhausted ? 'red' : isLow ? 'yellow' : 'green';
}

function usedText({ usedPercent }: WindowView): string {
  return usedPercent === undefined ? 'unknown' : `${String(Math.floor(usedPercent)).padStart(3)} %`;
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
