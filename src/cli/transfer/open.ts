// `--open`: shows saved files, or links, with the program that the desktop has for them.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { OptionSpec } from '../table/spec.ts';
import type { Screen } from '../terminal/screen.ts';

export const openOption: OptionSpec = { name: 'open', summary: 'Show the result with the program of the desktop' };

/** A desktop without such a program is a warning: the result is saved, or printed. */
export async function openAll(screen: Screen, places: readonly string[]): Promise<void> {
  for (const place of places) {
    const target = /^https?:/i.test(place) ? place : resolve(place);
    if (/^data:/i.test(place)) continue;
    const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
    const failure = await started(program as string, [...args, target]);
    if (failure !== undefined) return screen.warn(`--open: ${program} cannot be started (${failure})`);
  }
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The reason why a program did not start. It goes on when this one ends. */
function started(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore' });
    child.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    child.on('spawn', () => {
      child.unref();
      done(undefined);
    });
  });
}
