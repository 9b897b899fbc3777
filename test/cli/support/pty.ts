// Runs the built program in a pseudo-terminal, by `script` of util-linux.
import { spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { guard, newHome, program } from './run.ts';

export const hasPty: boolean = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '');

export interface PtyOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Lines that are in the terminal's input before the program starts. */
  readonly typedAhead?: string;
  /** File that stdin reads. Default: the terminal. */
  readonly stdinFile?: string;
  /** Default: 100. A terminal may have none. */
  readonly columns?: number;
}

export interface Terminal {
  type(keys: string): void;
  /** Waits for a text on the screen, after the one that was waited for last. */
  shows(text: string): Promise<void>;
  /** Signals the program. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Closes the terminal, as its window does. */
  hangUp(): void;
  /** All that the screen received, and the exit code. */
  readonly ended: Promise<{ readonly screen: string; readonly code: number }>;
}

const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Starts `modelsvc` on a terminal. */
export async function openPty(args: readonly string[], { env = {}, typedAhead, stdinFile, columns = 100 }: PtyOptions = {}): Promise<Terminal> {
  const home = env['HOME'] ?? (await newHome());
  const [gate, pid] = [join(home, 'gate'), join(home, 'pid')];
  const lines = [`stty cols ${columns} rows 24`, `echo $$ > ${word(pid)}`];
  if (typedAhead !== undefined) lines.push(`mkfifo ${word(gate)}`, 'echo ready', `read go < ${word(gate)}`);
  lines.push(
    `exec ${[process.execPath, '--import', guard(), program, ...args].map(word).join(' ')}${stdinFile === undefined ? '' : ` < ${word(stdinFile)}`}`,
  );
  const child = spawn('script', ['-qfec', lines.join('; '), '/dev/null'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  // A test that fails leaves no program: the end of the terminal ends it.
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  let seen = 0;
  let isOver = false;
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    changed();
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<{ screen: string; code: number }>((resolve) =>
    child.on('close', (code) => {
      isOver = true;
      resolve({ screen, code: code ?? -1 });
      changed();
    }),
  );
  const terminal: Terminal = {
    type: (keys) => void child.stdin.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const at = screen.indexOf(text, seen);
          if (at < 0 && !isOver) return;
          watchers.delete(look);
          if (at < 0) return reject(new Error(`the program ended before the screen had ${JSON.stringify(text)}: ${screen}`));
          seen = at + text.length;
          resolve();
        };
        watchers.add(look);
        look();
      }),
    kill: async (signal) => void process.kill(Number(await readFile(pid, 'utf8')), signal),
    hangUp: () => void child.kill('SIGKILL'),
    ended,
  };
  if (typedAhead !== undefined) {
    await terminal.shows('ready');
    terminal.type(typedAhead);
    // The echo proves that the terminal has the keys.
    for (const line of typedAhead.trim().split('\r')) await terminal.shows(line);
    await writeFile(gate, '\n');
  }
  return terminal;
}

interface KeyOptions extends PtyOptions {
  /** In turns, a text that the screen must have and the keys that are typed then. Texts are waited for in this order. */
  readonly keys?: readonly string[];
}

/** Runs `modelsvc` on a terminal to its end. */
export async function runInPty(args: readonly string[], { keys = [], ...options }: KeyOptions = {}): Promise<{ screen: string; code: number }> {
  const terminal = await openPty(args, options);
  for (const [at, words] of keys.entries()) {
    if (at % 2 === 0) await terminal.shows(words);
    else terminal.type(words);
  }
  return terminal.ended;
}
