import type { Cli } from '../cli.ts';
import { plain, type Style } from '../terminal/terminal.ts';
import { Wrapper } from '../terminal/wrap.ts';
import type { Finding } from './finding.ts';

const styles: Readonly<Record<Finding['status'], Style>> = { ok: 'green', note: 'yellow', problem: 'red' };

const indent = ' '.repeat(8);

/** A finding as text within the width of the terminal, with its next step on a line of its own. */
export function findingLine({ screen }: Cli, { status, text, next }: Finding): string {
  const wrapper = new Wrapper(plain, () => screen.width);
  const lines = (head: string, words: string): string =>
    wrapper.open(head, indent) + wrapper.add([{ text: screen.clean(words), styles: [] }]) + wrapper.close();
  const line = lines(screen.paint(styles[status], status.padEnd(indent.length)), text);
  return next === undefined ? line : `${line}\n${lines(indent, next)}`;
}
