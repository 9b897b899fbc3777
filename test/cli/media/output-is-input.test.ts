// -O names a file that the command reads: refused before anything is touched.
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { appendFile, link, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { withRows } from '../support/rows.ts';
import { ends, program } from '../support/run.ts';

describe('an output that is an input', () => {
  const ways: readonly (readonly [string, (cwd: string) => Promise<string>])[] = [
    ['the same path', async () => 'rows.txt'],
    ['another spelling', async (cwd) => `../${basename(cwd)}/rows.txt`],
    [
      'a symbolic link',
      async (cwd) => {
        await symlink('rows.txt', join(cwd, 'out.jsonl'));
        return 'out.jsonl';
      },
    ],
    [
      'a hard link',
      async (cwd) => {
        await link(join(cwd, 'rows.txt'), join(cwd, 'out.jsonl'));
        return 'out.jsonl';
      },
    ],
  ];

  it.each(ways)('map refuses %s before anything is touched', async (_, placed) => {
    const { fake, cwd, map } = await withRows(3);
    const out = await placed(cwd);
    const files = await readdir(cwd);
    for (const args of [[], ['--force']]) {
      const { stderr, code } = await map('-O', out, ...args);
      expect({ stderr, code }).toEqual({ stderr: `modelsvc: -O: ${out} is the same file as FILE\nPass another file to -O.\n`, code: 2 });
    }
    expect(await readFile(join(cwd, 'rows.txt'), 'utf8')).toBe('row 0\nrow 1\nrow 2\n');
    expect(await readdir(cwd)).toEqual(files);
    expect(fake.requests).toEqual([]);
  });

  it('results of map as rows, the template, and stdin count too', async () => {
    const { fake, cwd, map, modelsvc } = await withRows(2);
    await map('-O', 'out.jsonl');
    const stored = await readFile(join(cwd, 'out.jsonl'), 'utf8');
    await writeFile(join(cwd, 'template.txt'), 'T {line}');
    const before = fake.requests.length;
    expect(await modelsvc(['map', 'T {output}', 'out.jsonl', '-O', 'out.jsonl'], { cwd })).toMatchObject({ code: 2 });
    expect((await modelsvc(['map', '@template.txt', 'rows.txt', '-O', 'template.txt', '--force'], { cwd })).stderr).toContain(
      'same file as TEMPLATE',
    );
    expect((await modelsvc(['map', '{line}', 'rows.txt', '-s', '@template.txt', '-O', 'template.txt'], { cwd })).stderr).toContain(
      'same file as --system',
    );
    const child = spawn(process.execPath, [program, 'map', '{line}', '-O', 'rows.txt', '--force', '--base-url', fake.url], {
      cwd,
      env: { SVC_API_KEY: fakeKey, HOME: cwd },
      stdio: [openSync(join(cwd, 'rows.txt'), 'r'), 'ignore', 'ignore'],
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(stored);
    expect(await readFile(join(cwd, 'template.txt'), 'utf8')).toBe('T {line}');
    expect(await readFile(join(cwd, 'rows.txt'), 'utf8')).toBe('row 0\nrow 1\n');
    expect(fake.requests).toHaveLength(before);
  });

  it('rows that stdout is appended to are refused: the run would ask its own answers', async () => {
    const { fake, cwd } = await withRows(2);
    await appendFile(join(cwd, 'rows.txt'), 'row 2\n');
    const child = spawn(process.execPath, [program, 'map', '{line}', 'rows.txt', '--base-url', fake.url], {
      cwd,
      env: { SVC_API_KEY: fakeKey, HOME: cwd },
      stdio: ['ignore', openSync(join(cwd, 'rows.txt'), 'a'), 'ignore'],
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
    expect(await readFile(join(cwd, 'rows.txt'), 'utf8')).toBe('row 0\nrow 1\nrow 2\n');
    expect(fake.requests).toEqual([]);
  });

  it.each([
    ['batches run', ['batches', 'run', 'in.txt', '-O', 'in.txt', '--force'], 'FILE'],
    ['parse sync', ['parse', 'sync', 'in.txt', '-O', './in.txt', '--force'], 'FILE'],
    ['ocr layout', ['ocr', 'layout', 'in.txt', '-O', 'in.txt', '--force'], 'FILE|URL'],
    ['audio speak', ['audio', 'speak', '@in.txt', '-O', 'in.txt', '--force'], 'TEXT'],
    ['images create', ['images', 'create', '@in.txt', '-O', 'in.txt', '--force'], 'PROMPT'],
    ['videos create', ['videos', 'create', 'go', '-i', 'a.png', '-i', 'in.txt', '-O', 'in.txt', '--force'], '--image'],
    ['the file of the key', ['images', 'create', 'cat', '--api-key-file', 'in.txt', '-O', 'in.txt', '--force'], '--api-key-file'],
  ])('%s refuses it', async (_, args, place) => {
    const { fake, cwd, modelsvc } = await withRows(1);
    await writeFile(join(cwd, 'in.txt'), fakeKey);
    const { stderr, code } = await modelsvc(args, { cwd });
    expect({ stderr, code }).toMatchObject({ code: 2, stderr: expect.stringMatching(`the same file as ${place.replace('|', '.')}\n`) as string });
    expect(await readFile(join(cwd, 'in.txt'), 'utf8')).toBe(fakeKey);
    expect(fake.requests).toEqual([]);
  });

  it('accounts export refuses the files of the store', async () => {
    const { cwd, modelsvc } = await withRows(1);
    const env = { SVC_CONFIG_DIR: join(cwd, 'store') };
    await modelsvc(['accounts', 'add', 'work', '--no-validate'], { cwd, env, stdin: fakeKey });
    const stored = await readFile(join(cwd, 'store', 'credentials.json'), 'utf8');
    expect(await modelsvc(['accounts', 'export', '--reveal', '-O', 'store/credentials.json', '--force'], { cwd, env })).toMatchObject(
      ends(2, 'the same file as a file of the store'),
    );
    expect(await readFile(join(cwd, 'store', 'credentials.json'), 'utf8')).toBe(stored);
  });
});
