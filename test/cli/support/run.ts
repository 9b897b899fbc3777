// Runs the built program as a process of its own, as a user does.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { type FakeService, fakeKey, startFakeService } from 'modelsvc/testing';
import { expect, onTestFinished } from 'vitest';

export const program: string = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

let guardUrl: string | undefined;

/** The guard of all tests against connections beyond this machine, as a module that Node can import without a loader. Made for the first process. */
export function guard(): string {
  const source = readFileSync(new URL('../../support/loopback-only.ts', import.meta.url), 'utf8');
  return (guardUrl ??= `data:text/javascript,${encodeURIComponent(transformSync(source, { loader: 'ts' }).code)}`);
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; undefined if a signal ended the process. */
  readonly code: number | undefined;
}

/** How a command ended, for `toMatchObject`: its exit code, and a part or a pattern of stderr. */
export function ends(code: number, stderr: string | RegExp): object {
  const matches = typeof stderr === 'string' ? expect.stringContaining(stderr) : expect.stringMatching(stderr);
  return { code, stderr: matches as string };
}

/** As `ends`, and without a word on stdout. */
export function fails(code: number, stderr: string | RegExp): object {
  return { ...ends(code, stderr), stdout: '' };
}

/** The whole result of a command, for `toEqual`. A pattern of a text comes as `expect.stringMatching`. */
export function prints(stdout: unknown, code = 0, stderr: unknown = ''): object {
  return { stdout, stderr, code };
}

export interface RunOptions {
  /** Text for stdin. Default: stdin is closed. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Read by `in-process.ts`: the process is the matter of the test, or other commands run at the same time as it. True with `onStart` and variables of Node. */
  readonly isProcess?: boolean;
  /** Read by `in-process.ts`: the streams are a terminal with so many columns, as far as a program sees it: `isTTY` and the size. It takes no keys. `stdout` then has both outputs. */
  readonly columns?: number;
  /** Called with the process, for instance to send a signal when a line has arrived. */
  readonly onStart?: (child: ChildProcessWithoutNullStreams) => void;
}

/** A home folder that is removed after the test. */
export async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'modelsvc-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line of stdout. */
  line(): Promise<string>;
  readonly ended: Promise<Ended>;
}

/** Starts `modelsvc` and returns while it runs. It is killed after the test. */
export function start(args: readonly string[], options: RunOptions = {}): Started {
  const { stdin, env = {}, cwd } = options;
  const child = spawn(process.execPath, ['--import', guard(), program, ...args], { cwd, env: { PATH: process.env['PATH'] ?? '', ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  let read = 0;
  let wake = (): void => undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => {
      resolve({ stdout, stderr, code: code ?? undefined });
      wake();
    }),
  );
  const line = async (): Promise<string> => {
    for (let end = stdout.indexOf('\n', read); ; end = stdout.indexOf('\n', read)) {
      if (end >= 0) {
        const text = stdout.slice(read, end);
        read = end + 1;
        return text;
      }
      if (child.exitCode !== null) throw new Error(`modelsvc ended with ${child.exitCode}: ${stderr}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { child, line, ended };
}

/** The working directory and the variables of a command. It sees no variable of this process but PATH. */
export async function placeOf({ env = {}, cwd }: RunOptions): Promise<{ readonly cwd: string; readonly env: Readonly<Record<string, string>> }> {
  const home = env['HOME'] ?? (await newHome());
  const folders = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.state') };
  return { cwd: cwd ?? home, env: { PATH: process.env['PATH'] ?? '', ...folders, ...env } };
}

/** Runs `modelsvc` with arguments. It cannot connect beyond this machine. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { stdin, onStart } = options;
  const child = spawn(process.execPath, ['--import', guard(), program, ...args], await placeOf(options));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // The program may end before it has read its input.
  child.stdin.on('error', () => undefined).end(stdin);
  onStart?.(child);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { stdout, stderr, code: code ?? undefined };
}

export interface Fake {
  readonly fake: FakeService;
  modelsvc(args: readonly string[], options?: RunOptions): Promise<Ended>;
}

/** A fake service, and `modelsvc` pointed at it with a valid key. */
export async function withFake(runner: typeof run = run): Promise<Fake> {
  const fake = await startFakeService({ models: 'any' });
  onTestFinished(() => fake.close());
  return {
    fake,
    modelsvc: (args, options = {}) => runner([...args, '--base-url', fake.url], { ...options, env: { SVC_API_KEY: fakeKey, ...options.env } }),
  };
}
