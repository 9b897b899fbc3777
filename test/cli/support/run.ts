// Runs the built program as a process of its own, as a user does.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { type FakeService, fakeKey, startFakeService } from '../../../src/testing/index.ts';

export const program: string = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

/** The guard of all tests against connections beyond this machine, as a module that Node can import without a loader. */
const guardSource = readFileSync(new URL('../../support/loopback-only.ts', import.meta.url), 'utf8');
const guard = `data:text/javascript,${encodeURIComponent(transformSync(guardSource, { loader: 'ts' }).code)}`;

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code; undefined if a signal ended the process. */
  readonly code: number | undefined;
}

export interface RunOptions {
  /** Text for stdin. Default: stdin is closed. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with the process, for instance to send a signal when a line has arrived. */
  readonly onStart?: (child: import('node:child_process').ChildProcessWithoutNullStreams) => void;
}

/** A home folder that is removed after the test. */
export async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'modelsvc-home-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** Runs `modelsvc` with arguments. It cannot connect beyond this machine, and sees no variable of this process but PATH. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { stdin, env = {}, cwd, onStart } = options;
  const home = env['HOME'] ?? (await newHome());
  const child = spawn(process.execPath, ['--import', guard, program, ...args], {
    cwd: cwd ?? home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.state'), ...env },
  });
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

/** A fake service, and `modelsvc` pointed at it with a valid key. */
export async function withFake(): Promise<{ readonly fake: FakeService; modelsvc(args: readonly string[], options?: RunOptions): Promise<Ended> }> {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  return {
    fake,
    modelsvc: (args, options = {}) => run([...args, '--base-url', fake.url], { ...options, env: { SVC_API_KEY: fakeKey, ...options.env } }),
  };
}
