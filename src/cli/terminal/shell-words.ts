// Words for a shell, in commands that users copy or that other programs run.
import { cleaned } from './terminal.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** Text in quotes, which the shell does not change. */
export function quoted(text: string, shell: Shell = 'bash'): string {
  // PowerShell takes typographic quotes for straight ones.
  if (shell === 'powershell') return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
  return shell === 'fish' ? `'${text.replace(/[\\']/g, '\\$&')}'` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word, in quotes if the shell would change it. In PowerShell always in quotes, because a bare word is not a value. */
export function shellWord(text: string, shell: Shell = 'bash'): string {
  return shell !== 'powershell' && isPlain(text) ? text : quoted(text, shell);
}

/** A command line that a user can copy, without control characters. */
export function quotedLine(words: readonly string[]): string {
  return words.map((word) => shellWord(cleaned(word))).join(' ');
}

/** A word for the shell that runs commands on this system. */
export function systemWord(text: string): string {
  if (process.platform !== 'win32') return shellWord(text);
  return isPlain(text) ? text : `"${text}"`;
}

/** True for a word that no shell changes. zsh expands a word that begins with an equals sign. */
function isPlain(text: string): boolean {
  return /^[\w./:@%+-][\w./:@%+=,-]*$/.test(text);
}
