import type { Cli } from '../cli.ts';
import type { Style } from '../terminal/terminal.ts';
import type { Finding } from './finding.ts';

const styles: Readonly<Record<Finding['status'], Style>> = { ok: 'green', note: 'yellow', problem: 'red' };

/** A finding as text, with its next step on a second line. */
export function findingLine({ output }: Cli, { status, text, next }: Finding): string {
  const line = `${output.paint(styles[status], status.padEnd(8))}${output.clean(text)}`;
  return next === undefined ? line : `${line}\n        ${output.clean(next)}`;
}
