// Results as files: the places on disk, and what a result has. download-links.test.ts has the network.
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkPlace, type Downloadable, download } from '../../src/node/index.ts';
import { isModelsvcError, speechBytes } from '../../src/overlay/index.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { JsdomFile } from '../support/jsdom-blob.ts';
import { newFolder, storageHost } from '../support/storage.ts';

const wav = { 'content-type': 'audio/wav' };
const speech = { model: 'glm-tts', input: 'Hello', voice: 'tongtong', response_format: 'wav' };

describe('the place', () => {
  it('is a path or a file URL, and the path, the size and the media type of the file are returned', async () => {
    const { fake, client } = await openFake();
    fake.answer('audio.speech', { body: 'RIFF and more', headers: wav });
    const path = join(await newFolder(), 'hello.wav');
    const files = await download(await client.audio().speech(undefined, speech), pathToFileURL(path));
    expect(files).toEqual([{ path, bytes: 13, contentType: 'audio/wav' }]);
    expect(await readFile(path, 'utf8')).toBe('RIFF and more');
  });

  it('a file that exists is kept, and the reply can still be written elsewhere', async () => {
    const { fake, client } = await openFake();
    fake.answer('audio.speech', { body: 'RIFF', headers: wav });
    const folder = await newFolder();
    const path = join(folder, 'hello.wav');
    await writeFile(path, 'old');
    const reply = await client.audio().speech(undefined, speech);
    expect(await failure(download(reply, path))).toMatchObject({
      code: 'EEXIST',
      path,
      message: `download: ${path} exists already. Pass overwrite: true to replace it, or another path`,
    });
    expect(await readFile(path, 'utf8')).toBe('old');
    await download(reply, path, { overwrite: true });
    expect(await readFile(path, 'utf8')).toBe('RIFF');
    expect(await readdir(folder)).toEqual(['hello.wav']);
  });

  it('a symbolic link stays; the file that it points to is replaced', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'real'), 'old');
    await symlink(join(folder, 'real'), join(folder, 'link'));
    await download(Buffer.from('new'), join(folder, 'link'), { overwrite: true });
    expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, 'real'), 'utf8')).toBe('new');
  });

  it('a file that appears during the download is kept', async () => {
    const folder = await newFolder();
    const path = join(folder, 'a');
    async function* blocks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('new');
      await writeFile(path, 'of another process');
    }
    expect(await failure(download(blocks(), path))).toMatchObject({ code: 'EEXIST', path });
    expect(await readFile(path, 'utf8')).toBe('of another process');
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('two downloads to one file do not meet: each is complete, and without overwrite one is refused', async () => {
    const folder = await newFolder();
    const bytes = (letter: string): Buffer => Buffer.alloc(300_000, letter);
    const race = (name: string, overwrite: boolean): Promise<PromiseSettledResult<unknown>[]> =>
      Promise.allSettled(['a', 'b'].map((letter) => download(bytes(letter), join(folder, name), { overwrite })));
    expect((await race('one', false)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await race('two', true)).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    for (const name of ['one', 'two']) expect([bytes('a'), bytes('b')]).toContainEqual(await readFile(join(folder, name)));
    expect(await readdir(folder)).toEqual(['one', 'two']);
  });

  it.each([
    ['no/a.png', 'ENOENT', 'no'],
    ['file/a.png', 'ENOTDIR', 'file/a.png'],
  ])('%s is refused before a request is sent', async (name, code, named) => {
    const { fake, client } = await openFake();
    const folder = await newFolder();
    await writeFile(join(folder, 'file'), '');
    const error = await failure(download('http://127.0.0.1/a.png', join(folder, name), { client }));
    expect(error).toMatchObject({
      code,
      path: join(folder, named),
      kind: 'validation',
      operation: 'download',
      message: expect.stringContaining(`download: ${join(folder, named)} cannot be written: ${code}`),
    });
    expect(await failure(checkPlace(join(folder, name)))).toMatchObject({
      code,
      message: expect.stringMatching(/^checkPlace: .* cannot be written: /),
    });
    expect(fake.requests).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('a folder that cannot be written is refused, and leaves a reply readable', async () => {
    // Root may write to any folder but the kernel's.
    const folder = process.getuid?.() === 0 ? '/proc' : join(await newFolder(), 'locked');
    if (folder !== '/proc') await mkdir(folder).then(() => chmod(folder, 0o555));
    const { fake, client } = await openFake();
    fake.answer('audio.speech', { body: 'RIFF', headers: wav });
    const reply = await client.audio().speech(undefined, speech);
    expect(await failure(download(reply, join(folder, 'a.wav')))).toMatchObject({
      code: expect.stringMatching(/^E/),
      path: expect.stringContaining(folder),
    });
    expect(Buffer.from(await reply.bytes()).toString()).toBe('RIFF');
  });

  it.skipIf(!existsSync('/dev/full'))('a full disk is one error with its code and the path', async () => {
    const error = await failure(download(Buffer.from('bytes'), '/dev/full'));
    expect(error).toMatchObject({
      code: 'ENOSPC',
      path: '/dev/full',
      message: expect.stringContaining('download: /dev/full cannot be written: ENOSPC'),
    });
  });

  it('a folder takes the name of the link, without a path or leading dots, and without replacing a file', async () => {
    const { client } = await openFake();
    const storage = await storageHost();
    const folder = await newFolder();
    const link = storage.host('/x/..%2F..%2F.evil%0A.png', { body: 'png' });
    const [file] = await download(link, folder, { client });
    expect(file?.path).toBe(join(folder, '_.._.evil_.png'));
    expect(await readdir(folder)).toEqual(['_.._.evil_.png']);
    expect(await failure(download(link, folder, { client }))).toMatchObject({ code: 'EEXIST', path: file?.path });
  });

  it('a folder takes a name from the options and the media type where there is none', async () => {
    const folder = await newFolder();
    const { fake, client } = await openFake();
    fake.fallback('audio.speech', { body: 'RIFF', headers: wav });
    await download(await client.audio().speech(undefined, speech), folder);
    await download(await client.audio().speech(undefined, speech), folder, { name: '../hello' });
    await download(Buffer.from('x'), folder, { name: 'a.txt' });
    expect(await readdir(folder)).toEqual(['_hello.wav', 'a.txt', 'result.wav']);
    await mkdir(join(folder, 'sub'));
    expect(await failure(download(Buffer.from('x'), folder, { name: 'sub', overwrite: true }))).toMatchObject({ path: 'path' });
  });
});

describe('the result', () => {
  const places: Readonly<Record<string, (link: (name: string) => string) => Downloadable>> = {
    'an image': (link) => ({ data: [{ url: link('a') }] }),
    'an entry of an image': (link) => ({ url: link('a') }),
    'a job for images': (link) => ({ task_status: 'SUCCESS', image_result: [{ url: link('a') }, { url: link('b') }] }),
    'a job for a video': (link) => ({ task_status: 'SUCCESS', video_result: [{ url: link('a'), cover_image_url: link('cover') }] }),
    'a document': (link) => ({ status: 'succeeded', parsing_result_url: link('a'), content: null }),
    'a layout': (link) => ({ id: '1', created: 1, model: 'GLM-OCR', layout_visualization: [link('a'), link('b')] }),
    'a voice': (link) => ({ voice: 'v', voice_name: 'v', download_url: link('a') }),
    'an agent': (link) => ({
      agent_id: 'a',
      choices: [
        { index: 0, messages: [{ role: 'assistant', content: { type: 'file_url', file_url: link('a') } }] },
        {
          index: 1,
          messages: [
            {
              role: 'assistant',
              content: [
                { type: 'text', text: 'x' },
                { type: 'video_url', video_url: link('b') },
              ],
            },
          ],
        },
      ],
    }),
    'a link': (link) => link('a'),
    'a URL': (link) => new URL(link('a')),
  };

  it.each(Object.entries(places))('%s: each of its links becomes a file, in order', async (_name, resultOf) => {
    const { client } = await openFake();
    const storage = await storageHost();
    const names: string[] = [];
    const result = resultOf((name) => {
      names.push(name);
      return storage.host(`/${name}`, { body: name });
    });
    const path = join(await newFolder(), 'file.bin');
    const files = await download(result, path, { client });
    const wanted = names.filter((name) => name !== 'cover');
    expect(files.map((file) => file.path)).toEqual(wanted.map((_, index) => (index === 0 ? path : path.replace('.bin', '-2.bin'))));
    expect(await Promise.all(files.map((file) => readFile(file.path, 'utf8')))).toEqual(wanted);
  });

  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
  const inline: Readonly<Record<string, Downloadable>> = {
    'a data URL with base64': `data:image/png;base64,${png.toString('base64')}`,
    'an image with a data URL': { data: [{ url: `data:image/png;charset=x;base64,${png.toString('base64')}` }] },
    'an image in base64': { data: [{ b64_json: png.toString('base64') } as never] },
    'a data URL with text': 'data:,%C2%89PNG',
    'a spoken answer': { choices: [{ index: 0, message: { role: 'assistant', audio: { id: '1', data: png.toString('base64') } } }] } as never,
    bytes: png,
    'a Blob': new Blob([png]),
    'a File of jsdom': new JsdomFile(png) as unknown as Blob,
    'a stream': new Blob([png]).stream(),
  };

  it.each(Object.entries(inline))('%s is written without a request', async (name, result) => {
    const path = join(await newFolder(), 'a.png');
    const [file] = await download(result, path);
    expect(await readFile(path)).toEqual(name === 'a data URL with text' ? Buffer.from('\u0089PNG') : png);
    expect(file?.bytes).toBe((await readFile(path)).length);
  });

  it('a stream of speech is written with speechBytes, and refused without it', async () => {
    const { fake, client } = await openFake();
    const chunks = [{ delta: { content: 'UklG' } }, { delta: { content: 'Rg==' }, finish_reason: 'stop' }].map((choice) => ({ choices: [choice] }));
    fake.fallback('audio.speech', { frames: chunks } as never);
    const folder = await newFolder();
    const { response_format: _, ...request } = speech;
    const stream = (): AsyncIterable<never> => client.audio().speechStream(undefined, request) as never;
    await download(speechBytes(stream()), join(folder, 'a.pcm'));
    expect(await readFile(join(folder, 'a.pcm'), 'utf8')).toBe('RIFF');
    const error = await failure(download(stream(), join(folder, 'b.pcm')));
    expect(isModelsvcError(error, 'validation') && error.message).toBe(
      'download: result has items that are not bytes: pass speechBytes(stream) for a stream of speech',
    );
    expect(await readdir(folder)).toEqual(['a.pcm']);
  });

  it.each<[string, unknown, string]>([
    ['a job that runs', { task_status: 'PROCESSING', id: '1' }, 'download: result has no file: its status is PROCESSING. Wait for the job first'],
    ['a job that failed', { task_status: 'FAIL' }, 'download: result has no file: its status is FAIL'],
    ['an empty image', { data: [] }, 'download: result has no file'],
    ['a Promise', Promise.resolve({}), 'download: result is a Promise: await it'],
    ['undefined', undefined, 'download: result must be a result of the client, a link, or bytes'],
    ['broken base64', 'data:image/png;base64,§§', 'download: result contains base64 that cannot be decoded'],
    ['a broken data URL', 'data:,%zz', 'download: result contains a data URL that cannot be decoded'],
    [
      'a stored result',
      { data: [{ url: 'http://127.0.0.1/a?sign=secret' }] },
      'download: options.client is missing: only a result of a call has a client of its own',
    ],
  ])('%s is a ValidationError, and no file is made', async (_name, result, message) => {
    const folder = await newFolder();
    const error = await failure(download(result as Downloadable, join(folder, 'a')));
    expect(isModelsvcError(error, 'validation') && error.message).toBe(message);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('an option', () => {
  it.each<[unknown, unknown, string]>([
    ['', {}, 'download: path must be the path of a file or a folder'],
    [new URL('http://127.0.0.1/'), {}, 'download: path must be the path of a file or a folder'],
    ['a', { overWrite: true }, 'download: options.overWrite is unknown; did you mean overwrite?'],
    ['a', { overwrite: 'yes' }, 'download: options.overwrite must be true or false'],
    ['a', { maxBytes: -1 }, 'download: options.maxBytes must be an integer of at least 0; 0 disables the limit'],
    ['a', { signal: {} }, 'download: options.signal must be an AbortSignal'],
    ['a', { client: {} }, 'download: options.client must be a client of newClient'],
    ['a', { onProgress: 5 }, 'download: options.onProgress must be a function'],
  ])('%j with %j is refused', async (path, options, message) => {
    const error = await failure(download(Buffer.from('x'), path as string, options as never));
    expect(isModelsvcError(error, 'validation') && error.message).toBe(message);
  });

  it('of checkPlace that is unknown is refused', async () => {
    expect(await failure(checkPlace('a', { force: true } as never))).toMatchObject({
      message: 'checkPlace: options.force is unknown; use one of overwrite',
    });
    expect(await failure(checkPlace('' as never))).toMatchObject({ message: 'checkPlace: path must be the path of a file or a folder' });
  });

  it('maxBytes limits bytes of unknown and of known size', async () => {
    const folder = await newFolder();
    for (const result of [Buffer.alloc(101), new Blob([Buffer.alloc(60), Buffer.alloc(60)]).stream()]) {
      const error = await failure(download(result, join(folder, 'a'), { maxBytes: 100 }));
      expect(isModelsvcError(error, 'stream') && [error.problem, error.message]).toEqual([
        'too-large',
        'download: the file has more than 100 bytes; raise maxBytes',
      ]);
    }
    await download(Buffer.alloc(101), join(folder, 'b'), { maxBytes: 0 });
    expect(await readdir(folder)).toEqual(['b']);
  });
});
