import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Answer, fakeKey, faults, type Reply } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { ends, prints, type RunOptions, withFake } from '../support/in-process.ts';
import { program } from '../support/run.ts';

const picture = randomBytes(300_000);
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A service whose next picture is at a path of a storage host, and a folder for it. */
async function withPicture(answer: Answer, path = '/b.png', query = '') {
  const [{ fake, modelsvc }, storage, folder] = [await withFake(), await storageHost(), await newFolder()];
  const url = storage.host(path, answer) + query;
  fake.answer('images.generate', { body: { created: 1, id: 'image-1', data: [{ url }] } });
  const create = (out: string, more: readonly string[] = [], options: RunOptions = {}) =>
    modelsvc(['images', 'create', 'cat', '-O', out, ...more], options);
  return { fake, modelsvc, storage, folder, url, create, file: join(folder, 'cat.png') };
}

describe('-O', () => {
  it('saves the bytes of a result under the given name, and prints the path; a host of results gets no key', async () => {
    const { fake, storage, folder, file, create } = await withPicture({ body: picture }, '/a/b.png', '?sign=secret');
    expect(await create(file)).toEqual({ stdout: `${file}\n`, stderr: '', code: 0 });
    expect(sha(await readFile(file))).toBe(sha(picture));
    expect(await readdir(folder)).toEqual(['cat.png']);
    expect(fake.requests[0]?.body).toEqual({ model: 'glm-image', prompt: 'cat' });
    expect(storage.requests.map(({ target }) => target)).toEqual(['/a/b.png?sign=secret']);
    expect(JSON.stringify(storage.requests)).not.toMatch(new RegExp(`authorization|${fakeKey}`));
  });

  it.each([
    ['images create cat -O', '\x89PNG'],
    ['videos create cat --wait --interval 100ms -O', '\0\0\0\x18ftyp'],
  ])('%s saves a file of a fake without a script', async (words, start) => {
    const { modelsvc } = await withFake();
    const path = join(await newFolder(), 'result');
    expect(await modelsvc([...words.split(' '), path])).toMatchObject({ stdout: `${path}\n`, code: 0 });
    expect((await readFile(path)).toString('latin1').startsWith(start)).toBe(true);
  });

  it('follows redirects of the host of the result', async () => {
    const { storage, file, create } = await withPicture(faults.redirect('/second.png', 302), '/first');
    storage.host('/second.png', { body: picture });
    expect((await create(file)).code).toBe(0);
    expect(storage.requests.map(({ target }) => target)).toEqual(['/first', '/second.png']);
    expect(JSON.stringify(storage.requests)).not.toMatch(new RegExp(`authorization|${fakeKey}`));
  });

  it('a folder takes the name of the link, without a path or leading dots', async () => {
    const { folder, create } = await withPicture({ body: picture }, '/x/..%2F..%2F.evil%0A.png');
    const inner = join(folder, 'in');
    await mkdir(inner);
    expect(await create(inner)).toMatchObject({ stdout: `${join(inner, '_.._.evil_.png')}\n`, code: 0 });
    expect([await readdir(folder), await readdir(inner)]).toEqual([['in'], ['_.._.evil_.png']]);
  });

  it('with --json prints the reply of the service, and notes the path', async () => {
    const { file, url, create } = await withPicture({ body: picture });
    const { stdout, stderr } = await create(file, ['--json']);
    expect(JSON.parse(stdout)).toEqual({ created: 1, id: 'image-1', data: [{ url }] });
    expect(stderr).toBe(`saved ${file}\n`);
  });

  it('- writes the bytes to a pipe', async () => {
    const { create } = await withPicture({ body: 'the bytes' });
    expect(await create('-', [], { isProcess: true })).toEqual({ stdout: 'the bytes', stderr: '', code: 0 });
    expect((await create('-', ['--json'])).code).toBe(2);
  });

  it('a result inside its link is saved without a request; several results get numbers', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const folder = await newFolder();
    const create = (out: string) => modelsvc(['images', 'create', 'cat', '-O', out]);
    const inside = { url: `data:image/png;base64,${picture.toString('base64')}` };
    const data = ['/1', '/2'].map((path) => ({ url: storage.host(path, { body: path }) }));
    fake.answer('images.generate', { body: { id: 'image-1', data: [inside] } }, { body: { data } });
    expect((await create(folder)).stdout).toBe(`${join(folder, 'image-1.png')}\n`);
    expect(sha(await readFile(join(folder, 'image-1.png')))).toBe(sha(picture));
    await create(join(folder, 'cat.png'));
    for (const [name, body] of [
      ['cat.png', '/1'],
      ['cat-2.png', '/2'],
    ] as const)
      expect(await readFile(join(folder, name), 'utf8')).toBe(body);
  });
});

describe('an existing file', () => {
  it('is refused before a request is sent, and replaced with --force', async () => {
    const { fake, file, create } = await withPicture({ body: 'new' });
    await writeFile(file, 'old');
    expect(await create(file)).toEqual(prints('', 2, `modelsvc: -O: ${file} already exists\nPass --force to overwrite it, or another name.\n`));
    expect(fake.requests).toHaveLength(0);
    expect((await create(file, ['--force'])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('new');
  });

  it('that appears during the download is kept, and the result is next to it', async () => {
    let file = '';
    const late = async (): Promise<Reply> => {
      await writeFile(file, 'of another process');
      return { body: 'new' };
    };
    const there = await withPicture(late);
    file = there.file;
    const beside = join(there.folder, 'cat-2.png');
    const { stdout, stderr, code } = await there.create(file);
    expect([stdout, stderr, code]).toEqual([`${beside}\n`, expect.stringContaining(`${file} already exists; the result is in ${beside}\n`), 0]);
    expect([await readFile(file, 'utf8'), await readFile(beside, 'utf8')]).toEqual(['of another process', 'new']);
  });

  it('is replaced at the target of a symbolic link; the link stays', async () => {
    const { folder, file, create } = await withPicture({ body: 'new' });
    await writeFile(join(folder, 'real.png'), 'old');
    await symlink(join(folder, 'real.png'), file);
    expect((await create(file, ['--force'])).code).toBe(0);
    expect(await readlink(file)).toBe(join(folder, 'real.png'));
    expect(await readFile(join(folder, 'real.png'), 'utf8')).toBe('new');
  });
});

describe('a download that fails', () => {
  it('leaves no file when the connection breaks, and prints the link', async () => {
    const { folder, file, url, create } = await withPicture({ ...faults.lyingLength(1_000_000), reply: { body: picture } });
    const { stderr, code } = await create(file);
    expect(code).toBe(7);
    const advice = `The result is at ${url}\nRunning the command again is billed once more.\n`;
    expect(stderr).toMatch(new RegExp(`^modelsvc: the download from 127.0.0.1:\\d+ failed: \\w+\n${advice}$`));
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves no file at Ctrl-C', async () => {
    const unfinished = faults.all(faults.lyingLength(1_000_000), faults.silentAfterHeaders(1));
    const { fake, folder, url, modelsvc } = await withPicture({ ...unfinished, reply: { body: picture } }, '/b.mp4');
    fake.task({ kind: 'video', id: 'job-1', states: ['SUCCESS'], result: { video_result: [{ url }] } });
    const sizes = async (): Promise<number[]> => Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
    const ended = await modelsvc(['jobs', 'wait', 'job-1', '-O', join(folder, 'b.mp4')], {
      onStart: async (child) => {
        await expect.poll(async () => (await sizes()).some((size) => size > 0)).toBe(true);
        expect((await readdir(folder))[0]).toMatch(/^b\.mp4\.[0-9a-f]{8}\.part$/);
        child.kill('SIGINT');
      },
    });
    expect(ended).toMatchObject(ends(130, `Resume with: modelsvc jobs wait job-1 -O ${join(folder, 'b.mp4')} --base-url ${fake.url}\n`));
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'not a link'])('the link %s is refused', async (url) => {
    const { fake, modelsvc } = await withFake();
    fake.answer('images.generate', { body: { created: 1, data: [{ url }] } });
    const folder = await newFolder();
    expect(await modelsvc(['images', 'create', 'cat', '-O', folder])).toMatchObject(ends(1, 'the service returned a link that is not an HTTP URL'));
    expect(await readdir(folder)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('leaves no part of a file that the system stops', async () => {
    const { fake, folder, file } = await withPicture({ body: picture });
    const args = [program, 'images', 'create', 'cat', '-O', file, '--base-url', fake.url];
    // A limit of 100 kB for files stops a write in the same way as a full disk.
    const limited = ['-c', 'ulimit -f 200; exec "$0" "$@"', process.execPath, ...args];
    const child = spawn('sh', limited, { cwd: folder, env: { SVC_API_KEY: fakeKey, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
    expect(await text(child.stderr)).toMatch(
      /^modelsvc: cannot write .+cat\.png: .+\nChoose another place with -O\.\nThe result is at .+\nRunning the command again is billed once more\.\n$/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('a folder that does not exist is found before a request is sent', async () => {
    const { fake, folder, create } = await withPicture({ body: picture });
    expect(await create(join(folder, 'no', 'cat.png'))).toMatchObject({
      code: 2,
      stderr: `modelsvc: -O: ${join(folder, 'no')} does not exist\n`,
    });
    expect(fake.requests).toHaveLength(0);
  });
});
