import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type FakeService, fakeKey, faults, type Reply } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { withFake } from '../support/in-process.ts';
import { program } from '../support/run.ts';

const picture = randomBytes(300_000);

function pictureAt(fake: FakeService, url: string): void {
  fake.answer('images.generate', { body: { created: 1, id: 'image-1', data: [{ url }] } });
}

describe('-O', () => {
  it('saves the bytes of a result under the given name, and prints the path', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    pictureAt(fake, `${storage.host('/a/b.png', { body: picture })}?sign=secret`);
    const folder = await newFolder();
    const path = join(folder, 'cat.png');
    expect(await modelsvc(['images', 'create', 'a', 'cat', '-O', path])).toEqual({ stdout: `${path}\n`, stderr: '', code: 0 });
    expect(sha(await readFile(path))).toBe(sha(picture));
    expect(await readdir(folder)).toEqual(['cat.png']);
    expect(fake.requests[0]?.body).toEqual({ model: 'glm-image', prompt: 'a cat' });
    expect(storage.requests.map(({ target }) => target)).toEqual(['/a/b.png?sign=secret']);
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

  it('sends no key to the host of the result, and follows its redirects', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    storage.host('/second.png', { body: picture });
    pictureAt(fake, storage.host('/first', faults.redirect('/second.png', 302)));
    const folder = await newFolder();
    expect((await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'cat.png')])).code).toBe(0);
    expect(storage.requests.map(({ target }) => target)).toEqual(['/first', '/second.png']);
    expect(JSON.stringify(storage.requests)).not.toContain(fakeKey);
    expect(storage.requests.some(({ headers }) => headers['authorization'] !== undefined)).toBe(false);
  });

  it('a folder takes the name of the link, without a path or leading dots', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const folder = await newFolder();
    await mkdir(join(folder, 'in'));
    pictureAt(fake, storage.host('/x/..%2F..%2F.evil%0A.png', { body: picture }));
    const { stdout, code } = await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'in')]);
    expect(code).toBe(0);
    expect(await readdir(join(folder, 'in'))).toEqual([stdout.trim().slice(folder.length + 4)]);
    expect(await readdir(folder)).toEqual(['in']);
    expect((await readdir(join(folder, 'in')))[0]).toMatch(/^_\.\._\.evil_\.png$/);
  });

  it('with --json prints the reply of the service, and notes the path', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    pictureAt(fake, storage.host('/b.png', { body: picture }));
    const path = join(await newFolder(), 'cat.png');
    const { stdout, stderr } = await modelsvc(['images', 'create', 'cat', '-O', path, '--json']);
    expect(JSON.parse(stdout)).toEqual({ created: 1, id: 'image-1', data: [{ url: `${storage.url}/b.png` }] });
    expect(stderr).toBe(`saved ${path}\n`);
  });

  it('- writes the bytes to a pipe', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    pictureAt(fake, storage.host('/b.png', { body: 'the bytes' }));
    expect(await modelsvc(['images', 'create', 'cat', '-O', '-'], { isProcess: true })).toEqual({ stdout: 'the bytes', stderr: '', code: 0 });
    expect((await modelsvc(['images', 'create', 'cat', '-O', '-', '--json'])).code).toBe(2);
  });

  it('a result inside its link is saved without a request', async () => {
    const { fake, modelsvc } = await withFake();
    pictureAt(fake, `data:image/png;base64,${picture.toString('base64')}`);
    const folder = await newFolder();
    expect((await modelsvc(['images', 'create', 'cat', '-O', folder])).stdout).toBe(`${join(folder, 'image-1.png')}\n`);
    expect(sha(await readFile(join(folder, 'image-1.png')))).toBe(sha(picture));
  });

  it('several results get numbers', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const data = ['/1', '/2'].map((path) => ({ url: storage.host(path, { body: path }) }));
    fake.answer('images.generate', { body: { data } });
    const folder = await newFolder();
    await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'cat.png')]);
    expect(await readFile(join(folder, 'cat.png'), 'utf8')).toBe('/1');
    expect(await readFile(join(folder, 'cat-2.png'), 'utf8')).toBe('/2');
  });
});

describe('an existing file', () => {
  it('is refused before a request is sent, and replaced with --force', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const folder = await newFolder();
    const path = join(folder, 'cat.png');
    await writeFile(path, 'old');
    const refused = await modelsvc(['images', 'create', 'cat', '-O', path]);
    expect(refused).toEqual({
      stdout: '',
      stderr: `modelsvc: -O: ${path} already exists\nPass --force to overwrite it, or another name.\n`,
      code: 2,
    });
    expect(fake.requests).toHaveLength(0);
    pictureAt(fake, storage.host('/b.png', { body: 'new' }));
    expect((await modelsvc(['images', 'create', 'cat', '-O', path, '--force'])).code).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('that appears during the download is kept', async () => {
    const { fake, modelsvc } = await withFake();
    const path = join(await newFolder(), 'cat.png');
    const storage = await storageHost();
    const late = async (): Promise<Reply> => {
      await writeFile(path, 'of another process');
      return { body: 'new' };
    };
    pictureAt(fake, storage.host('/b.png', late));
    expect((await modelsvc(['images', 'create', 'cat', '-O', path])).code).toBe(2);
    expect(await readFile(path, 'utf8')).toBe('of another process');
  });

  it('is replaced behind a symbolic link; the link stays', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const folder = await newFolder();
    await writeFile(join(folder, 'real.png'), 'old');
    await symlink(join(folder, 'real.png'), join(folder, 'link.png'));
    pictureAt(fake, storage.host('/b.png', { body: 'new' }));
    await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'link.png'), '--force']);
    expect(await readlink(join(folder, 'link.png'))).toBe(join(folder, 'real.png'));
    expect(await readFile(join(folder, 'real.png'), 'utf8')).toBe('new');
  });
});

describe('a download that fails', () => {
  it('leaves no file when the connection breaks, and prints the link', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    pictureAt(fake, storage.host('/b.png', { ...faults.lyingLength(1_000_000), reply: { body: picture } }));
    const folder = await newFolder();
    const { stderr, code } = await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'cat.png')]);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      new RegExp(
        `^modelsvc: the download from 127.0.0.1:\\d+ failed: \\w+\nThe result is at ${storage.url}/b.png\nRunning the command again is billed once more.\n$`,
      ),
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves no file at Ctrl-C', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const unfinished = faults.all(faults.lyingLength(1_000_000), faults.silentAfterHeaders(1));
    const url = storage.host('/b.mp4', { ...unfinished, reply: { body: picture } });
    fake.task({ kind: 'video', id: 'job-1', states: ['SUCCESS'], result: { video_result: [{ url }] } });
    const folder = await newFolder();
    const { stderr, code } = await modelsvc(['jobs', 'wait', 'job-1', '-O', join(folder, 'b.mp4')], {
      onStart: async (child) => {
        await expect
          .poll(async () => (await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))))).some(({ size }) => size > 0))
          .toBe(true);
        expect((await readdir(folder))[0]).toMatch(/^b\.mp4\.[0-9a-f]{8}\.part$/);
        child.kill('SIGINT');
      },
    });
    expect(code).toBe(130);
    expect(stderr).toContain(`Resume with: modelsvc jobs wait job-1 -O ${join(folder, 'b.mp4')} --base-url ${fake.url}\n`);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'not a link'])('the link %s is refused', async (url) => {
    const { fake, modelsvc } = await withFake();
    pictureAt(fake, url);
    const folder = await newFolder();
    const { stderr, code } = await modelsvc(['images', 'create', 'cat', '-O', folder]);
    expect(code).toBe(1);
    expect(stderr).toContain('the service returned a link that is not an HTTP URL');
    expect(await readdir(folder)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('leaves no part of a file that the system stops', async () => {
    const { fake } = await withFake();
    const storage = await storageHost();
    pictureAt(fake, storage.host('/b.png', { body: picture }));
    const folder = await newFolder();
    const args = [program, 'images', 'create', 'cat', '-O', join(folder, 'cat.png'), '--base-url', fake.url];
    // A limit of 100 kB for files stops a write in the same way as a full disk.
    const limited = ['-c', 'ulimit -f 200; exec "$0" "$@"', process.execPath, ...args];
    const child = spawn('sh', limited, { cwd: folder, env: { SVC_API_KEY: fakeKey, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = await text(child.stderr);
    expect(stderr).toMatch(
      /^modelsvc: cannot write .+cat\.png: .+\nChoose another place with -O\.\nThe result is at .+\nRunning the command again is billed once more\.\n$/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('a folder that does not exist is found before a request is sent', async () => {
    const { fake, modelsvc } = await withFake();
    const folder = await newFolder();
    const { stderr, code } = await modelsvc(['images', 'create', 'cat', '-O', join(folder, 'no', 'cat.png')]);
    expect(code).toBe(2);
    expect(stderr).toBe(`modelsvc: -O: ${join(folder, 'no')} does not exist\nRun the command with --help for its arguments and options.\n`);
    expect(fake.requests).toHaveLength(0);
  });
});

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
