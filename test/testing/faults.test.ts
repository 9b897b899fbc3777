import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Config, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, fakeKey, faults, type ScriptedOperation, startFakeService } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { menu } from '../support/menu.ts';

let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.reset();
});

type Way = 'chat' | 'chat stream' | 'messages' | 'messages stream';
const ways: readonly Way[] = ['chat', 'chat stream', 'messages', 'messages stream'];

function operationOf(way: Way): ScriptedOperation {
  return way.startsWith('chat') ? 'chat.create' : 'anthropic.create';
}

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly blocks: readonly Buffer[];
  readonly text: string;
  /** How it ended: `open` when no more bytes came for a while. */
  readonly ending: 'end' | 'open' | string;
}

/** Milliseconds that tell silence where silence is expected; elsewhere a busy machine gets all the time it needs. */
const quietMs = 60;
const amplyMs = 10_000;

function isEndless({ fault }: Fault): boolean {
  return fault === 'keepAliveOnly' || fault === 'drippedError' || fault.startsWith('endless');
}

/** One exchange as a client sees it that understands only HTTP. */
function exchange(way: Way, fault: Fault, silence: 'never' | 'after header' | 'at once' = 'never'): Promise<Raw> {
  fake.answer(operationOf(way), fault);
  const stream = way.endsWith('stream');
  const body = way.startsWith('chat')
    ? { model: 'glm-5.2', messages: [{ role: 'user', content: 'Hi' }], stream }
    : { model: 'glm-4.7', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], stream };
  return new Promise((resolve) => {
    const blocks: Buffer[] = [];
    let status = 0;
    let headers: Raw['headers'] = {};
    const finish = (ending: string): void => {
      clearTimeout(timer);
      outgoing.destroy();
      const text = Buffer.concat(blocks).toString();
      resolve({ status, headers, blocks, text, ending });
    };
    const patienceMs = silence === 'never' ? amplyMs : quietMs;
    // Bytes that the fake has sent by then are read before the silence counts, however busy the machine is.
    const listen = (ms: number): ReturnType<typeof setTimeout> =>
      setTimeout(() => {
        const before = blocks.length;
        void turns().then(() => (blocks.length === before ? finish('open') : wait()));
      }, ms);
    let timer = listen(silence === 'at once' ? quietMs : amplyMs);
    const wait = (): void => {
      clearTimeout(timer);
      timer = listen(patienceMs);
    };
    const outgoing = request(fake.url + (way.startsWith('chat') ? '/chat/completions' : '/v1/messages'), {
      method: 'POST',
      headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' },
      agent: false,
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'error'));
    outgoing.on('response', (incoming) => {
      status = incoming.statusCode ?? 0;
      headers = incoming.headers;
      wait();
      incoming.on('data', (block: Buffer) => {
        blocks.push(block);
        // A connection that keeps sending for ever is open too.
        if (blocks.length > 5000 || (isEndless(fault) && blocks.length > 5)) finish('open');
        else wait();
      });
      incoming.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'error'));
      incoming.on('end', () => finish('end'));
    });
    outgoing.end(JSON.stringify(body));
  });
}

/** The library's result of the answer: `ok` with the text it got, or the kind of error. */
async function libraryOutcome(
  way: Way,
  fault: Fault,
  expected = 'ok',
  overrides: Partial<Config> = {},
): Promise<{ readonly outcome: string; readonly text: string }> {
  fake.answer(operationOf(way), fault);
  const bound = expected === 'timeout' ? 150 : amplyMs;
  const client = newClient(fake.configFor({ maxRetries: 0, timeout: bound, streamIdleTimeout: bound, streamContentTimeout: bound, ...overrides }));
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  // White space for ever before a complete reply is not a silence: only the caller's own bound ends it.
  const ctx = AbortSignal.timeout(expected === 'abort' ? 300 : amplyMs);
  const chat = { model: 'glm-5.2', messages };
  const message = { model: 'glm-4.7', max_tokens: 10, messages };
  let text = '';
  try {
    if (way === 'chat') text = String((await client.chat().create(ctx, chat)).choices[0]?.message.content);
    else if (way === 'messages') text = (await client.anthropic().create(ctx, message)).text();
    else if (way === 'chat stream') for await (const chunk of client.chat().stream(ctx, chat)) text += chunk.choices?.[0]?.delta.content ?? '';
    else
      for await (const { data } of client.anthropic().stream(ctx, message))
        if (data.type === 'content_block_delta' && data.delta.type === 'text_delta') text += data.delta.text;
    return { outcome: 'ok', text };
  } catch (error) {
    if (!isModelsvcError(error)) throw error;
    return { outcome: error.kind, text };
  }
}

const turn = { turn: { text: ['Größe ', '你好 ', '🌧️'] } };

describe.each(menu)('$name', ({ fault, wire, status = 200, shows, library, config }) => {
  it.each(ways)('on the wire, %s', async (way) => {
    const ending = wire[way.endsWith('stream') ? 1 : 0];
    const raw = await exchange(way, fault, ending !== 'open' ? 'never' : status === 0 ? 'at once' : 'after header');
    expect([raw.status, raw.ending]).toEqual([status, ending]);
    if (shows && !(shows.source.includes('after') && !way.endsWith('stream'))) expect(raw.text).toMatch(shows);
    await fake.idle({ timeoutMs: amplyMs });
  });

  describe.each(transports)('in the library over $transport', ({ overrides }) => {
    it.each(ways)('%s', async (way) => {
      const expected = library[way.endsWith('stream') ? 1 : 0];
      expect((await libraryOutcome(way, fault, expected, { wholeReplies: true, ...overrides, ...config })).outcome).toBe(expected);
    });
  });
});

describe('details', () => {
  it('every function of the menu is tested here', () => {
    const tested = new Set(menu.map(({ fault }) => fault.fault));
    const apart = new Set(['stallUpload', 'rejectUpload', 'byteOrderMark', 'missingFinish']);
    const { all: _, ...single } = faults;
    const needed: Readonly<Record<string, readonly unknown[]>> = {
      error: [500, '1'],
      redirect: ['/'],
      ...Object.fromEntries(['slowHeaders', 'serverErrors', 'keepAliveHint', 'hugeEvent'].map((name) => [name, [1]])),
    };
    const made = Object.entries(single).flatMap(([name, make]) =>
      (make as (...values: readonly unknown[]) => Fault | readonly Fault[])(...(needed[name] ?? [])),
    );
    expect(made.filter(({ fault }) => !tested.has(fault) && !apart.has(fault))).toEqual([]);
  });

  it('a fault that was copied as JSON is refused with its function, at once or when it is used', async () => {
    const copy = JSON.parse(JSON.stringify({ ...faults.gzip(), effects: undefined })) as Fault;
    expect(() => fake.answer('chat.create', copy)).toThrow('the fault is without its effects; make it with faults.gzip()');
    fake.answer('chat.create', () => copy);
    await expect(
      newClient(fake.configFor({ maxRetries: 0 }))
        .chat()
        .createSimple(undefined, 'glm-5.2', 'Hi'),
    ).rejects.toThrow('faults.gzip()');
  });

  it.each([
    [{ seconds: 2 }, 'retry-after', /^2$/],
    [{ dateInMs: 5000 }, 'retry-after', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
    [{ ms: 40 }, 'retry-after-ms', /^40$/],
    [{ text: 'soon' }, 'retry-after', /^soon$/],
  ] as const)('a 429 asks to wait in any form: %j', async (retryAfter, header, value) => {
    expect((await exchange('chat', faults.rateLimit(retryAfter))).headers[header]).toMatch(value);
  });

  it.each(ways)('gzip is one valid gzip stream of the same answer, %s', async (way) => {
    const raw = await exchange(way, { ...faults.gzip(), reply: turn });
    expect(raw.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(Buffer.concat(raw.blocks)).toString()).toMatch(/Größe/);
  });

  it('one byte at a time is that, and cuts inside of characters are where they should be', async () => {
    const bytes = await exchange('messages', faults.oneByteAtATime());
    // Two writes may still arrive together if the client reads later.
    expect(bytes.blocks.length).toBeGreaterThan(50);
    const cut = await exchange('chat stream', faults.multiByteSplit());
    expect(cut.blocks.filter((block) => ((block[0] ?? 0) & 0xc0) === 0x80).length).toBeGreaterThan(0);
  });

  it.each(ways)('every byte of a good answer arrives however it is cut, %s', async (way) => {
    const texts = [];
    for (const fault of [faults.oneByteAtATime(), faults.multiByteSplit(), faults.crlf(), faults.gzip(), faults.slowDrip(7, 0)])
      texts.push((await libraryOutcome(way, { ...fault, reply: turn })).text);
    expect(new Set(texts)).toEqual(new Set(['Größe 你好 🌧️']));
  });

  it('several faults apply in their order', async () => {
    const raw = await exchange('chat stream', faults.all(faults.missingDone(), faults.crlf(), faults.gzip()));
    const text = gunzipSync(Buffer.concat(raw.blocks)).toString();
    expect(text).toMatch(/\r\n\r\n$/);
    expect(text).not.toMatch(/DONE/);
  });

  it('a byte order mark comes before the body', async () => {
    const raw = await exchange('chat stream', faults.byteOrderMark());
    expect([...Buffer.concat(raw.blocks).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  const upload = (url: string, signal: AbortSignal): Promise<Response> => {
    const source = new ReadableStream<Uint8Array>({
      async pull(blocks) {
        await turns(2);
        blocks.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'multipart/form-data; boundary=x' };
    return fetch(`${url}/files`, { method: 'POST', headers, body: source, duplex: 'half', signal } as RequestInit);
  };

  it('an upload can be stalled, and idle sees the client leave', async () => {
    fake.answer('files.upload', faults.stallUpload());
    const controller = new AbortController();
    const call = upload(fake.url, controller.signal);
    call.catch(() => undefined);
    await until(() => fake.requests.length === 1);
    await turns();
    controller.abort();
    await expect(call).rejects.toThrow(/abort/);
    // Without a reader of the socket there is no sign of the close.
    expect(fake.requests).toMatchObject([{ operation: 'files.upload', outcome: 'open' }]);
    await fake.idle();
    expect(fake.requests).toMatchObject([{ outcome: 'left' }]);
  });

  it('an upload can be rejected before it is read', async () => {
    fake.answer('files.upload', faults.rejectUpload());
    const controller = new AbortController();
    const response = await upload(fake.url, controller.signal);
    expect([response.status, await response.json()]).toEqual([413, { error: { code: '1210', message: 'The file is too large.' } }]);
    expect(fake.requests).toMatchObject([{ operation: 'files.upload', bytes: new Uint8Array() }]);
    controller.abort();
    await fake.idle();
  });
});
