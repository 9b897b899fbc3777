// Files that a rename cannot replace, or would part from their other names: mounts, hard links, folders without permission.
import { execFile, execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { program } from '../support/run.ts';
import { type CodingHome, canMount, codingHome, key } from './support/home.ts';
import { samples } from './support/samples.ts';

const settings = '.config/crush/crush.json';
const [{ text } = { text: '' }] = samples['crush'] ?? [];
const load = ['coding', 'load', 'crush', '--key-mode', 'plain', '--yes', '--no-check'];
const unload = ['coding', 'unload', 'crush', '--yes'];

async function linked(): Promise<CodingHome> {
  const user = await codingHome();
  await user.put('dotfiles/crush.json', text, 0o644);
  await mkdir(user.at('.config/crush'));
  await link(user.at('dotfiles/crush.json'), user.at(settings));
  return user;
}

describe('a file with hard links', () => {
  test('keeps them, its bytes and its mode, and the dry run foretells it', async () => {
    const user = await linked();
    const before = await user.tree();
    const { ino } = await stat(user.at(settings));
    const said = `${user.at(settings)} is written in place: it has 2 hard links, which stay.`;
    expect((await user.ok([...load, '--dry-run'])).stderr).toContain(said);
    expect((await user.sh(load.filter((word) => word !== '--yes'))).stderr).toContain(said);
    expect(await user.tree()).toEqual(before);
    await user.ok(load);
    expect(await readFile(user.at('dotfiles/crush.json'), 'utf8')).toContain(key);
    expect(await stat(user.at('dotfiles/crush.json'))).toMatchObject({ ino, nlink: 2 });
    expect((await stat(user.at(settings))).mode & 0o777).toBe(0o600);
    expect(await user.record()).toMatchObject({ rescues: [] });
    await user.ok(unload);
    expect(await user.tree()).toEqual(before);
    expect(await stat(user.at(settings))).toMatchObject({ ino, nlink: 2 });
  });

  test.each([0, 1, 40, -1])('that a kill cut after %i bytes gets its earlier text back', async (length) => {
    const user = await linked();
    const before = await user.tree();
    await user.ok(load);
    const after = await readFile(user.at(settings), 'utf8');
    const loaded = await user.tree();
    const record = await user.record();
    const cut = async (old: string, next: string): Promise<void> => {
      const data = { version: 1, ...record, entries: record.entries.map((entry) => ({ ...entry, state: 'writing' })) };
      await writeFile(
        user.at('.config/modelsvc/coding.json'),
        JSON.stringify({ ...data, rescues: [{ file: user.at(settings), before: old, after: next }] }),
        { mode: 0o600 },
      );
      await writeFile(user.at(settings), next.slice(0, length));
    };
    await cut(text, after);
    expect((await user.ok([...load, '--dry-run'])).stderr).toContain('was cut by an interrupted write');
    expect((await user.sh(['coding', 'doctor', 'crush'])).stdout).toContain('Run `modelsvc coding load crush` again.');
    await user.ok(load);
    expect(await user.tree()).toEqual(loaded);
    await cut(text, after);
    await user.ok(unload);
    expect((await user.tree())[settings]?.slice(4)).toBe(before[settings]?.slice(4));
    expect(await user.record()).toMatchObject({ entries: [], rescues: [] });
  });
});

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot)('a file in a folder without write permission is written in place', async () => {
  const user = await codingHome();
  await user.put(settings, text);
  await chmod(user.at('.config/crush'), 0o555);
  const before = await user.tree();
  expect((await user.ok([...load, '--dry-run'])).stderr).toContain('is not writable for you');
  await user.ok(load);
  await user.ok(unload);
  expect(await user.tree()).toEqual(before);
  await chmod(user.at('.config/crush'), 0o755);
});

test.skipIf(!canMount())('a file that is mounted, as in a container, is written in place, and the dry run foretells it', async () => {
  const user = await codingHome();
  await user.put('outside.json', text, 0o644);
  await user.put(settings, '');
  const cli = (args: readonly string[]): string => [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const script = `set -e; mount --bind outside.json ${settings}; ${cli([...load, '--dry-run'])} >dry 2>&1; cp outside.json same; ${cli(load)} >out; cp outside.json loaded; ${cli(unload)} >>out`;
  await promisify(execFile)('unshare', ['-rm', 'sh', '-c', script], { cwd: user.home, env: user.env });
  expect(await readFile(user.at('dry'), 'utf8')).toContain(`${user.at(settings)} is written in place: it is a mount of its own.`);
  expect(await readFile(user.at('same'), 'utf8')).toBe(text);
  expect(await readFile(user.at('loaded'), 'utf8')).toContain(key);
  expect(await readFile(user.at('outside.json'), 'utf8')).toBe(text);
});

function attributeOf(file: string): string {
  return execFileSync('python3', ['-c', 'import os,sys; print(os.getxattr(sys.argv[1], "user.note").decode())', file], { encoding: 'utf8' }).trim();
}

function canHaveAttributes(file: string): boolean {
  try {
    execFileSync('python3', ['-c', 'import os,sys; os.setxattr(sys.argv[1], "user.note", b"mine")', file], { stdio: 'ignore' });
    execFileSync('cp', ['-a', file, `${file}.copy`], { stdio: 'ignore' });
    return attributeOf(`${file}.copy`) === 'mine';
  } catch {
    return false;
  }
}

test('extended attributes stay where the system can copy them', async (context) => {
  const user = await codingHome();
  await user.put(settings, text, 0o640);
  if (!canHaveAttributes(user.at(settings))) return context.skip('this system has no attributes, or its cp does not copy them');
  await user.ok(load);
  expect(attributeOf(user.at(settings))).toBe('mine');
  await user.ok(unload);
  expect(attributeOf(user.at(settings))).toBe('mine');
  expect(await readFile(user.at(settings), 'utf8')).toBe(text);
});
