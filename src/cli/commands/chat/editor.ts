// The editor of the user, for a text of the repl.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cli } from '../../cli.ts';
import { CliError, usageError } from '../../errors/exit.ts';
import { readText } from '../../files/text.ts';
import { commandWords } from '../../talk/words.ts';

/** A text after the user has edited it in $VISUAL or $EDITOR. The program must not read the terminal meanwhile. */
export async function edited(cli: Cli, text: string): Promise<string> {
  const { VISUAL, EDITOR } = cli.screen.io.env;
  const line = VISUAL || EDITOR;
  if (!cli.screen.isInteractive) throw usageError('/edit needs a terminal');
  if (!line) throw usageError('/edit: neither VISUAL nor EDITOR is set', 'Set one of them, for instance: export EDITOR=nano');
  const [command, ...args] = commandWords(VISUAL ? 'VISUAL' : 'EDITOR', line);
  // Only the user may enter the folder.
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-edit-'));
  try {
    const path = join(folder, 'question.md');
    await writeFile(path, text, { mode: 0o600 });
    const code = await withoutInterrupts(async () => {
      // Stdout may be a file.
      const editor = spawn(command, [...args, path], { stdio: ['inherit', 2, 2], signal: cli.signal });
      const [ended] = (await once(editor, 'close').catch((error: Error) => {
        cli.signal.throwIfAborted();
        throw usageError(`/edit: ${error.message}`, 'Set EDITOR to a program that runs.');
      })) as [number | null];
      return ended;
    });
    if (code !== 0) throw new CliError(`/edit: ${command} ended with ${code ?? 'a signal'}`, 1, 'The text is not sent.');
    return (await readText('/edit', path)).trimEnd();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The terminal sends Ctrl-C to the editor too, and only the editor decides what it means. */
async function withoutInterrupts<T>(run: () => Promise<T>): Promise<T> {
  const listeners = process.listeners('SIGINT');
  const ignore = (): void => undefined;
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  try {
    return await run();
  } finally {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}
