// The text of a prompt: arguments, stdin, or both.
import { fstatSync } from 'node:fs';
import { usageError } from '../errors/exit.ts';
import { maxTextBytes } from '../files/text.ts';
import type { Screen } from '../terminal/screen.ts';

/** Where the words of a prompt come from. */
export interface PromptSource {
  /** Text of a template, before the words. */
  readonly lead?: string | undefined;
  /** Typed words; - alone is stdin. */
  readonly words: readonly string[];
  /** Stdin is an attachment, so it is not part of the prompt. */
  readonly stdinIsFile: boolean;
  readonly hasAttachments: boolean;
}

/** The prompt. Throws a usage error if it is empty and there is no attachment. */
export async function promptText(screen: Screen, { lead, words, stdinIsFile, hasAttachments }: PromptSource): Promise<string> {
  const readsAll = words.length === 1 && words[0] === '-';
  const given = [lead, readsAll ? '' : words.join(' ')].filter(Boolean).join('\n\n');
  if (readsAll && stdinIsFile) throw usageError('stdin is both the prompt and a file', 'Pass the prompt as an argument.');
  const piped = !stdinIsFile && (readsAll || screen.hasStdin) ? await stdin(screen) : '';
  // The first call in a loop of the shell takes the rest of the loop's input.
  if (given !== '' && piped !== '' && screen.io.stderr.isTTY && fstatSync(0).isFile())
    screen.note(
      `The prompt has ${Buffer.byteLength(piped)} bytes of stdin with it. In a loop that reads a file, write \`< /dev/null\` after the command.`,
    );
  const text = joined(given, piped);
  if (text.trim() === '' && !hasAttachments)
    throw usageError('the prompt is empty', 'Pass it as an argument or through a pipe, or run `modelsvc chat repl`.');
  if (Buffer.byteLength(text) > maxTextBytes) throw usageError(`the prompt has more than ${maxTextBytes} bytes`);
  return text;
}

/** Advice for an image that was piped in as the prompt. */
export const imageCure = 'Send it as a file, with a prompt: -f - "What is this?"';

async function stdin(screen: Screen): Promise<string> {
  const progress = screen.progress();
  progress.show('reading stdin');
  try {
    return await screen.stdinText(imageCure);
  } finally {
    progress.done();
  }
}

/** A prompt with the text of stdin after it. */
export function joined(prompt: string, piped: string): string {
  if (piped.trim() === '') return prompt;
  return prompt.trim() === '' ? piped : `${prompt}\n\n<stdin>\n${piped}${piped.endsWith('\n') ? '' : '\n'}</stdin>`;
}
