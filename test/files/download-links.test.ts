// Links of results: what goes over the network, and what is left after a failure.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type DownloadProgress, download } from '../../src/node/index.ts';
import { type ApiError, type Client, type Config, type Hook, isApiError, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, fakeKey, faults, type Reply } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { built, childOutcome } from '../support/child.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { newFolder, storageHost } from '../support/storage.ts';

const picture = randomBytes(300_000);
const request = { model: 'glm-image', prompt: 'a cat' };

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe.each(transports)('over $transport', ({ overrides }) => {
  async function opened(config: Partial<Config> = {}): Promise<{ client: Client; fake: FakeService; storage: FakeService; folder: string }> {
    const { fake, client } = await openFake({ maxRetries: 0, ...overrides, ...config });
    return { client, fake, storage: await storageHost(), folder: await newFolder() };
  }

  it('a result is enough: its client downloads the file, and the host gets neither key nor headers', async () => {
    const { client, fake, storage, folder } = await opened({ headers: { 'x-own': 'secret-of-the-gateway' } });
    const url = `${storage.host('/a/b.png', { body: picture, headers: { 'content-type': 'image/png' } })}?sign=secret`;
    fake.answer('images.generate', { body: { data: [{ url }] } });
    const image = await client.images().generate(undefined, request);
    const path = join(folder, 'cat.png');
    expect(await download(image, path)).toEqual([{ path, bytes: picture.length, contentType: 'image/png' }]);
    expect(sha(await readFile(path))).toBe(sha(picture));
    expect(await readdir(folder)).toEqual(['cat.png']);
    expect(storage.requests.map(({ target }) => target)).toEqual(['/a/b.png?sign=secret']);
    expect(storage.requests[0]?.headers['authorization']).toBeUndefined();
    expect(JSON.stringify(storage.requests)).not.toMatch(new RegExp(`${fakeKey}|secret-of-the-gateway`));
  });

  it('the result of a wait is enough too', async () => {
    const { client, fake, storage, folder } = await opened();
    fake.task({ kind: 'video', id: '1', states: ['SUCCESS'], result: { video_result: [{ url: storage.host('/a.mp4', { body: 'mp4' }) }] } });
    const [file] = await download(await client.waitForResult(undefined, '1'), join(folder, 'a.mp4'));
    expect(file?.bytes).toBe(3);
  });

  it('client.fetchFile gives the bytes, with the facts of the reply', async () => {
    const { client, storage } = await opened();
    const reply = await client.fetchFile(undefined, storage.host('/a', { body: picture }));
    expect(sha(await reply.bytes())).toBe(sha(picture));
    expect(responseInfo(reply)?.status).toBe(200);
  });

  it('follows redirects to other hosts', async () => {
    const { client, storage, folder } = await opened();
    const second = await storageHost();
    const link = storage.host('/first', faults.redirect(second.host('/second', { body: 'png' }), 302));
    await download(link, join(folder, 'a.png'), { client });
    expect(await readFile(join(folder, 'a.png'), 'utf8')).toBe('png');
    expect(JSON.stringify([storage.requests, second.requests])).not.toContain(fakeKey);
  });

  it('reports the progress of each file, and the total if the host sends it', async () => {
    const { client, storage, folder } = await opened();
    const steps: DownloadProgress[] = [];
    const links = ['/1', '/2'].map((path) => ({ url: storage.host(path, { body: path === '/1' ? picture : Readable.from(['a', 'b']) }) }));
    await download({ data: links }, join(folder, 'a'), {
      client,
      onProgress: (step) => {
        steps.push(step);
        throw new Error('of the user');
      },
    });
    const first = steps.filter(({ path }) => path === join(folder, 'a'));
    expect(first.at(-1)).toEqual({ path: join(folder, 'a'), bytes: picture.length, total: picture.length });
    expect(steps.at(-1)).toEqual({ path: join(folder, 'a-2'), bytes: 2, total: undefined });
  });

  it('uses a kept-alive socket again', async () => {
    const { client, storage, folder } = await opened();
    const link = storage.host('/a', { body: picture });
    for (const name of ['a', 'b', 'c']) {
      await download(link, join(folder, name), { client });
      await storage.idle();
    }
    expect(storage.sockets).toBe(1);
  });

  const cuts: Readonly<Record<string, Fault>> = {
    'a body shorter than its content-length': { ...faults.lyingLength(1_000_000), reply: { body: picture } },
    'a reset in the body': { ...faults.resetMidBody(100_000), reply: { body: picture } },
    'a chunked body without its end': faults.raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  };

  it.each(Object.entries(cuts))('%s throws, leaves no part, and keeps the old file', async (_name, fault) => {
    const { client, storage, folder } = await opened();
    const path = join(folder, 'cat.png');
    await writeFile(path, 'old');
    for (const _socket of ['fresh', 'warm']) {
      await download(storage.host('/whole', { body: 'x' }), join(folder, 'x'), { client, overwrite: true });
      const error = await failure(download(storage.host('/a', fault), path, { client, overwrite: true }));
      expect(isModelsvcError(error, 'connection', 'timeout') || isModelsvcError(error, 'stream')).toBe(true);
      expect((error as Error).message).toMatch(/^download: /);
      expect(await readFile(path, 'utf8')).toBe('old');
      expect((await readdir(folder)).sort()).toEqual(['cat.png', 'x']);
    }
  });

  it.each(['signal', 'client'])('an abort by the %s in the middle removes the part and ends the exchange', async (by) => {
    const { client, storage, folder } = await opened();
    const link = storage.host('/a', { ...faults.all(faults.lyingLength(1_000_000), faults.silentAfterHeaders(1)), reply: { body: picture } });
    const { signal, abort } = aborting();
    let parts: string[] = [];
    const work = download(link, join(folder, 'cat.png'), {
      client,
      signal,
      onProgress: async () => {
        parts = await readdir(folder);
        if (by === 'signal') abort();
        else await client.close();
      },
    });
    expect(isModelsvcError(await failure(work), 'abort')).toBe(true);
    expect(parts).toEqual([expect.stringMatching(/^cat\.png\.[0-9a-f]{8}\.part$/)]);
    expect(await readdir(folder)).toEqual([]);
    await storage.idle();
  });

  it('an abort ends the download of a reply that was opened without the signal', async () => {
    const { client, fake, folder } = await opened();
    fake.answer('audio.speech', { ...faults.doneThenOpen(), reply: { body: 'RIFF', headers: { 'content-type': 'audio/wav' } } });
    const speech = await client.audio().speech(undefined, { model: 'glm-tts', input: 'Hello', voice: 'tongtong' });
    const { signal, abort } = aborting();
    expect(isModelsvcError(await failure(download(speech, join(folder, 'a.wav'), { signal, onProgress: abort })), 'abort')).toBe(true);
    expect(await readdir(folder)).toEqual([]);
    await fake.idle();
  });

  it.each([
    [403, false],
    [404, false],
    [500, true],
  ])('status %i names the host, and neither the query nor the text of the host', async (status, retryable) => {
    const { client, storage, folder } = await opened();
    const body = '<Error><StringToSign>secret-part</StringToSign></Error>';
    const link = `${storage.host('/a', { status, body, headers: { 'content-type': 'application/xml' } })}?sign=secret-sign`;
    const error = await failure(download(link, join(folder, 'a'), { client }));
    const next = status === 500 ? '' : '. It may have expired: request the result again.';
    expect(isApiError(error) && [error.status, error.retryable, error.message]).toEqual([
      status,
      retryable,
      `download: ${new URL(link).host} refused the link (status ${status}, request ${(error as ApiError).requestId})${next}`,
    ]);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret');
    expect(await readdir(folder)).toEqual([]);
    await storage.idle();
  });

  it('a failed attempt is repeated, as for any call', async () => {
    const { client, storage, folder } = await opened({ maxRetries: 2, retryDelay: 0 });
    let attempts = 0;
    const answer = (): Reply => (++attempts < 3 ? { status: 503, body: 'busy' } : { body: 'png' });
    await download(storage.host('/a', answer), join(folder, 'a'), { client });
    expect(attempts).toBe(3);
  });

  it('hooks get the host of a link, without path and query', async () => {
    const seen: string[] = [];
    const hook: Hook = { onStart: ({ operation, origin, endpoint }) => void seen.push(`${operation} ${origin}${endpoint}`) };
    const { client, storage, folder } = await opened({ hooks: [hook] });
    await download(`${storage.host('/secret-path', { body: 'x' })}?sign=secret`, join(folder, 'a'), { client });
    expect(seen).toEqual([`download ${storage.url}`]);
  });

  it('maxBytes refuses a large file before its body, and no part is made', async () => {
    const { client, storage, folder } = await opened();
    const link = storage.host('/a', { ...faults.all(faults.lyingLength(2_000_000), faults.silentAfterHeaders()), reply: { body: picture } });
    const error = await failure(download(link, join(folder, 'a'), { client, maxBytes: 1_000_000 }));
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('too-large');
    await storage.idle();
  });
});

describe('a link that is refused', () => {
  const local = ['localhost', '127.0.0.1:8080', '2130706433', '0.0.0.0', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'];
  const six = ['[::1]', '[::ffff:10.0.0.1]', '[fd00::1]', '[fe80::1]', 'a.localhost'];

  // Each range of ipaddr.js, and forms that hold an address of IPv4.
  const special = [
    ...['0.1.2.3', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '100.127.255.255', '172.16.0.0', '3232235521'],
    ...['[::]', '[::127.0.0.1]', '[::ffff:192.0.0.192]', '[::ffff:8.8.8.8]', '[::ffff:0:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::a00:1]'],
    ...['[2002:a00:1::]', '[2002:c0a8:101::1]', '[2001::a00:1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[fec0::1]', '[feff::1]', '[febf::1]'],
    ...['[ff02::1]', '[100::1]', '[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]', '[fc00::1]'],
  ];

  it.each([...local, ...six, ...special])('%s is in a private network', async (host) => {
    const client = newClient({ apiKey: 'test-key' });
    const error = await failure(client.fetchFile(undefined, `http://${host}/a?sign=secret`));
    expect(isModelsvcError(error, 'validation') && error.message).toMatch(/^download: link is in a private network: \S+$/);
    expect((error as Error).message).not.toContain('secret');
  });

  const open = [
    '10.example.com',
    '[2606:4700::1]',
    '172.32.0.1',
    '192.169.1.1',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '100.63.0.1',
  ];
  const openSix = ['[2001:200::1]', '[2001:4860:4860::8888]', '[2003::1]', '[2a00:1450::]', '[3ffe::1]', 'localhost.example', 'notlocalhost'];

  it.each([...open, ...openSix])('%s is not', async (host) => {
    const seen: string[] = [];
    const httpClient: Config['httpClient'] = async (url) => {
      seen.push(String(url));
      return new Response('x');
    };
    const client = newClient({ apiKey: 'test-key', httpClient });
    await (await client.fetchFile(undefined, `http://${host}/a`)).bytes();
    expect(seen).toEqual([`http://${host}/a`]);
  });

  it('a redirect does not lead into a private network', async () => {
    const storage = await storageHost();
    const host = storage.host('/first', faults.redirect(storage.host('/inner', { body: 'secret' }), 302));
    // A client of the service, whose public file host is a local one here.
    const httpClient: Config['httpClient'] = (url, init) => fetch(String(url).replace('http://files.example', storage.url), init);
    const client = newClient({ apiKey: 'test-key', maxRetries: 0, httpClient });
    const error = await failure(client.fetchFile(undefined, `http://files.example${new URL(host).pathname}`));
    expect(isApiError(error) && error.message).toMatch(/^download: redirect refused: its target is in a private network: 127\.0\.0\.1:\d+ /);
    expect(storage.requests.map(({ target }) => target)).toEqual(['/first']);
  });

  it.each([
    ['file:///etc/passwd', 'is not an HTTP URL'],
    ['ftp://127.0.0.1/x', 'is not an HTTP URL'],
    ['not a link', 'is not an HTTP URL'],
    ['http://user:secret@127.0.0.1/', 'contains a password'],
  ])('%s', async (link, problem) => {
    const { client } = await openFake();
    const folder = await newFolder();
    const error = await failure(download({ data: [{ url: link }] }, join(folder, 'a'), { client }));
    expect(isModelsvcError(error, 'validation') && error.message).toBe(`download: link ${problem}`);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a process', () => {
  it('downloads through the proxy of its environment, and ends by itself', async () => {
    const { fake } = await openFake();
    const storage = await storageHost();
    const proxy = await startConnectProxy();
    const link = `${storage.host('/a', { body: picture })}?sign=secret`;
    const path = join(await newFolder(), 'a');
    const { stdout } = await childOutcome(`
      import { download } from '${built('node')}';
      process.env['HTTP_PROXY'] = '${proxy.url}';
      const client = newClient({ apiKey: '${fakeKey}', endpoints: '${fake.url}' });
      console.log((await download('${link}', '${path}', { client }))[0].bytes);
    `);
    await proxy.close();
    expect(stdout).toBe(`${picture.length}\n`);
    expect(proxy.requests.map(({ target }) => target)).toEqual([link]);
    expect(sha(await readFile(path))).toBe(sha(picture));
  });
});

/** A signal, and the function that aborts it. */
function aborting(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
