// Runs the built program in a pseudo-terminal, by `script` of util-linux.
import { spawn, spawnSync } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { guard, newHome, program } from './run.ts';

export const hasPty: boolean = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

export interface PtyOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Writes keys for each text, once the screen contains it. Texts are waited for in this order. */
  readonly keys?: readonly (readonly [text: string, keys: string])[];
  /** Called with all that the screen has received, whenever more arrives. */
  readonly onScreen?: (screen: string) => void;
}

/** Runs `modelsvc` on a terminal. Returns all that the screen received, and the exit code. */
export async function runInPty(
  args: readonly string[],
  { env = {}, keys = [], onScreen }: PtyOptions = {},
): Promise<{ screen: string; code: number }> {
  const home = env['HOME'] ?? (await newHome());
  const quoted = [process.execPath, '--import', guard, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols 100 rows 24; exec ${quoted}`, '/dev/null'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  // A test that fails leaves no program behind: the end of the terminal ends it.
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let seen = 0;
  const waiting = [...keys];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    onScreen?.(screen);
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const at = screen.indexOf(next[0], seen);
      if (at < 0) return;
      seen = at + next[0].length;
      child.stdin.write(next[1]);
      waiting.shift();
    }
  });
  child.stdin.on('error', () => undefined);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { screen, code: code ?? -1 };
}
