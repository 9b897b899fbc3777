// kill -9 while files are written: each file is the old one or the meant one, and `unload` gives the bytes of before.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, utimesSync, watch } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { start } from '../support/run.ts';
import { type CodingHome, codingHome, filesWith, key, type Tree } from './support/home.ts';

/** Kills a case. Each stops the command at another random change of the folders. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);
/** Events of the watched folders that one command makes, roughly. */
const events = 30;

const seen = { whole: 0, old: 0, between: 0, leftovers: 0 };
afterAll(() => console.log(`kill -9 of coding load and unload: ${JSON.stringify(seen)}`));

interface Case {
  readonly name: string;
  readonly load: readonly string[];
  readonly tool: string;
  readonly hasFiles: boolean;
}

const cases: readonly Case[] = [
  { name: 'Claude Code with settings', tool: 'claude-code', load: ['--key-mode', 'plain', '--mcp'], hasFiles: true },
  { name: 'Goose without settings', tool: 'goose', load: ['--mcp'], hasFiles: false },
  { name: 'Pi without settings', tool: 'pi', load: ['--key-mode', 'plain'], hasFiles: false },
];

describe.each(cases)('$name', ({ tool, load, hasFiles }) => {
  test('load, and load again after the kill', async () => {
    const { user, before, args, meant } = await prepared(tool, load, hasFiles);
    for (let round = 0; round < rounds; round++) {
      await killed(user, args);
      await expectOldOrMeant(user, before, meant);
      if (round % 3 === 0) {
        await user.ok(args);
        expect(await user.tree()).toEqual(meant);
      }
      await expectRestored(user, tool, before);
    }
  });

  test('load over an earlier one, while its files are written', async () => {
    const { user, before, args } = await prepared(tool, load, hasFiles);
    const record = user.at('.config/modelsvc/coding.json');
    for (let round = 0; round < rounds; round++) {
      await user.ok([...args, '-m', 'glm-0']);
      await killed(user, args, () => existsSync(record) && readFileSync(record, 'utf8').includes('"writing"'));
      await expectRestored(user, tool, before);
    }
  });

  test('unload', async () => {
    const { user, before, args, meant } = await prepared(tool, load, hasFiles);
    for (let round = 0; round < rounds; round++) {
      await user.ok(args);
      expect(await user.tree()).toEqual(meant);
      await killed(user, ['coding', 'unload', tool, '--yes']);
      await expectOldOrMeant(user, before, meant);
      await expectRestored(user, tool, before);
    }
  });
});

async function prepared(
  tool: string,
  load: readonly string[],
  hasFiles: boolean,
): Promise<{ readonly user: CodingHome; readonly before: Tree; readonly args: readonly string[]; readonly meant: Tree }> {
  const user = await codingHome({ settings: hasFiles ? tool : '' });
  const before = await user.tree();
  const args = ['coding', 'load', tool, '--yes', '--no-check', ...load];
  await user.ok(args);
  const meant = await user.tree();
  await user.ok(['coding', 'unload', tool, '--yes']);
  return { user, before, args, meant };
}

/** Runs a command that is killed at a change of the folders: after a random number of them, or as soon as it is time. It may end before that. */
async function killed({ at, env }: CodingHome, args: readonly string[], isTime?: () => boolean): Promise<void> {
  let left = 1 + Math.floor(Math.random() * events);
  const { child, ended } = start(args, { env, cwd: at('project') });
  const watchers = ['', '.config', '.config/modelsvc', '.claude', '.config/goose', '.pi/agent']
    .map((name) => at(name))
    .filter((folder) => existsSync(folder))
    .map((folder) =>
      watch(folder, () => {
        left--;
        if (isTime?.() ?? left === 0) child.kill('SIGKILL');
      }),
    );
  await ended;
  for (const one of watchers) one.close();
  // The tool's own lock is stale after ten seconds; they are over now.
  const lock = at('.claude.json.lock');
  if (existsSync(lock)) utimesSync(lock, 0, 0);
  // So are the own lock's, if the kill came before it had an owner. `accounts/writers.test.ts` proves that they are waited for.
  const own = at('.config/modelsvc/coding.json.lock');
  if (existsSync(own) && readdirSync(own).length === 0) rmdirSync(own);
}

async function expectOldOrMeant(user: CodingHome, before: Tree, meant: Tree): Promise<void> {
  const now = await user.tree();
  const isLeftover = (path: string): boolean => /\.[0-9a-f]{12}\.tmp$|\.lock\/$/.test(path);
  for (const [path, bytes] of Object.entries(now)) {
    if (isLeftover(path)) seen.leftovers++;
    else expect([before[path], meant[path]], path).toContain(bytes);
  }
  for (const path of filesWith(now, key)) expect(now[path], `${path} has the key`).toMatch(/^600 /);
  for (const path of Object.keys(before)) expect(now, 'no file is lost').toHaveProperty([path]);
  const files = Object.keys(now).filter((path) => !isLeftover(path));
  if (files.every((path) => now[path] === before[path])) seen.old++;
  else if (Object.keys(meant).every((path) => now[path] === meant[path])) seen.whole++;
  else seen.between++;
}

async function expectRestored(user: CodingHome, tool: string, before: Tree): Promise<void> {
  const status = await user.ok(['coding', 'status', '--json']);
  // A command that was killed before it wrote has left no record.
  const isRecorded = (JSON.parse(status.stdout) as unknown[]).length > 0;
  if (isRecorded) await user.ok(['coding', 'unload', tool, '--yes']);
  // A process that was killed between its lock and its record leaves the lock, which the next writer takes over.
  rmSync(user.at('.claude.json.lock'), { recursive: true, force: true });
  expect(await user.tree()).toEqual(before);
  expect(filesWith(await user.tree(), key)).toEqual([]);
  if (isRecorded) expect(await user.record()).toMatchObject({ entries: [], made: [] });
}
