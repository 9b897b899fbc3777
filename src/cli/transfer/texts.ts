// Texts of a command: from its arguments, a file, or stdin.
import type { Cli } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import { textOrFile } from '../input/input.ts';

/** The words of the arguments as one text. Without arguments, or for `-`, all of stdin. `@FILE` reads a file. */
export async function oneText(cli: Cli, args: readonly string[], name: string): Promise<string> {
  const [first = '-', ...more] = args;
  if (more.length > 0) return args.join(' ');
  if (first !== '-') return textOrFile(name, first, () => cli.stdinText());
  if (!cli.hasStdin) throw usageError(`${name} is missing`, 'Pass it as an argument or in a pipe.');
  const text = (await cli.stdinText()).replace(/\r?\n$/, '');
  if (text === '') throw usageError(`${name} is empty: stdin has no text`);
  return text;
}

/** The lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
