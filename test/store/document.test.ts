import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Form, KeptFile } from '../../src/store/document.ts';
import { withLockSync } from '../../src/store/lock.ts';
import { replaceFileSync } from '../../src/store/replace.ts';
import { bundled } from '../support/child.ts';
import { form, type Items } from './form.ts';
import { newFolder } from './support.ts';

const secret = 'sk-very-secret-0123456789';

async function newDocument(text?: string, more: Partial<Form<Items>> = {}): Promise<KeptFile<Items>> {
  const path = join(await newFolder(), 'state', 'items.json');
  if (text !== undefined) {
    await mkdir(dirname(path), { mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  }
  return new KeptFile(path, { ...form, ...more });
}

const add = (document: KeptFile<Items>): Promise<void> =>
  document.change(undefined, ({ items, ...rest } = { items: [] }) => ({ ...rest, items: [...items, 'added'] }));

async function mode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('a file that cannot be used is named and stays as it is', () => {
  test.each([
    ['', 'is broken: it is empty'],
    [`{"version":1,"items":["${secret}"`, 'is broken: it is not a JSON object'],
    ['[]', 'is broken: it is not a JSON object'],
    ['{}', 'is broken: it has no valid version'],
    ['{"version":"1"}', 'is broken: it has no valid version'],
    ['{"version":0}', 'is broken: it has no valid version'],
    ['{"version":2}', 'is broken: it has no valid items'],
    [`{"version":2,"items":["a",{"b":"${secret}"}]}`, 'is broken: it has no valid items.1'],
    ['{"version":1,"items":[]}', 'was written by an earlier modelsvc (version 1)'],
    ['{"version":3,"items":[]}', 'was written by a newer modelsvc (version 3)'],
    ['{"version":3,"items":{}}', 'was written by a newer modelsvc (version 3)'],
    ['{"version":2,"items":["a\0"]}', 'is not UTF-8 text'],
  ])('%j', async (text, problem) => {
    const document = await newDocument(text, { version: 2 });
    for (const use of [() => document.find(), () => document.draft(), () => add(document)]) {
      const error = await use().catch((reason: Error) => reason);
      expect(error).toMatchObject({ message: `${document.path} ${problem}`, next: expect.any(String) as string });
      expect(JSON.stringify(error) + String(error)).not.toContain(secret);
    }
    expect(await readFile(document.path, 'utf8')).toBe(text);
  });

  test('a newer one can be read where its form allows that, and is never written', async () => {
    const text = '{"version":2,"items":["a"],"mood":"good"}';
    const document = await newDocument(text, { readsNewer: true });
    expect(await document.find()).toMatchObject({ value: { items: ['a'], mood: 'good' }, isNewer: true });
    await expect(add(document)).rejects.toThrow(`${document.path} was written by a newer modelsvc (version 2)`);
    expect(await readFile(document.path, 'utf8')).toBe(text);
  });

  test('a folder, a named pipe, a file for other users, and a place in a file', async () => {
    const folder = await newDocument();
    await mkdir(folder.path, { recursive: true, mode: 0o700 });
    await expect(add(folder)).rejects.toThrow(`${folder.path} is a directory`);
    const pipe = await newDocument('');
    execFileSync('sh', ['-c', 'rm "$1"; mkfifo "$1"', 'sh', pipe.path]);
    await expect(pipe.find()).rejects.toThrow(`${pipe.path} is not a regular file`);
    const open = await newDocument('{"version":1,"items":[]}');
    await chmod(open.path, 0o640);
    for (const use of [() => open.find(), () => add(open)])
      await expect(use()).rejects.toMatchObject({
        message: `${open.path} is open to other users (mode 640)`,
        next: `Run \`chmod 600 ${open.path}\`.`,
      });
    expect(await new KeptFile(open.path, { ...form, isPrivate: false }).find()).toBeDefined();
    await chmod(dirname(open.path), 0o770);
    await expect(add(open)).rejects.toMatchObject({ next: `Run \`chmod 700 ${dirname(open.path)}\`.` });
    const inFile = await newDocument('');
    const below = new KeptFile(join(inFile.path, 'items.json'), form);
    await expect(below.find()).rejects.toThrow('cannot read the store');
    await expect(add(below)).rejects.toThrow('cannot write the store');
  });

  test.skipIf(process.getuid?.() === 0)('a file without permission', async () => {
    const document = await newDocument('{"version":1,"items":[]}');
    await chmod(document.path, 0o000);
    await expect(document.find()).rejects.toThrow(`no permission for ${document.path}`);
  });
});

describe('a change', () => {
  test('keeps fields that this version does not know, and leaves a file that it need not change', async () => {
    const document = await newDocument('\uFEFF{"version":1,"items":[],"theme":{"dark":true}}');
    await document.change(undefined, () => undefined);
    expect(await readFile(document.path, 'utf8')).toMatch(/^\uFEFF/);
    await add(document);
    expect(JSON.parse(await readFile(document.path, 'utf8'))).toEqual({ version: 1, items: ['added'], theme: { dark: true } });
  });

  test('follows links: their targets are replaced', async () => {
    const document = await newDocument('');
    const [place, target] = [dirname(document.path), join(dirname(document.path), '..', 'dotfiles')];
    await mkdir(target, { mode: 0o700 });
    execFileSync('rm', [document.path]);
    await symlink('../dotfiles/mine.json', document.path);
    for (let at = 0; at < 2; at++) await add(document);
    expect(await readlink(document.path)).toBe('../dotfiles/mine.json');
    expect([await readdir(target), await readdir(place)]).toEqual([['mine.json'], ['items.json']]);
    expect((await document.find())?.value.items).toHaveLength(2);
  });

  test('whose lock another process has taken over meanwhile writes no byte', async () => {
    const text = '{"version":1,"items":[]}';
    const document = await newDocument(text);
    const change = document.hold(undefined, async (_, save) => {
      await rm(`${document.path}.lock`, { recursive: true });
      await save({ items: ['late'] });
    });
    await expect(change).rejects.toThrow('another process took over the lock items.json.lock');
    const sync = (): void =>
      withLockSync(`${document.path}.lock`, (check) => {
        rmSync(`${document.path}.lock`, { recursive: true });
        replaceFileSync(document.path, 'late', check);
      });
    expect(sync).toThrow('another process took over the lock items.json.lock');
    expect(await readFile(document.path, 'utf8')).toBe(text);
    expect(await readdir(dirname(document.path))).toEqual(['items.json']);
  });

  const writer = (path: string, shell: string, count: number): ReturnType<typeof spawnSync> =>
    spawnSync('sh', [
      '-c',
      shell,
      'sh',
      process.execPath,
      bundled(`import '${new URL('writer.ts', import.meta.url)}';`),
      path,
      'document',
      'a',
      String(count),
    ]);

  test('makes a file with mode 0600 in a folder with mode 0700, whatever the umask', async () => {
    const { path } = await newDocument();
    expect(writer(path, 'umask 000; exec "$@"', 1).status).toBe(0);
    expect([await mode(dirname(path)), await mode(path)]).toEqual(['700', '600']);
  });

  // A limit on the size of files fails in the middle of a write, as a full disk does.
  test('on a full disk leaves the old text, and no temporary file', async () => {
    const document = await newDocument();
    const { status, stderr } = writer(document.path, 'ulimit -f 8; exec "$@"', 20);
    expect({ status, stderr: String(stderr) }).toEqual({
      status: 1,
      stderr: expect.stringContaining('cannot write the store: no space for') as string,
    });
    expect((await document.find())?.value.items.length).toBeGreaterThan(0);
    expect(await readdir(dirname(document.path))).toEqual(['items.json']);
  });
});
