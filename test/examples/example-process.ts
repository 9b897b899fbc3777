import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type FakeService, fakeKey } from '../../src/testing/index.ts';
import { bundleExamples, root } from './bundle.ts';

export { root };
/** The example programs, without extension. */
export const names: readonly string[] = readdirSync(`${root}examples`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));

/** A program that is running. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything printed so far. */
  readonly printed: { stdout: string; stderr: string };
  /** Resolves when stdout or stderr contains the text; rejects if the program ends before. */
  shows(text: string): Promise<void>;
  /** Exit code, or the signal that ended the program. */
  readonly end: Promise<number | string | null>;
}

/** Starts an example in a process of its own that cannot leave this machine, as a user would, with the fake as the service. */
export type Start = (name: string, fake: FakeService | string, options?: StartOptions) => Running;

export interface StartOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Run in a pseudo-terminal, whose stdin stays open. Both outputs are then in stdout, with CR LF. */
  readonly terminal?: boolean;
}

/** Bundles the programs, by default all in the folder itself, once for a test file. */
export function builtExamples(programs: readonly string[] = names, packages?: 'bundle'): Start {
  // Below node_modules, so that the bundles find the packages.
  const folder = `${root}node_modules/.cache/examples-${process.pid}`;
  beforeAll(() => bundleExamples(folder, programs, { guard: 'test/support/loopback-only.ts' }, packages));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (name, fake, { args = [], cwd = root, env = {}, flags = [], terminal = false } = {}) => {
    const guard = pathToFileURL(`${folder}/guard.mjs`).href;
    const command = [process.execPath, '--import', guard, ...flags, `${folder}/${name}.mjs`, ...args];
    const [program = '', ...rest] = terminal ? ['script', '-qec', command.join(' '), '/dev/null'] : command;
    const child = spawn(program, rest, {
      cwd,
      // Without the proxies, keys and Node options of this environment.
      env: { PATH: process.env['PATH'], SVC_API_KEY: fakeKey, SVC_ENDPOINTS: typeof fake === 'string' ? fake : fake.url, ...env },
    });
    if (!terminal) child.stdin.end();
    onTestFinished(() => void child.kill('SIGKILL'));
    const printed = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
    const end = new Promise<number | string | null>((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
    const shows = (text: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => void ((printed.stdout + printed.stderr).includes(text) && resolve());
        for (const output of [child.stdout, child.stderr]) output.on('data', look);
        void end.then((code) => reject(new Error(`${name} ended with ${code} before it printed ${text}: ${printed.stdout}${printed.stderr}`)));
        look();
      });
    return { child, printed, shows, end };
  };
}

export interface Outcome {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The outcome of a program that ends by itself. */
export async function outcome({ printed, end }: Running): Promise<Outcome> {
  const code = await end;
  return { code, ...printed };
}

/** The outcome of a program that printed `stdout`. */
export function ended(stdout: string, code = 0, stderr = ''): Outcome {
  return { code, stdout, stderr };
}

/** The bodies of all requests. */
export function bodiesOf(fake: FakeService): object[] {
  return fake.requests.map(({ body }) => body as object);
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** The messages of the last request. */
export function sentMessages(fake: FakeService): ChatBody['messages'] {
  return lastBody(fake).messages;
}

/** The names of the tools of the last request. */
export function toolsOf(fake: FakeService): string[] {
  return lastBody(fake).tools.map((tool) => tool.function.name);
}

function lastBody(fake: FakeService): ChatBody {
  return bodiesOf(fake).at(-1) as ChatBody;
}

/** An empty directory for one test. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'modelsvc-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
