// A key in plain text in a file of a tool: only its owner can read the file, until the key is taken back.
import { chmod, mkdir, rename, stat, symlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { type CodingHome, codingHome, filesWith, key } from './support/home.ts';
import { samples } from './support/samples.ts';

const modeOf = async ({ at }: CodingHome, file: string): Promise<string> => ((await stat(at(file))).mode & 0o777).toString(8);

/** All files with the key are private, and there is one. */
async function expectPrivate(user: CodingHome): Promise<void> {
  const tree = await user.tree();
  const files = filesWith(tree, key);
  expect(files).not.toEqual([]);
  for (const file of files) expect(tree[file], file).toMatch(/^600 /);
}

const ways = wiredTools.flatMap(({ id, keyModes, mcpKeyModes = [] }) => [
  ...(keyModes.includes('plain') ? [['load', id, '--key-mode', 'plain', '--no-check']] : []),
  ...(mcpKeyModes.includes('plain') ? [['mcp', 'add', id, '--key-mode', 'plain']] : []),
]);

test.each(ways.map((args) => [args.filter((word) => !word.startsWith('--')).join(' '), args] as const))(
  'coding %s: the files with the key are private, and unload gives their modes back',
  async (_, args) => {
    const id = args.find((word) => wiredTools.some((tool) => tool.id === word)) as string;
    const user = await codingHome();
    for (const [at, { file, text }] of (samples[id] ?? []).entries()) {
      // Every second file is at the end of a link.
      if (at % 2 === 0) {
        await user.put(file, text, 0o664);
        continue;
      }
      await user.put(`dotfiles/${basename(file)}`, text, 0o644);
      await mkdir(dirname(user.at(file)), { recursive: true });
      await symlink(user.at('dotfiles', basename(file)), user.at(file));
    }
    const before = await user.tree();
    // Named before the changes and the question.
    const { stderr } = await user.sh(['coding', ...args]);
    expect(stderr).toMatch(/^modelsvc: the key is in plain text in \S+, which only you can read; `modelsvc coding [\s\S]*\n\+\+\+ /m);
    expect((await user.ok(['coding', ...args, '--dry-run'])).stderr).toContain('the key is in plain text in ');
    expect(await user.tree()).toEqual(before);
    await user.ok(['coding', ...args, '--yes']);
    await expectPrivate(user);
    const loaded = await user.tree();
    for (const [path, bytes] of Object.entries(before))
      if (!loaded[path]?.includes(key)) expect(loaded[path]?.slice(0, 3), `${path} keeps its mode`).toBe(bytes.slice(0, 3));
    expect((await user.ok(['coding', 'doctor', id])).stdout).not.toContain('other users');
    await user.ok(['coding', 'unload', id, '--yes']);
    expect(await user.tree()).toEqual(before);
    expect(await user.record()).toMatchObject({ entries: [], made: [], narrowed: [] });
  },
);

const settings = '.config/crush/crush.json';
const plain = ['coding', 'load', 'crush', '--key-mode', 'plain', '--yes', '--no-check'];

async function withSettings(mode: number): Promise<CodingHome> {
  const user = await codingHome();
  await user.put(settings, '{"$schema":"x"}', mode);
  return user;
}

describe('the mode of a file with a key', () => {
  test('a mode that the user sets in between stays at unload, and the next load narrows it', async () => {
    const user = await withSettings(0o644);
    await user.ok(plain);
    await chmod(user.at(settings), 0o640);
    await user.ok(['coding', 'unload', 'crush', '--yes']);
    expect(await modeOf(user, settings)).toBe('640');
    await user.ok(plain);
    await chmod(user.at(settings), 0o660);
    await user.ok(plain);
    expect(await modeOf(user, settings), 'a load that changes no byte').toBe('600');
    await user.ok(['coding', 'unload', 'crush', '--yes']);
    expect(await modeOf(user, settings)).toBe('660');
  });

  test('it is the earlier mode as soon as no value has the key', async () => {
    const user = await withSettings(0o644);
    await user.ok(plain);
    await user.ok(['coding', 'mcp', 'add', 'crush', '--key-mode', 'plain', '--yes']);
    await user.ok(['coding', 'load', 'crush', '--yes', '--no-check']);
    expect(await modeOf(user, settings), 'the servers have the key').toBe('600');
    await user.ok(['coding', 'mcp', 'remove', 'crush', '--yes']);
    expect(await modeOf(user, settings)).toBe('644');
    expect(filesWith(await user.tree(), key)).toEqual([]);
  });

  test('a private file stays private', async () => {
    const user = await withSettings(0o600);
    await user.ok(plain);
    await user.ok(['coding', 'unload', 'crush', '--yes']);
    expect(await modeOf(user, settings)).toBe('600');
  });

  test('a value with the key that was changed and is left keeps the file private', async () => {
    const user = await withSettings(0o644);
    await user.ok(plain);
    const text = (await user.tree())[settings]?.slice(4) ?? '';
    await user.put(settings, text.replace(key, `${key}x`), 0o600);
    await user.ok(['coding', 'unload', 'crush', '--yes']);
    expect(await modeOf(user, settings)).toBe('600');
    await user.ok(['coding', 'unload', 'crush', '--yes', '--forget']);
    expect(await modeOf(user, settings)).toBe('600');
    expect(await user.record()).toMatchObject({ entries: [], narrowed: [] });
  });

  test('status and doctor name a file with a key that others can read', async () => {
    const user = await withSettings(0o644);
    await user.ok(plain);
    // A tool that writes its settings again.
    await user.put('new.json', ((await user.tree())[settings] ?? '').slice(4), 0o644);
    await rename(user.at('new.json'), user.at(settings));
    const text = `other users can read the key in ${user.at(settings)} (mode 644)`;
    expect((await user.ok(['coding', 'status'])).stderr).toContain(text);
    const { code, stdout } = await user.sh(['coding', 'doctor', 'crush']);
    expect(code).toBe(1);
    expect(stdout).toContain(text);
    expect(stdout).toContain(`chmod 600 ${user.at(settings)}`);
  });

  test('a load that fails at a later file leaves modes and bytes as they were', async () => {
    const user = await codingHome();
    // A file that is not written: its lock would have a name that is too long.
    const long = 'x'.repeat(252);
    const block = async (): Promise<void> => {
      await rename(user.at('.claude.json'), user.at(long));
      await symlink(long, user.at('.claude.json'));
    };
    const unblock = (): Promise<void> => rename(user.at(long), user.at('.claude.json'));
    await user.put('.claude.json', '{}\n');
    await user.put('.claude/settings.json', '{}\n');
    await block();
    const load = ['coding', 'load', 'claude-code', '--key-mode', 'plain', '--yes', '--no-check'];
    const before = await user.tree();
    expect((await user.sh(load)).code).toBe(1);
    expect(await user.tree()).toEqual(before);
    expect(await user.record()).toMatchObject({ entries: [], narrowed: [] });
    await unblock();
    await user.ok(load);
    await chmod(user.at('.claude/settings.json'), 0o644);
    await block();
    const open = await user.tree();
    expect((await user.sh(load)).code).toBe(1);
    expect(await user.tree(), 'where only the mode changes').toEqual(open);
  });
});
