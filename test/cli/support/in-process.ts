// Runs the built program inside the process of the test: as `run.ts`, without the start of a process.
// A command must leave the process as it was, and must end by itself: one that would keep a process alive fails the test, and is named.
import { Console } from 'node:console';
import { PassThrough, Writable } from 'node:stream';
import { liveness } from './liveness.ts';
import { type Ended, type Fake, withFake as fakeFor, placeOf, program, type RunOptions, run as runProcess } from './run.ts';

export { type Ended, ends, fails, newHome, prints, type RunOptions } from './run.ts';

/** The part of the program's surroundings that pipes have. */
interface Io {
  readonly stdin: PassThrough;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: NodeJS.ProcessEnv;
  readonly argv: readonly string[];
}

interface Interruption {
  readonly controller: AbortController;
  readonly code: undefined;
  release(): void;
}

export type Main = (argv: readonly string[], io: Io, interruption: () => Interruption) => Promise<number>;

let running: string | undefined;

/** Runs `modelsvc` with arguments. One command at a time: working directory and environment belong to the process. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  if (needsProcess(options)) return runProcess(args, options);
  const { main } = (await import(program.replace('main.js', 'program.js'))) as { readonly main: Main };
  return runMain(main, args, options);
}

/** Node reads its own variables, such as NODE_EXTRA_CA_CERTS, only when a process starts. */
function needsProcess({ isProcess, onStart, env = {} }: RunOptions): boolean {
  return isProcess === true || onStart !== undefined || Object.keys(env).some((name) => name.startsWith('NODE_'));
}

/** A fake service, and `modelsvc` pointed at it with a valid key. */
export function withFake(): Promise<Fake> {
  return fakeFor(run);
}

/** Runs a program. Rejects with all that would have kept a process alive, or that the next command would notice. */
export async function runMain(main: Main, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const name = `modelsvc ${args.join(' ')}`;
  if (running !== undefined) throw new Error(`${name} cannot run beside ${running}: give one of them isProcess`);
  running = name;
  try {
    return await runAlone(name, main, args, options);
  } finally {
    running = undefined;
  }
}

async function runAlone(name: string, main: Main, args: readonly string[], options: RunOptions): Promise<Ended> {
  const { cwd, env } = await placeOf(options);
  const terminal = options.columns === undefined ? {} : { isTTY: true, columns: options.columns };
  const [stdout, beside] = [collector(terminal), collector()];
  const stderr = options.columns === undefined ? collector() : stdout;
  const stdin = Object.assign(new PassThrough(), terminal);
  stdin.end(options.stdin);
  const restore = replaceProcess(args, cwd, env, beside.stream);
  const before = stateOf();
  try {
    const io: Io = { stdin, stdout: stdout.stream, stderr: stderr.stream, env: process.env, argv: args };
    const interruption: Interruption = { controller: new AbortController(), code: undefined, release: () => undefined };
    const { result: code, left } = await liveness(name, () => main(args, io, () => interruption));
    const faults = [...left.map((one) => `a process would not end: ${one}`), ...changes(before, stateOf())];
    if (beside.text() !== '') faults.push(`it wrote beside its streams: ${beside.text()}`);
    if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}`);
    return { stdout: stdout.text(), stderr: stderr === stdout ? '' : stderr.text(), code };
  } finally {
    restore();
  }
}

/** A stream whose bytes are kept. Like a pipe it is not a terminal, unless it gets the properties of one. */
function collector(terminal: object = {}): { readonly stream: Writable; text(): string } {
  const blocks: Buffer[] = [];
  const write = (block: Buffer, _: string, done: () => void): void => {
    blocks.push(block);
    done();
  };
  return { stream: Object.assign(new Writable({ write }), terminal), text: () => Buffer.concat(blocks).toString('utf8') };
}

/** Gives the process the arguments, variables and folder of a command, and its own output to `beside`. Returns the way back. */
function replaceProcess(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>, beside: Writable): () => void {
  const own = { argv: process.argv, env: { ...process.env }, cwd: process.cwd(), console: globalThis.console };
  const outputs = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  process.argv = [process.execPath, program, ...args];
  process.chdir(cwd);
  setEnv(env);
  globalThis.console = new Console(beside, beside);
  for (const { stream } of outputs) stream.write = beside.write.bind(beside);
  return () => {
    process.argv = own.argv;
    process.chdir(own.cwd);
    setEnv(own.env);
    globalThis.console = own.console;
    for (const { stream, write } of outputs) stream.write = write;
  };
}

/** In place: Node reads the home folder and the time zone from the variables of the system. */
function setEnv(env: Readonly<NodeJS.ProcessEnv>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** The state of the process that a command could leave changed, by name. A root on this machine becomes an exception to proxies on purpose. */
function stateOf(): ReadonlyMap<string, string> {
  const streams = { process, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  return new Map([
    ['cwd', process.cwd()],
    ['umask', process.umask().toString(8)],
    ['exitCode', String(process.exitCode)],
    ...Object.entries(process.env).flatMap(([name, value]) => (name === 'no_proxy' ? [] : [[`env.${name}`, String(value)] as const])),
    ...Object.entries(streams).flatMap(([name, emitter]) =>
      emitter.eventNames().map((event) => [`listeners of ${name} for ${String(event)}`, String(emitter.listenerCount(event))] as const),
    ),
  ]);
}

function changes(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => `${name}: ${before.get(name)} became ${after.get(name)}`);
}
