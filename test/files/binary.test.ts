import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  type BinaryReply,
  type Client,
  type Config,
  type Hook,
  isApiError,
  isModelsvcError,
  newClient,
  responseInfo,
  speechBytes,
} from '../../src/overlay/index.ts';
import { type Answer, type FakeService, type Fault, faults } from '../../src/testing/index.ts';
import { settled, stoppedClock, turns } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { collect, failureOf } from '../support/spec.ts';

const transports: [string, Partial<Config>][] = [
  ['node', {}],
  ['fetch', { httpClient: (url, init) => fetch(url, init) }],
];

/** A fake that answers every request in the same way, whatever it was sent. */
async function answering(answer: Answer): Promise<FakeService> {
  const { fake } = await openFake({}, { validate: false });
  return fake.fallback('*', answer);
}

/** A body that stays open after its first block. */
function open(body: string | Uint8Array): Fault {
  return { ...faults.doneThenOpen(), reply: { body, headers: wav } };
}

const speak = (client: Client, ctx?: AbortSignal): Promise<BinaryReply> => client.audio().speech(ctx, { model: 'm', input: 'x', voice: 'v' });
const fetchFile = (client: Client, ctx?: AbortSignal): Promise<BinaryReply> => client.files().content(ctx, 'id');

const audio = Buffer.alloc(3_000_000, 'RIFF and more ');
const wav = { 'content-type': 'audio/wav' };
const failure = '{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}';

describe.each(transports)('over %s', (_transport, config) => {
  const clientOf = (fake: FakeService, more: Partial<Config> = {}): Client => newClient(fake.configFor({ maxRetries: 0, ...config, ...more }));

  it('gives the same bytes in each of its four ways', async () => {
    const client = clientOf(await answering({ body: audio, headers: wav }));
    const reply = await speak(client);
    expect([reply.contentType, reply.size, responseInfo(reply)?.status]).toEqual(['audio/wav', audio.length, 200]);
    expect(audio.equals(await reply.bytes())).toBe(true);
    expect(audio.equals(Buffer.concat((await collect(await speak(client))).items))).toBe(true);
    expect(audio.equals(Buffer.from(await new Response((await speak(client)).stream()).arrayBuffer()))).toBe(true);
    expect(await (await speak(client)).text()).toBe(audio.toString());
  });

  it('has no size of a body that comes in chunks or compressed', async () => {
    const chunked = await answering({ body: Readable.from(['RI', 'FF']), headers: wav });
    const reply = await speak(clientOf(chunked));
    expect(reply.size).toBeUndefined();
    expect(await reply.text()).toBe('RIFF');
  });

  it('can be read once', async () => {
    const client = clientOf(await answering({ body: 'RIFF', headers: wav }));
    const reply = await speak(client);
    await reply.bytes();
    for (const again of [() => reply.bytes(), () => reply.stream(), () => reply[Symbol.asyncIterator](), () => reply.text()]) {
      const error = await failureOf(again);
      expect(isModelsvcError(error, 'stream') && error.problem).toBe('used');
    }
  });

  it('throws after the bytes that came, when the body is cut off', async () => {
    const api = await answering({ ...faults.lyingLength(1000), reply: { body: 'R'.repeat(100), headers: wav } });
    const { items, error } = await collect(await speak(clientOf(api)));
    expect(Buffer.concat(items).length).toBe(100);
    if (!isModelsvcError(error, 'connection', 'timeout')) throw error;
    expect([error.operation, error.phase]).toEqual(['audio.speech', 'body']);
    expect(isModelsvcError(await failureOf(async () => (await speak(clientOf(api))).bytes()), 'connection', 'timeout')).toBe(true);
  });

  it('gives up a body that goes silent, but not a reader who is slow', async () => {
    const silent = await answering(open('RIFF'));
    expect(isModelsvcError(await failureOf(async () => (await speak(clientOf(silent, { streamIdleTimeout: 100 }))).bytes()), 'timeout')).toBe(true);
    await silent.idle();
    expect(silent.requests).toMatchObject([{ outcome: 'left' }]);
    const big = Buffer.alloc(30_000_000, 1);
    const clock = stoppedClock();
    const reply = await speak(clientOf(await answering({ body: big, headers: wav }), { streamIdleTimeout: 100 }));
    await turns();
    clock.pass(60_000);
    await turns();
    expect((await reply.bytes()).length).toBe(big.length);
  });

  it('stops at once when it is aborted, and leaves no socket', async () => {
    const api = await answering(open('RIFF'));
    const abort = new AbortController();
    const reply = await speak(clientOf(api), abort.signal);
    const bytes = failureOf(() => reply.bytes());
    abort.abort(new Error('enough'));
    const error = await bytes;
    expect(isModelsvcError(error, 'abort') && (error.cause as Error).message).toBe('enough');
    await api.idle();
    expect(api.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('frees the socket when the loop, the stream or the reply is left', async () => {
    const api = await answering(open(audio));
    for await (const block of await speak(clientOf(api))) if (block.length > 0) break;
    const reader = (await speak(clientOf(api))).stream().getReader();
    await reader.read();
    await reader.cancel();
    (await speak(clientOf(api))).cancel();
    await api.idle();
    expect(api.requests.map(({ outcome }) => outcome)).toEqual(['left', 'left', 'left']);
  });

  it('holds the service back while the body is not read', async () => {
    let sent = 0;
    const block = Buffer.alloc(256 * 1024, 7);
    const total = 400;
    async function* blocks(): AsyncGenerator<Uint8Array> {
      for (; sent < total; sent++) yield block;
    }
    const api = await answering({ body: blocks(), headers: { ...wav, 'content-length': String(total * block.length) } });
    const reader = (await speak(clientOf(api))).stream().getReader();
    await reader.read();
    // Only the bytes that fit the sockets' buffers have gone out.
    expect(await settled(() => sent)).toBeLessThan(total / 2);
    let size = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.length;
    expect(size + 0).toBeGreaterThan((total - 2) * block.length);
    expect(sent).toBe(total);
  });

  it('calls hooks once, at the end of the body', async () => {
    const seen: string[] = [];
    const hook: Hook = {
      onRequest: () => seen.push('request'),
      onResponse: (meta) => seen.push(`response ${meta.complete}`),
      onError: (_meta, error) => seen.push(error.name),
    };
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    async function* halves(between: Promise<void>): AsyncGenerator<string> {
      yield 'RIFF';
      await between;
      yield 'RIFF';
    }
    const headers = { ...wav, 'content-length': '8' };
    const api = await answering(() => ({ body: halves(new Promise(() => {})), headers }));
    api.answer('audio.speech', { body: halves(ended), headers });
    const client = clientOf(api, { hooks: [hook] });
    const reply = await speak(client);
    expect(seen).toEqual(['request']);
    end();
    await reply.bytes();
    reply.cancel();
    expect(seen).toEqual(['request', 'response true']);
    (await speak(client)).cancel();
    expect(seen.splice(0)).toEqual(['request', 'response true', 'request', 'response false']);
    const broken = await answering({ ...faults.lyingLength(8), reply: { body: 'RIFF', headers: wav } });
    await failureOf(async () => (await speak(clientOf(broken, { hooks: [hook] }))).bytes());
    expect(seen).toEqual(['request', 'ConnectionError']);
  });

  it('takes its listener off the signal at the end', async () => {
    const api = await answering({ body: 'RIFF', headers: wav });
    const abort = new AbortController();
    const reply = await speak(clientOf(api), abort.signal);
    await reply.bytes();
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  describe('a failure inside status 200', () => {
    it.each([
      ['application/json', failure],
      ['application/json; charset=UTF-8', ` \n${failure}`],
      ['application/octet-stream', failure],
      ['audio/wav', failure],
      ['text/plain', failure],
      ['', failure],
      ['application/json', '{"code":1211,"msg":"Unknown Model","success":false}'],
      ['text/event-stream', `data: ${failure}\n\n`],
    ])('is an error for speech as %s', async (type, body) => {
      const error = await failureOf(async () => speak(clientOf(await answering({ body: body, headers: { 'content-type': type } }))));
      if (!isApiError(error)) throw error;
      expect([error.status, error.code, error.category]).toEqual([200, '1211', 'parameter']);
    });

    it.each(['application/json', 'text/plain', ''])('is an error for a file as %s', async (type) => {
      const api = await answering({ body: failure, headers: { 'content-type': type } });
      const error = await failureOf(() => fetchFile(clientOf(api)));
      expect(isApiError(error) && error.code).toBe('1211');
    });

    it.each([
      ['JSON', 'application/json', '{"task_id":"1"}'],
      ['text', 'text/plain', 'please wait'],
      ['a page', 'text/html', '<!doctype html><title>hello</title>'],
    ])('is %s that came where audio was expected', async (_what, type, body) => {
      const error = await failureOf(async () => speak(clientOf(await answering({ body: body, headers: { 'content-type': type } }))));
      expect(isApiError(error) && error.status).toBe(200);
    });

    it('is silence instead of audio', async () => {
      const error = await failureOf(async () => speak(clientOf(await answering({ body: '', headers: wav }))));
      expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
    });

    it('is a page instead of a file', async () => {
      const error = await failureOf(async () =>
        fetchFile(clientOf(await answering({ body: '<html>gateway</html>', headers: { 'content-type': 'text/html' } }))),
      );
      expect(isApiError(error) && error.message).toContain('gateway');
    });
  });

  it.each([
    ['a JSON file', 'application/json', '{"rows":[1,2,3],"note":"error"}'],
    ['a JSON file of a megabyte', 'application/json', `{"rows":["${'x'.repeat(1_000_000)}"]}`],
    ['lines of JSON', 'application/json', '{"custom_id":"1","error":null}\n{"custom_id":"2","error":{"message":"x"}}\n'],
    ['one failed line of a batch', 'application/json', '{"custom_id":"2","error":{"code":"1211","message":"x"}}\n'],
    ['one failed line of a batch as bytes', 'application/octet-stream', '{"custom_id":"2","error":{"code":"1211","message":"x"}}\n'],
    ['an empty file', 'application/octet-stream', ''],
    ['an empty file of no type', '', ''],
    ['text', 'text/plain', 'plain words'],
    ['text of no type', '', 'plain words'],
    ['broken JSON', 'application/json', '{"rows":'],
  ])('delivers %s as the file it is', async (_what, type, body) => {
    const api = await answering({ body: body, headers: { 'content-type': type } });
    expect(await (await fetchFile(clientOf(api))).text()).toBe(body);
  });

  it('delivers audio that happens to begin like JSON', async () => {
    const pcm = Buffer.concat([Buffer.from('{'), Buffer.alloc(200_000, 3)]);
    const reply = await speak(clientOf(await answering({ body: pcm, headers: { 'content-type': 'audio/pcm' } })));
    expect(pcm.equals(await reply.bytes())).toBe(true);
    const short = Buffer.from('{\u0001\u0002');
    expect(short.equals(await (await speak(clientOf(await answering({ body: short, headers: { 'content-type': 'audio/pcm' } })))).bytes())).toBe(
      true,
    );
  });
});

describe('a length that a lenient fetch does not check', () => {
  const lenient = (body: string, length: string): Client =>
    newClient({
      apiKey: 'k',
      baseURL: 'http://127.0.0.1:9',
      maxRetries: 0,
      httpClient: async () => new Response(body, { headers: { ...wav, 'content-length': length } }),
    });

  it.each([
    ['shorter', 'RIFF', '5'],
    ['longer', 'RIFF', '3'],
  ])('is an error when the body is %s', async (_what, body, length) => {
    const error = await failureOf(async () => (await speak(lenient(body, length))).bytes());
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
  });
});

describe('speechBytes', () => {
  async function* chunksOf(...pieces: string[]): AsyncGenerator<object> {
    for (const content of pieces) yield { choices: [{ delta: { content } }] };
    yield { choices: [{ finish_reason: 'stop' }] };
    yield {};
  }
  const decoded = async (encoding: 'base64' | 'hex', ...pieces: string[]): Promise<string> =>
    Buffer.concat((await collect(speechBytes(chunksOf(...pieces), encoding))).items).toString('hex');

  it('decodes pieces however they are cut', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    for (const [encoding, text] of [
      ['base64', bytes.toString('base64')],
      ['hex', bytes.toString('hex')],
    ] as const)
      for (const cut of [1, 2, 3, 5, 8, 100])
        expect(await decoded(encoding, ...(text.match(new RegExp(`.{1,${cut}}`, 'g')) ?? []))).toBe(bytes.toString('hex'));
  });

  it('decodes pieces that are padded one by one', async () => {
    expect(await decoded('base64', 'AA==', 'AQI=', '', 'AwQF')).toBe('000102030405');
  });

  it('throws when a piece is not of the encoding', async () => {
    for (const [encoding, text] of [
      ['base64', '!!!!'],
      ['hex', 'xyz1'],
      ['hex', 'abc'],
    ] as const) {
      const { error } = await collect(speechBytes(chunksOf(text), encoding));
      expect(isModelsvcError(error, 'stream') && error.problem).toBe('malformed');
      expect((error as Error).message).not.toContain(text);
    }
  });
});
