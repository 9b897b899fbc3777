// Texts of a command: from its arguments, a file, or stdin.
import { usageError } from '../errors/exit.ts';
import { textOrFile } from '../input/input.ts';
import type { Screen } from '../terminal/screen.ts';

/** The words of the arguments as one text. Without arguments, or for `-`, all of stdin. `@FILE` reads a file. */
export async function oneText(screen: Screen, args: readonly string[], name: string): Promise<string> {
  const [first = '-', ...more] = args;
  if (more.length > 0) return args.join(' ');
  if (first !== '-') return textOrFile(name, first, () => screen.stdinText());
  if (!screen.hasStdin) throw usageError(`${name} is missing`, 'Pass it as an argument or in a pipe.');
  const text = (await screen.stdinText()).replace(/\r?\n$/, '');
  if (text === '') throw usageError(`${name} is empty: stdin has no text`, 'Pass it as an argument or in a pipe.');
  return text;
}

/** The lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
