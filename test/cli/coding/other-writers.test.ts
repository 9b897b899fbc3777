// Other programs that write the same files at the same time.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { hasPty, openPty } from '../support/pty.ts';
import { type CodingHome, codingHome } from './support/home.ts';

/**
 * Counts in a JSON file, as fast as it can or with pauses: reads it, changes its own key, replaces it. Two programs without a common lock can
 * lose the one change that falls between a read and a rename. So the tests look at the end, when each has written once more.
 */
const writer = `
const fs = require('node:fs');
const [file, pause] = [process.argv[2], Number(process.argv[3])];
let count = 0;
const step = () => {
  const value = JSON.parse(fs.readFileSync(file, 'utf8'));
  value.counter = ++count;
  fs.writeFileSync(file + '.other', JSON.stringify(value, null, 2) + '\\n');
  fs.renameSync(file + '.other', file);
  if (count === 1) console.log('ready');
  if (pause < 0) setImmediate(step); else setTimeout(step, pause);
};
step();`;

async function startWriter(
  user: CodingHome,
  file: string,
  pauseMs: number,
): Promise<{ readonly child: ChildProcess; printed(): string; stop(): Promise<void> }> {
  writeFileSync(user.at('writer.cjs'), writer);
  const child = spawn(process.execPath, [user.at('writer.cjs'), file, String(pauseMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (text) => (printed += String(text)));
  await expect.poll(() => printed).toContain('ready');
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await closed;
  };
  return { child, printed: () => printed, stop };
}

describe('a program that rewrites the same file', () => {
  test('now and then: every load and unload succeeds in the end, and both programs find their values', async () => {
    const user = await codingHome({ isProcess: true });
    await user.put('.config/crush/crush.json', '{\n  "mine": true\n}\n');
    const file = user.at('.config/crush/crush.json');
    // Rarer than the time from reading to renaming, also on a busy machine.
    const other = await startWriter(user, file, 400);
    for (let round = 0; round < 5; round++) {
      await repeated(user, ['coding', 'load', 'crush', '--yes', '--no-check']);
      await repeated(user, ['coding', 'unload', 'crush', '--yes']);
    }
    await repeated(user, ['coding', 'load', 'crush', '--yes', '--no-check']);
    await other.stop();
    const value = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    expect(value).toMatchObject({ mine: true, counter: expect.any(Number) });
    // After a lost unload the loaded values are the other program's, which keeps them.
    await user.put('.config/crush/crush.json', JSON.stringify({ mine: true, counter: value['counter'] }));
    await user.ok(['coding', 'load', 'crush', '--yes', '--no-check']);
    await user.ok(['coding', 'unload', 'crush', '--yes']);
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object).sort()).toEqual(['counter', 'mine']);
    expect(await user.record()).toMatchObject({ entries: [] });
  });

  test('all the time: the command succeeds, or fails and leaves the file', async () => {
    const user = await codingHome();
    await user.put('.config/crush/crush.json', '{}\n');
    const other = await startWriter(user, user.at('.config/crush/crush.json'), -1);
    for (let round = 0; round < 4; round++) {
      const { code, stderr } = await user.sh(['coding', 'load', 'crush', '--yes', '--no-check']);
      if (code !== 0) expect(stderr).toContain('crush.json is being written by another program');
    }
    await other.stop();
    const value = JSON.parse(await readFile(user.at('.config/crush/crush.json'), 'utf8')) as Record<string, unknown>;
    expect(value['counter']).toEqual(expect.any(Number));
  });
});

test.runIf(hasPty)('a file that another program changes while the question is open keeps that change', async () => {
  const user = await codingHome();
  await user.put('.config/crush/crush.json', '{ "mine": 1 }\n');
  const terminal = await openPty(['coding', 'load', 'crush', '--no-check'], { env: user.env });
  await terminal.shows('[y/N] ');
  await user.put('.config/crush/crush.json', '{ "theirs": 1 }\n');
  terminal.type('y');
  expect((await terminal.ended).code).toBe(0);
  const value = JSON.parse(await readFile(user.at('.config/crush/crush.json'), 'utf8')) as object;
  expect(Object.keys(value)).toEqual(['theirs', 'providers', 'models']);
  await user.ok(['coding', 'unload', 'crush', '--yes']);
  expect(await readFile(user.at('.config/crush/crush.json'), 'utf8')).toBe('{ "theirs": 1 }\n');
});

/** A command that may find the file being written, until it succeeds. */
async function repeated(user: CodingHome, args: readonly string[]): Promise<void> {
  for (;;) {
    const { code, stderr } = await user.sh(args);
    // The other program may have put back the file that it read before the load.
    if (code === 0 || stderr.includes('is not wired by this')) return;
    expect(stderr).toContain('is being written by another program');
  }
}

describe('the lock of Claude Code', () => {
  // The commands wait for seconds, and need a process for it: they wait at the same time.
  test('that another process holds: load and unload give up, and leave every file', async () => {
    const load = ['coding', 'load', 'claude-code', '--yes', '--no-check'];
    const unload = ['coding', 'unload', 'claude-code', '--yes'];
    const [user, loadedUser] = [await withClaude(), await withClaude()];
    await loadedUser.ok(load);
    const [before, loaded] = [await user.tree(), await loadedUser.tree()];
    const locks = [user, loadedUser].map(({ at }) => held(at('.claude.json.lock')));
    const refused = await Promise.all([user.sh(load, { isProcess: true }), loadedUser.sh(unload, { isProcess: true })]);
    for (const lock of locks) lock.release();
    for (const [at, { code, stdout, stderr }] of refused.entries()) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      const file = [user, loadedUser][at]?.at('.claude.json');
      expect(stderr).toContain(`${file} is being written by another program\nNo file was changed.`);
    }
    expect(await user.tree(), 'settings.json is as it was, too').toEqual(before);
    expect(await user.record()).toMatchObject({ entries: [], made: [] });
    expect(await loadedUser.tree()).toEqual(loaded);
    await user.ok(load);
    for (const one of [user, loadedUser]) {
      await one.ok(unload);
      expect((await one.tree())['.claude.json']).toBe(before['.claude.json']);
    }
  });

  // Also of a process that was killed a moment ago: until its lock is stale, it looks alive.
  test.each([
    ['long ago', 0],
    ['since three seconds', 3],
  ])('of a process that is gone %s is taken over, and is free afterwards', async (_when, seconds) => {
    const user = await codingHome({ isProcess: true });
    await user.put('.claude.json', '{}\n');
    for (const command of ['load', 'unload']) {
      mkdirSync(user.at('.claude.json.lock'));
      const time = seconds === 0 ? 0 : Date.now() / 1000 - seconds;
      utimesSync(user.at('.claude.json.lock'), time, time);
      await user.ok(['coding', command, 'claude-code', '--yes', ...(command === 'load' ? ['--no-check'] : [])]);
      expect(existsSync(user.at('.claude.json.lock'))).toBe(false);
    }
  });
});

async function withClaude(): Promise<CodingHome> {
  const user = await codingHome();
  await user.put('.claude.json', '{}\n');
  await user.put('.claude/settings.json', '{}\n');
  return user;
}

/** A lock whose holder is alive. */
function held(lock: string): { release(): void } {
  mkdirSync(lock);
  const timer = setInterval(() => utimesSync(lock, new Date(), new Date()), 1000);
  onTestFinished(() => clearInterval(timer));
  return {
    release: () => {
      clearInterval(timer);
      rmSync(lock, { recursive: true });
    },
  };
}

test('8 loads of different tools at once are all in the record, and 8 unloads leave none', async () => {
  const user = await codingHome({ isProcess: true });
  const before = await user.tree();
  const ids = wiredTools.slice(0, 8).map(({ id }) => id);
  await Promise.all(ids.map((id) => user.ok(['coding', 'load', id, '--yes', '--no-check'])));
  expect(new Set((await user.record()).entries.map(({ tool }) => tool))).toEqual(new Set(ids));
  const rows = JSON.parse((await user.ok(['coding', 'status', '--json'])).stdout) as { state: string }[];
  expect(rows.every(({ state }) => state === 'set')).toBe(true);
  await Promise.all(ids.map((id) => user.ok(['coding', 'unload', id, '--yes'])));
  expect(await user.tree()).toEqual(before);
  expect(await user.record()).toMatchObject({ entries: [], made: [] });
});
