// Options in the one form that commander reads as users do.
import type { OptionSpec } from '../table/spec.ts';

/** True for a text that begins with a dash, such as `- [ ] first item`: an option has no blank, except in a value that is attached to it. */
export function isDashText(word: string, options: readonly OptionSpec[]): boolean {
  if (!/^-.*\s/s.test(word) || /^--[a-z][\w-]*=/i.test(word)) return false;
  return !options.some(({ short, kind = 'flag' }) => kind !== 'flag' && word[1] === short && /\S/.test(word[2] ?? ' '));
}

/**
 * Spreads short flags that are written together, whatever table they come from: `-uqm ID` is `-u -q -m ID`. An option with an optional value takes only a
 * value after `=`: in `--dry-run PROMPT`, commander would take the prompt. In `-m=ID`, it would take `=ID` as the value.
 */
export function inLongForm(argv: readonly string[], options: readonly OptionSpec[]): string[] {
  const end = argv.indexOf('--');
  const words: string[] = [];
  let isValue = false;
  for (const word of end < 0 ? argv : argv.slice(0, end)) {
    const parts: readonly string[] = isValue ? [word] : spread(word, options);
    words.push(...parts);
    const last = parts.at(-1) ?? '';
    isValue = !isValue && options.some(({ name, short, kind = 'flag' }) => kind !== 'flag' && (last === `--${name}` || last === `-${short}`));
  }
  return [...words, ...(end < 0 ? [] : argv.slice(end))];
}

/** From a letter on that is not an option, the word stays together. */
function spread(word: string, options: readonly OptionSpec[]): string[] {
  if (options.some(({ name, optional }) => optional && word === `--${name}`)) return [`${word}=`];
  if (!/^-[^-]/.test(word) || isDashText(word, options)) return [word];
  const parts: string[] = [];
  for (let at = 1; at < word.length; at++) {
    const option = options.find(({ short }) => short === word[at]);
    if (!option) return [...parts, `-${word.slice(at)}`];
    const { name, kind = 'flag', optional } = option;
    const rest = word.slice(at + 1);
    const takesRest = optional ? rest.startsWith('=') : kind !== 'flag' && rest !== '';
    parts.push(takesRest ? `--${name}=${rest.replace(/^=/, '')}` : optional ? `--${name}=` : `-${word[at]}`);
    if (takesRest) break;
  }
  return parts;
}
