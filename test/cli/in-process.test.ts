import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { startFakeService } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Main, newHome, run, runMain } from './support/in-process.ts';

/** The fault of a program as one text. */
async function faultOf(main: Main): Promise<string> {
  return runMain(main, ['example', '--flag']).then(
    () => 'none',
    (error: Error) => error.message,
  );
}

/** A program that does something and ends with 0. */
const doing =
  (action: () => unknown): Main =>
  async () => {
    await action();
    return 0;
  };

describe('a command inside the process of a test', () => {
  it('gets arguments, stdin, variables and folder, and gives text and exit code', async () => {
    const home = await newHome();
    const main: Main = async (argv, { stdin, stdout, stderr, env }) => {
      const input = Buffer.concat(await stdin.toArray()).toString();
      stdout.write(JSON.stringify({ argv, input, home: homedir(), cwd: process.cwd(), variables: Object.keys(env).sort() }));
      stderr.write('beside');
      return 7;
    };
    const { stdout, ...rest } = await runMain(main, ['a', 'b'], { stdin: 'input', env: { HOME: home, OWN: '1' } });
    const variables = ['HOME', 'OWN', 'PATH', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'];
    expect(JSON.parse(stdout)).toEqual({ argv: ['a', 'b'], input: 'input', home, cwd: home, variables });
    expect(rest).toEqual({ stderr: 'beside', code: 7 });
  });

  it('leaves the process of the test as it was, also after a failure', async () => {
    const before = [process.cwd(), { ...process.env }, process.argv, globalThis.console, process.stdout.write];
    expect((await run(['--version'])).code).toBe(0);
    expect(await faultOf(() => Promise.reject(new Error('broken')))).toBe('broken');
    expect([process.cwd(), { ...process.env }, process.argv, globalThis.console, process.stdout.write]).toEqual(before);
  });

  it('runs alone', async () => {
    let timer: NodeJS.Timeout | undefined;
    let end = (): void => undefined;
    const waiting = doing(async () => {
      timer = setTimeout(() => undefined, 2 ** 30);
      await new Promise<void>((resolve) => (end = resolve));
      clearTimeout(timer);
    });
    const first = runMain(waiting, ['first']);
    expect(await faultOf(doing(() => undefined))).toBe('modelsvc example --flag cannot run beside modelsvc first: give one of them isProcess');
    await expect.poll(() => timer).toBeDefined();
    end();
    expect((await first).code).toBe(0);
  });
});

describe('a command that would keep its process alive fails, with the name of', () => {
  it.each<[string, () => NodeJS.Timeout]>([
    ['a timer', () => setTimeout(() => undefined, 2 ** 30)],
    ['an interval', () => setInterval(() => undefined, 2 ** 30)],
  ])('%s', async (_, start) => {
    let timer: NodeJS.Timeout | undefined;
    onTestFinished(() => clearTimeout(timer));
    const fault = await faultOf(doing(() => void (timer = start())));
    expect(fault).toMatch(/^modelsvc example --flag: a process would not end: Timeout made at .*in-process\.test\.ts/);
    expect(await faultOf(doing(() => void start().unref()))).toBe('none');
    expect(await faultOf(doing(() => clearTimeout(start())))).toBe('none');
  });

  it('timers that start each other, and short intervals, but no short timer', async () => {
    let [timer, starts]: [NodeJS.Timeout | undefined, boolean] = [undefined, true];
    const again = (): unknown => starts && (timer = setTimeout(again, 10));
    onTestFinished(() => void (starts = false));
    expect(await faultOf(doing(again))).toMatch(/would not end: Timeout made at .*in-process\.test\.ts/);
    clearTimeout(timer);
    const interval = doing(() => void (timer = setInterval(() => undefined, 10)));
    expect(await faultOf(interval)).toMatch(/would not end: Timeout made at .*in-process\.test\.ts/);
    clearInterval(timer);
    expect(await faultOf(doing(() => void setTimeout(() => undefined, 200)))).toBe('none');
  });

  it('a socket, and no socket that is unreferenced or closed; the connections that the test accepts do not count', async () => {
    const fake = await startFakeService();
    onTestFinished(() => fake.close());
    const connected = async (): Promise<Socket> => {
      const socket = connect(Number(new URL(fake.url).port), '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    expect(await faultOf(doing(connected))).toMatch(/would not end: TCPWRAP made at .*in-process\.test\.ts/);
    expect(await faultOf(doing(async () => (await connected()).unref()))).toBe('none');
    expect(await faultOf(doing(async () => (await connected()).destroy()))).toBe('none');
    expect(await faultOf(doing(async () => (await connected()).end().resume()))).toBe('none');
  });

  it('a server', async () => {
    const start = async (): Promise<void> => {
      const fake = await startFakeService();
      onTestFinished(() => fake.close());
    };
    expect(await faultOf(doing(start))).toMatch(/would not end: TCPSERVERWRAP made /);
  });

  it('an event that cannot come', async () => {
    expect(await faultOf(doing(() => new Promise(() => undefined)))).toBe(
      'modelsvc example --flag never ends: it waits, and has no timer, socket or request that could wake it',
    );
  });
});

describe('a command that the next one would notice fails, with the name of', () => {
  const listener = (): void => undefined;
  const own = { umask: process.umask(), exitCode: process.exitCode };

  it.each<[string, () => unknown, RegExp]>([
    ['a listener of the process', () => process.on('SIGTERM', listener), /^.*: listeners of process for SIGTERM: undefined became 1$/],
    ['a listener of a stream', () => process.stdout.on('drain', listener), /^.*: listeners of stdout for drain: \S+ became \d$/],
    ['the working directory', () => process.chdir('/'), /^.*: cwd: .* became \/$/],
    ['a variable', () => (process.env['OWN'] = '1'), /^.*: env\.OWN: undefined became 1$/],
    ['the mask of new files', () => process.umask(0o70), /^.*: umask: \d+ became 70$/],
    ['the exit code of the process', () => (process.exitCode = 3), /^.*: exitCode: undefined became 3$/],
    ['text beside its streams', () => process.stdout.write('stray'), /^.*: it wrote beside its streams: stray$/],
    ['text on the console', () => console.error('stray'), /^.*: it wrote beside its streams: stray\n$/],
  ])('%s', async (_, action, fault) => {
    onTestFinished(() => {
      process.off('SIGTERM', listener);
      process.stdout.off('drain', listener);
      process.umask(own.umask);
      process.exitCode = own.exitCode;
    });
    expect(await faultOf(doing(action))).toMatch(fault);
  });
});
