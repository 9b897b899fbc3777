/** Rows of samples as one table. */
import { floors, fullClients, peers, us } from './clients.mjs';
import { median, over, spread } from './statistics.mjs';

const columns = [us, ...peers, ...floors];

export const heading = ['measure', us, ...[...peers, ...floors].map((client) => client), 'target', 'reached'];

/** One row as cells: ours as it is; the others as ours divided by theirs, or as they are if `show` is `value`. */
export function cells(row) {
  const rest = columns.slice(1).map((client) => cell(row, client));
  const { target, reached } = judge(row);
  return [row.title, `${figure(median(row.samples[us]))} ${row.unit}`, ...rest, target, reached];
}

function cell({ samples, show }, client) {
  const theirs = samples[client];
  if (!theirs) return '';
  if (show === 'value') return figure(median(theirs));
  const ratios = over(samples[us], theirs);
  return ratios.length > 2 ? `${figure(median(ratios))} ±${Math.round(spread(ratios) * 100)}%` : figure(median(ratios));
}

function judge({ samples, targets, unit }) {
  const judged = targets.map(({ most, than }) => {
    const reached = than ? ratioTo(samples, than) : median(samples[us]);
    return {
      target: than ? `≤ ${most} × ${than}` : `≤ ${most} ${unit}`,
      reached: reached === undefined ? '–' : `${reached <= most ? 'yes' : 'NO'} ${figure(reached)}`,
    };
  });
  return { target: judged.map(({ target }) => target).join(', '), reached: judged.map(({ reached }) => reached).join(', ') };
}

/** Against a group the best of it counts: the one to which our ratio is worst. */
function ratioTo(samples, than) {
  const group = than === 'best peer' ? peers : than === 'best full client' ? fullClients : [than];
  const ratios = group.filter((client) => samples[client]).map((client) => median(over(samples[us], samples[client])));
  const worst = Math.max(...ratios);
  // Memory is read off a heap that also shrinks: a figure below zero cannot be compared.
  return worst > 0 && ratios.every((ratio) => ratio > 0) ? worst : undefined;
}

/** How far two processes of the same client are apart. */
export function noise(rows) {
  return rows
    .filter(({ samples }) => samples.again)
    .map(({ title, samples }) => {
      const ratios = over(samples.again, samples[us]);
      return `${title} ${median(ratios).toFixed(2)} ±${Math.round(spread(ratios) * 100)}%`;
    });
}

function figure(value) {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function aligned(table) {
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  return table.map((line) =>
    line
      .map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  );
}

export function markdown([head, ...body]) {
  const line = (texts) => `| ${texts.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...body.map(line)].join('\n');
}
