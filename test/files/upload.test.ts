import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileFromPath } from '../../src/node/index.ts';
import { type Config, isApiError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type Answer, type FakePart, type FakeRequest, type FakeService, faults } from '../../src/testing/index.ts';
import type { FileSource, TransferProgress } from '../../src/types/index.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { JsdomFile } from '../support/jsdom-blob.ts';
import { collect, configAt, failureOf } from '../support/spec.ts';

const transports: [string, Partial<Config>][] = [
  ['node', {}],
  ['fetch', { httpClient: (url, init) => fetch(url, init) }],
];

const quick: Partial<Config> = { retryDelay: 5, maxRetries: 2 };

/** Bytes of every value, in a pattern with no period of a power of two. */
function content(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at++) bytes[at] = (at * 31 + (at >> 8)) % 251;
  return bytes;
}

async function fileOnDisk(name: string, bytes: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}

async function* blocksOf(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Blocks in one buffer that is overwritten each time, as a careful reader of files has it. */
async function* reused(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(70_000);
  for (let at = 0; at < bytes.length; at += buffer.length) {
    const part = bytes.subarray(at, at + buffer.length);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
    buffer.fill(255);
  }
}

/** Name and text of the fields of a form. */
function fieldsOf(form: FakeRequest | undefined): [name: string, text: string][] {
  return (form?.parts ?? []).map(({ name, bytes }) => [name, Buffer.from(bytes).toString('latin1')]);
}

/** The file of a form. */
function fileOf(form: FakeRequest | undefined): FakePart | undefined {
  return form?.parts.find(({ headers }) => headers['content-disposition']?.includes('filename='));
}

function bytesOf(form: FakeRequest | undefined): Buffer {
  const bytes = fileOf(form)?.bytes;
  if (!bytes) throw new Error('the form has no file');
  return Buffer.from(bytes);
}

const openHandles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;

const refuseOnce = faults.error(503, '1234', 'busy');
const refuseEarly = faults.rejectUpload(503, '1234', 'busy');

/** A fake that takes any form. The answers are used once each, then a form is answered with a file object. */
async function taking(...answers: Answer[]): Promise<FakeService> {
  const { fake } = await openFake({}, { keys: 'any', validate: false });
  return fake.fallback('*', { body: { id: 'file-1', object: 'file' } }).answer('*', ...answers);
}

describe.each(transports)('over %s', (_transport, config) => {
  const clientOf = (url: string, more: Partial<Config> = {}) => newClient(configAt(url, { ...quick, ...config, ...more }));
  const bytes = content(700_001);

  const sources: [string, boolean, () => FileSource | Promise<FileSource>][] = [
    ['a Blob', true, () => new Blob([bytes])],
    ['a File', true, () => new File([bytes], 'named.jsonl')],
    ['a File of jsdom', true, () => new JsdomFile(bytes) as unknown as File],
    ['an ArrayBuffer', true, () => bytes.buffer],
    ['a Uint8Array', true, () => bytes],
    ['a Buffer within a longer one', true, () => Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]).subarray(6, 6 + bytes.length)],
    ['a web stream', false, () => Readable.toWeb(Readable.from(blocksOf(bytes))) as ReadableStream<Uint8Array>],
    ['a Node stream', false, () => Readable.from(blocksOf(bytes))],
    ['a file stream', false, async () => createReadStream(await fileOnDisk('a.jsonl', bytes))],
    ['an async iterable of one reused buffer', false, () => reused(bytes)],
    ['a FileUpload of known size', true, () => ({ name: 'a.jsonl', size: bytes.length, open: () => reused(bytes) })],
    ['a FileUpload of unknown size', false, () => ({ name: 'a.jsonl', open: async () => blocksOf(bytes) })],
    ['a path', true, async () => fileFromPath(await fileOnDisk('a.jsonl', bytes))],
  ];

  it.each(sources)('sends %s as it is, with its length where it is known', async (_what, known, source) => {
    const api = await taking();
    const progress: [number, number | undefined][] = [];
    const reply = await clientOf(api.url)
      .files()
      .upload(undefined, { file: await source(), purpose: 'batch', onProgress: ({ bytes, total }) => progress.push([bytes, total]) });
    expect(reply.id).toBe('file-1');
    const [form] = api.requests;
    expect(bytesOf(form).equals(bytes)).toBe(true);
    expect(form?.headers['content-length']).toBe(known ? String(form?.bytes.length) : undefined);
    expect(form?.headers['transfer-encoding']).toBe(known ? undefined : 'chunked');
    expect(progress.at(-1)).toEqual([bytes.length, known || undefined ? bytes.length : undefined]);
    expect(progress.map(([sent]) => sent)).toEqual([...progress.map(([sent]) => sent)].sort((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(2);
  });

  it('sends an empty file', async () => {
    const api = await taking();
    await clientOf(api.url)
      .files()
      .upload(undefined, { file: new Uint8Array(0), purpose: 'agent' });
    expect(bytesOf(api.requests[0]).length).toBe(0);
    expect(api.requests[0]?.headers['content-length']).toBe(String(api.requests[0]?.bytes.length));
  });

  it.each(sources.filter(([, known]) => known))('retries %s after a 503 with the same bytes', async (_what, _known, source) => {
    const api = await taking(refuseOnce);
    await clientOf(api.url)
      .files()
      .upload(undefined, { file: await source(), purpose: 'batch' });
    expect(api.requests).toHaveLength(2);
    expect(bytesOf(api.requests[1]).equals(bytes)).toBe(true);
  });

  it.each(sources.filter(([what, known]) => !known && what !== 'a FileUpload of unknown size'))(
    'does not retry %s once it was read',
    async (_what, _known, source) => {
      const api = await taking(refuseOnce);
      const file = await source();
      const error = await failureOf(() => clientOf(api.url).files().upload(undefined, { file, purpose: 'batch' }));
      expect(isApiError(error) && error.status).toBe(503);
      expect(api.requests).toHaveLength(1);
    },
  );

  it('retries a stream that was not read yet, when the connection was refused', async () => {
    const api = await taking();
    let refusals = 2;
    const dead = 'http://127.0.0.1:9';
    // The first attempts go to a port without a listener.
    const { resolveConfig } = await import('../../src/overlay/call/settings/settings.ts');
    const { Files } = await import('../../src/overlay/services/files.ts');
    const settings = resolveConfig(configAt(api.url, { ...quick, ...config }));
    const files = new Files({
      ...settings,
      transport: {
        open: (request) => settings.transport.open(refusals-- > 0 ? { ...request, url: request.url.replace(api.url, dead) } : request),
        close: () => settings.transport.close(),
      },
    });
    await files.upload(undefined, { file: Readable.toWeb(Readable.from(blocksOf(bytes))) as ReadableStream<Uint8Array>, purpose: 'batch' });
    expect(bytesOf(api.requests[0]).equals(bytes)).toBe(true);
    expect(refusals).toBe(-1);
  });

  it('frees socket and source when it is aborted in the middle', async () => {
    const api = await taking(faults.stallUpload());
    const abort = new AbortController();
    let freed = 0;
    let started = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield content(100_000 + started++);
      } finally {
        freed++;
      }
    }
    let sent = 0;
    const onProgress = ({ bytes }: TransferProgress): void => {
      sent = bytes;
    };
    void until(() => sent > 300_000 && api.requests.length === 1).then(() => abort.abort());
    const call = clientOf(api.url).files().upload(abort.signal, { file: endless(), purpose: 'batch', onProgress });
    expect(isModelsvcError(await failureOf(() => call), 'abort')).toBe(true);
    await api.idle();
    expect(api.requests).toMatchObject([{ outcome: 'left' }]);
    await until(() => freed === 1);
  });

  it('frees a source that is silent when the call is aborted', async () => {
    const api = await taking();
    let cancelled = 0;
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(content(10)),
      cancel: () => void cancelled++,
    });
    const aborted = (file: FileSource): Promise<unknown> => {
      const abort = new AbortController();
      void until(() => api.exchanges === 1).then(() => abort.abort());
      return failureOf(() => clientOf(api.url).files().upload(abort.signal, { file, purpose: 'batch' }));
    };
    const error = await aborted(silent);
    expect(isModelsvcError(error, 'abort')).toBe(true);
    await until(() => cancelled === 1);
    await api.idle();
    const stuck = new Readable({ read: () => undefined });
    stuck.push('x');
    await aborted(stuck);
    await until(() => stuck.destroyed);
    await api.idle();
  });

  it('leaves no socket and no file open when the service answers before it has the whole file', async () => {
    const path = await fileOnDisk('big.jsonl', content(20_000_000));
    const api = await taking(refuseEarly);
    const before = await openHandles();
    const error = await failureOf(() =>
      clientOf(api.url, { maxRetries: 0 })
        .files()
        .upload(undefined, { file: fileFromPath(path), purpose: 'batch' }),
    );
    // A server that closes early may be seen as an answer or as a reset, as the network has it.
    expect(isApiError(error) || isModelsvcError(error, 'connection', 'timeout')).toBe(true);
    await api.idle({ sockets: true });
    await expect.poll(openHandles).toBeLessThanOrEqual(before);
  });

  it.each<[string, FileSource, RegExp]>([
    [
      'breaks',
      (async function* () {
        yield content(10);
        throw new Error('disk gone');
      })(),
      /could not be read/,
    ],
    ['gives fewer bytes than it said', { name: 'a', size: 11, open: () => blocksOf(content(10)) }, /ended after 10 of 11 bytes/],
    ['gives more bytes than it said', { name: 'a', size: 9, open: () => blocksOf(content(10)) }, /more bytes than its size of 9/],
    ['gives text', Readable.from(['text'], { encoding: 'utf8' }) as never, /not bytes/],
    ['cannot be opened', { name: 'a', open: () => Promise.reject(new Error('no')) }, /could not be read/],
  ])('reports a source that %s, and does not try again', async (_what, file, words) => {
    const api = await taking();
    let attempts = 0;
    const hooks = [{ onRequest: () => void attempts++ }];
    const error = await failureOf(() => clientOf(api.url, { hooks }).files().upload(undefined, { file, purpose: 'agent' }));
    if (!isModelsvcError(error, 'validation')) throw error;
    expect(error.message).toMatch(words);
    expect(error.path).toBe('file');
    await api.idle();
    expect(attempts).toBeLessThanOrEqual(1);
    expect(api.requests).toEqual([]);
  });

  it('does not hold an upload to the time of one answer', async () => {
    const clock = stoppedClock();
    const api = await taking();
    async function* slow(): AsyncGenerator<Uint8Array> {
      for (let block = 0; block < 6; block++) {
        await turns();
        clock.pass(900);
        yield content(1000);
      }
    }
    await clientOf(api.url, { timeout: 1000 }).files().upload(undefined, { file: slow(), purpose: 'agent' });
    expect(bytesOf(api.requests[0]).length).toBe(6000);
  });

  it('gives up when the service reads no more', async () => {
    const api = await taking(faults.stallUpload());
    const endless = {
      name: 'a',
      open: async function* () {
        for (;;) yield content(200_000);
      },
    };
    const clock = stoppedClock();
    const upload = clientOf(api.url, { timeout: 150, maxRetries: 0 }).files().upload(undefined, { file: endless, purpose: 'agent' });
    expect(isModelsvcError(await failureOf(() => clock.run(upload)), 'connection', 'timeout')).toBe(true);
    await api.idle();
    expect(api.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('a transcription stream sends its clip and gives its events', async () => {
    const api = await taking({ frames: [{ type: 'transcript.text.delta', delta: 'hi' }, { type: 'transcript.text.done' }] });
    const { items, error } = await collect(
      clientOf(api.url)
        .audio()
        .transcribeStream(undefined, { model: 'm', file: new Blob([bytes]) }),
    );
    expect(error).toBeUndefined();
    expect(items.map((event) => event.delta)).toEqual(['hi', undefined]);
    expect(fieldsOf(api.requests[0]).filter(([name]) => name !== 'file')).toEqual([
      ['model', 'm'],
      ['stream', 'true'],
    ]);
  });
});

describe('sockets', () => {
  it('an answer to the whole form leaves the socket for the next call, and one that comes early does not', async () => {
    const api = await taking();
    const client = newClient(configAt(api.url));
    for (let call = 0; call < 3; call++) {
      await client.files().upload(undefined, { file: content(700_000), purpose: 'agent' });
      // A call that follows at once would take another socket.
      await turns();
    }
    expect(api.sockets).toBe(1);
    const early = await taking(refuseEarly);
    const file = content(20_000_000);
    await failureOf(() =>
      newClient(configAt(early.url, { maxRetries: 0 }))
        .files()
        .upload(undefined, { file, purpose: 'user_data' }),
    );
    await early.idle({ sockets: true });
  });
});

describe('the form', () => {
  const upload = async (request: object): Promise<ReturnType<typeof fieldsOf>> => {
    const api = await taking();
    await newClient(configAt(api.url))
      .files()
      .upload(undefined, request as never);
    return fieldsOf(api.requests[0]);
  };

  it('has the fields in order, lists repeated, booleans as text, without undefined ones', async () => {
    const file = new Uint8Array([0, 255, 13, 10]);
    const fields = await upload({
      purpose: 'p',
      words: ['a', 'b', 'ü'],
      file,
      yes: true,
      no: false,
      count: 3,
      none: undefined,
      empty: '',
      nothing: [],
    });
    expect(fields).toEqual([
      ['purpose', 'p'],
      ['words', 'a'],
      ['words', 'b'],
      ['words', Buffer.from('ü').toString('latin1')],
      ['file', '\u0000\u00ff\r\n'],
      ['yes', 'true'],
      ['no', 'false'],
      ['count', '3'],
      ['empty', ''],
    ]);
  });

  it('sends what the service reads of a transcription, with and without a file', async () => {
    const api = await taking({ body: { text: 'hello' } }, { body: { text: 'hello' } });
    const audio = newClient(configAt(api.url)).audio();
    await audio.transcribe(undefined, { model: 'm', file: new Uint8Array(3), hotwords: ['x', 'y'] });
    await audio.transcribe(undefined, { model: 'm', file_base64: 'AAAA' });
    expect(fieldsOf(api.requests[0])).toEqual([
      ['model', 'm'],
      ['file', '\0\0\0'],
      ['hotwords', 'x'],
      ['hotwords', 'y'],
    ]);
    expect(fieldsOf(api.requests[1])).toEqual([
      ['model', 'm'],
      ['file_base64', 'AAAA'],
    ]);
    expect(api.requests[1]?.headers['content-length']).toBe(String(api.requests[1]?.bytes.length));
  });

  it.each([
    ['a quote and line breaks', 'a"\r\nx-evil: 1\r\n\r\nbody', 'a%22%0D%0Ax-evil: 1%0D%0A%0D%0Abody'],
    ['a path', '/home/me/secret/a.txt', 'a.txt'],
    ['a Windows path', 'C:\\Users\\me\\a.txt', 'a.txt'],
    ['a climbing path', '../..', 'file'],
    ['control characters', 'a\u0000\u001b[31m\u007f.txt', 'a[31m.txt'],
    ['several bytes a character', 'отчёт 你好 🎉.txt', 'отчёт 你好 🎉.txt'],
    ['nothing', '', 'file'],
  ])('a file name with %s stays a file name', async (_what, filename, sent) => {
    const api = await taking();
    await newClient(configAt(api.url))
      .files()
      .upload(undefined, { file: new Uint8Array(1), purpose: 'p', filename });
    const part = fileOf(api.requests[0]);
    expect(part?.headers['content-disposition']).toBe(`form-data; name="file"; filename="${sent}"`);
    expect(Object.keys(part?.headers ?? {})).toEqual(['content-disposition', 'content-type']);
    expect(api.requests[0]?.parts).toHaveLength(2);
  });

  it('a field name cannot end its header', async () => {
    const api = await taking();
    await newClient(configAt(api.url))
      .files()
      .upload(undefined, { file: new Uint8Array(1), purpose: 'p', 'a"\r\nx: y': 'v' } as never);
    expect(api.requests[0]?.parts[2]?.headers).toEqual({ 'content-disposition': 'form-data; name="a%22%0D%0Ax: y"' });
  });

  it("names file and type by the request, then by the source, then by the operation's defaults", async () => {
    const api = await taking();
    const files = newClient(configAt(api.url)).files();
    const parser = newClient(configAt(api.url)).fileParser();
    await files.upload(undefined, {
      file: new File(['x'], 'b.jsonl', { type: 'text/plain' }),
      purpose: 'batch',
      filename: 'c.jsonl',
      contentType: 'a/b',
    });
    await files.upload(undefined, { file: new File(['x'], 'b.jsonl', { type: 'text/plain' }), purpose: 'batch' });
    await files.upload(undefined, { file: new Blob(['x']), purpose: 'batch' });
    await parser.sync(undefined, { file: new Uint8Array(1), tool_type: 'prime-sync', file_type: 'PDF' }).catch(() => undefined);
    const heads = api.requests.map((form) => fileOf(form)?.headers);
    expect(heads.map((head) => [/filename="(.*)"/.exec(head?.['content-disposition'] ?? '')?.[1], head?.['content-type']])).toEqual([
      ['c.jsonl', 'a/b'],
      ['b.jsonl', 'text/plain'],
      ['file.jsonl', 'application/octet-stream'],
      ['file.pdf', 'application/octet-stream'],
    ]);
  });

  it.each<[string, object]>([
    ['contentType', { contentType: 'a/b\r\nx: y' }],
    ['filename', { filename: 3 }],
    ['onProgress', { onProgress: 'often' }],
    ['nested', { nested: { a: 1 } }],
    ['list[1]', { list: ['a', {}] }],
    ['file', { file: 'a/path' }],
    ['file.size', { file: { name: 'a', size: -1, open: () => blocksOf(content(1)) } }],
  ])('refuses a %s that no form can carry', async (path, more) => {
    const request = { file: new Uint8Array(1), purpose: 'p', ...more } as never;
    const error = await failureOf(() => newClient(configAt('http://127.0.0.1:9')).files().upload(undefined, request));
    if (!isModelsvcError(error, 'validation')) throw error;
    expect(error.path).toBe(path);
  });

  it('refuses a stream that is being read already', async () => {
    const stream = new Blob(['x']).stream();
    stream.getReader();
    const error = await failureOf(() => newClient(configAt('http://127.0.0.1:9')).files().upload(undefined, { file: stream, purpose: 'p' }));
    expect(isModelsvcError(error, 'validation') && error.message).toMatch(/already being read/);
  });

  it('has a boundary of its own each time', async () => {
    const api = await taking();
    for (let call = 0; call < 2; call++)
      await newClient(configAt(api.url))
        .files()
        .upload(undefined, { file: new Uint8Array(1), purpose: 'p' });
    expect(new Set(api.requests.map((form) => form.headers['content-type'])).size).toBe(2);
  });
});

describe('fileFromPath', () => {
  it('fails at once when there is no such file, and on a folder', async () => {
    for (const [path, code, next] of [
      ['/no/such/file', 'ENOENT', 'Check the path: it is relative to the working directory'],
      ['/', 'EISDIR', 'Pass the path of a file'],
    ] as const)
      expect(await failureOf(() => fileFromPath(path))).toMatchObject({
        name: 'ValidationError',
        operation: 'fileFromPath',
        path,
        code,
        advice: next,
        message: expect.stringMatching(new RegExp(`^fileFromPath: ${path} cannot be read: ${code}.*\\. ${next}`)),
      });
  });

  it('gives name, size and the same bytes each time it is opened, and closes the file', async () => {
    const bytes = content(1_000_000);
    const file = fileFromPath(await fileOnDisk('x y.bin', bytes));
    expect([file.name, file.size]).toEqual(['x y.bin', bytes.length]);
    const before = await openHandles();
    for (let time = 0; time < 2; time++) {
      const blocks: Buffer[] = [];
      // A block is valid until the next one is asked for.
      for await (const block of await file.open()) blocks.push(Buffer.from(block));
      expect(Buffer.concat(blocks).equals(bytes)).toBe(true);
    }
    for await (const _ of await file.open()) break;
    expect(await openHandles()).toBeLessThanOrEqual(before);
  });

  it('fails an upload whose file has grown since', async () => {
    const path = await fileOnDisk('a.bin', content(10));
    const file = fileFromPath(path);
    await writeFile(path, content(20));
    const api = await taking();
    const error = await failureOf(() => newClient(configAt(api.url)).files().upload(undefined, { file, purpose: 'p' }));
    expect(isModelsvcError(error, 'validation') && error.message).toMatch(/more bytes than its size of 10/);
  });
});
