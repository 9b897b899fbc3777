// All files or none: if one file of a tool cannot be written, those before it are as they were.
import { execFile, execFileSync } from 'node:child_process';
import { copyFile, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { FileFormat } from '../../../src/cli/coding/tool.ts';
import { wiredTools } from '../../../src/cli/coding/tools/index.ts';
import { ends, program } from '../support/run.ts';
import { type CodingHome, canMount, codingHome } from './support/home.ts';

const padding = 'x'.repeat(200_000);
const padded: Readonly<Record<FileFormat, string>> = {
  json: `{"pad":"${padding}"}\n`,
  jsonc: `{"pad":"${padding}"}\n`,
  yaml: `pad: ${padding}\n`,
  toml: `# ${'x'.repeat(98)}\n`.repeat(2000),
};

/** For files of a process, in blocks of 512 or 1024 bytes. */
const limit = 'ulimit -f 64';

interface Ended {
  readonly code: number;
  readonly stderr: string;
}

/** Runs a command in a process that cannot write a file of more than some 60 KB, as on a full disk. */
async function limited({ env, at }: CodingHome, args: readonly string[]): Promise<Ended> {
  return promisify(execFile)('sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, program, ...args], { env, cwd: at('project') }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: Ended) => ({ code, stderr }),
  );
}

/** The files that a tool writes with its servers, in their order. */
async function filesOf(args: readonly string[]): Promise<readonly { readonly file: string; readonly format: FileFormat }[]> {
  const user = await codingHome();
  await user.ok(args);
  const formats = new Map((await user.record()).entries.map(({ file, format }) => [file.slice(user.home.length + 1), format]));
  return [...formats].map(([file, format]) => ({ file, format }));
}

const all = wiredTools.map(({ id, mcp }) => ({ id, args: ['coding', 'load', id, ...(mcp ? ['--mcp'] : []), '--yes', '--no-check'] }));

/** Tools with more than one file, with files of servers: one alone cannot leave another changed. */
const tools = ['claude-code', 'codex', 'droid', 'cline', 'goose', 'pi'];

test('the tools with more than one file', async () => {
  const found: string[] = [];
  for (const { id, args } of all) if ((await filesOf(args)).length > 1) found.push(id);
  expect(found).toEqual(tools);
});

describe.each(all.filter(({ id }) => tools.includes(id)))('$id', ({ id, args }) => {
  const back = ['coding', 'unload', id, '--yes'];

  test('a file that cannot take more bytes: load and unload change no file', async () => {
    for (const { file, format } of await filesOf(args)) {
      const user = await codingHome();
      await user.put(file, padded[format]);
      const before = await user.tree();
      const refused = await limited(user, args);
      expect(refused).toMatchObject(ends(1, 'EFBIG'));
      expect((await stat(user.at(file))).size).toBe(padded[format].length);
      expect(await user.tree()).toEqual(before);
      expect(await user.record()).toMatchObject({ entries: [], made: [] });
      await user.ok(args);
      const loaded = await user.tree();
      expect(await limited(user, back)).toMatchObject(ends(1, 'EFBIG'));
      expect(await user.tree()).toEqual(loaded);
      await user.ok(back);
      expect(await user.tree()).toEqual(before);
    }
  });

  test.skipIf(!canMount())('a file that load made, and that is a mount now, stays as an empty one after unload', async () => {
    const files = await filesOf(args);
    for (const { file, format } of files) {
      const user = await codingHome();
      await user.ok(args);
      await copyFile(user.at(file), user.at('outside'));
      const words = [process.execPath, program, ...back].map((word) => `'${word}'`).join(' ');
      const script = `mount --bind '${user.at('outside')}' '${user.at(file)}' && ${words}`;
      execFileSync('unshare', ['-rm', 'sh', '-c', script], { cwd: user.home, env: user.env });
      expect(await readFile(user.at('outside'), 'utf8')).toBe(format.startsWith('json') ? '{}\n' : '');
      for (const other of files) if (other.file !== file) await expect(stat(user.at(other.file))).rejects.toThrow('ENOENT');
      expect(await user.record()).toMatchObject({ entries: [], made: [] });
    }
  });
});

test('a file that cannot be restored is named, and the next unload goes on from there', async () => {
  const user = await codingHome();
  await promisify(execFile)('sh', ['-c', `${limit}; head -c 200000 /dev/zero >'${user.at('full')}'`]).catch(() => undefined);
  const { size } = await stat(user.at('full'));
  const state = '.claude.json';
  // It has the size of the limit before `load`, and a larger one after it.
  await user.put(state, `{"pad":"${'x'.repeat(size - 11)}"}\n`);
  await user.put('.claude/settings.json', padded.json);
  const before = await user.tree();
  await user.ok(['coding', 'load', 'claude-code', '--yes', '--no-check']);
  expect(await limited(user, ['coding', 'unload', 'claude-code', '--yes'])).toMatchObject(
    ends(1, `EFBIG: file too large, write, and ${user.at(state)} could not be restored\n`),
  );
  expect((await user.tree())[state]).toBe(before[state]);
  expect((await user.record()).entries.map(({ file }) => file)).toEqual([user.at('.claude/settings.json')]);
  await user.ok(['coding', 'unload', 'claude-code', '--yes']);
  expect(await user.tree()).toEqual(before);
});
