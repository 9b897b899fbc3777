import { usageError } from '../errors/exit.ts';

/** The words of a command line: separated by blanks, with single and double quotes and backslashes as in a shell. Expands no variables. */
export function commandWords(place: string, line: string): [command: string, ...args: string[]] {
  const words: string[] = [];
  // A word is a run of quoted and plain parts.
  for (const [word] of line.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs))
    words.push(
      word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single: string | undefined, double: string | undefined, escaped: string) => {
        if (single !== undefined) return single;
        return double === undefined ? escaped : double.replace(/\\(["\\])/g, '$1');
      }),
    );
  const rest = line.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, '');
  if (/['"]|\\$/.test(rest)) throw usageError(`${place}: a quote in ${JSON.stringify(line)} is not closed`);
  const [command, ...args] = words;
  if (command === undefined) throw usageError(`${place} is empty`, 'Pass the command of the server.');
  return [command, ...args];
}
