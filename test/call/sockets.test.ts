import { describe, expect } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken, transports } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';

const fake = await sharedFake();
const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
const text = { body: 'x'.repeat(200_000), headers: { 'content-type': 'text/plain' } };

onBothWays((driver, clientFor) => {
  test.each([
    ['a refused redirect with an endless body', faults.all(faults.redirect('https://elsewhere.example/'), faults.endlessLine())],
    ['a 101 where a proxy expects one', faults.all(faults.switchingProtocols(), faults.hugeHeader(10))],
  ])('%s leaves no exchange, whole or streamed', async (_name, fault) => {
    fake.answer(driver.operation, fault, fault);
    const client = clientFor(fake);
    expect(await failure(driver.create(client))).toBeInstanceOf(Error);
    expect((await taken(driver.stream(client))).error).toBeInstanceOf(Error);
    await fake.idle({ timeoutMs: 10_000 });
    expect(fake.requests).toHaveLength(2);
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  test.each<[string, Fault]>([
    ['text of 200 KB', { ...faults.slowHeaders(0), reply: text }],
    ['text that never ends', { ...faults.endlessLine(), reply: text }],
    ['JSON that never ends', { ...faults.endlessLine(), reply: { ...text, headers: { 'content-type': 'application/json' } } }],
  ])('%s instead of audio is an ApiError, and leaves no exchange', async (_name, fault) => {
    fake.answer('audio.speech', fault);
    const client = newClient(fake.configFor(overrides));
    const call = client.audio().speech(undefined, { model: 'glm-tts', input: 'hi', voice: 'tongtong' } as never);
    expect(await failure(call)).toMatchObject({ kind: 'api' });
    await fake.idle({ timeoutMs: 10_000 });
  });

  test.each([1e15, 2 ** 53, 3, 0])('a content-length of %d is not a RangeError, however the bytes are read', async (length) => {
    const reply = { body: new Uint8Array(1000) };
    const fault: Fault = { ...faults.lyingLength(length), reply };
    fake.answer('files.content', fault, fault, fault);
    const files = newClient(fake.configFor({ ...overrides, maxRetries: 0 })).files();
    const ends = [
      await files
        .content(undefined, 'f')
        .then((one) => one.bytes())
        .catch((error: unknown) => error),
      await files
        .content(undefined, 'f')
        .then((one) => one.text())
        .catch((error: unknown) => error),
      await files
        .content(undefined, 'f')
        .then((one) => taken(one))
        .catch((error: unknown) => ({ error })),
    ];
    // Fewer bytes than there are: the platform hides the rest, or breaks.
    if (length > 1000)
      for (const end of ends)
        expect((end as { error?: unknown }).error ?? end).toMatchObject({ name: expect.stringMatching(/^(Connection|Stream)Error$/) });
    else for (const end of ends) expect(end).not.toBeInstanceOf(RangeError);
    await fake.idle({ timeoutMs: 10_000 });
  });

  const client = `newClient({ ...config, ${overrides.httpClient ? 'httpClient: (url, init) => fetch(url, init)' : ''} })`;
  const child = (config: object, body: string, flags: readonly string[] = []): ReturnType<typeof childOutcome> =>
    childOutcome(`const config = ${JSON.stringify(config)};\nconst request = ${JSON.stringify(request)};\nconst client = ${client};\n${body}`, flags);
  const collect = `const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const collect = async (until) => { for (let count = 0; count < 400 && !until(); count++) { gc(); await turn(); } };`;

  test('a stream, or a reply of bytes, that was dropped is ended once it has been collected: hooks once, and the process goes', async () => {
    const { fake: own } = await openFake();
    const waiting = faults.all(faults.missingDone(), faults.gluedFrames('packed'), faults.doneThenOpen());
    own.answer('chat.create', faults.silentAfterHeaders(3), waiting).fallback('files.content', faults.doneThenOpen());
    const { stdout } = await child(
      own.configFor({ maxRetries: 0 }),
      `${collect}
      const dropped = {
        'a stream': (client) => client.chat().stream(undefined, request).next(),
        'a stream left with items waiting': (client) => client.chat().stream(undefined, request).next(),
        'a binary reply': (client) => client.files().content(undefined, 'f'),
        'a raw reply': (client) =>
          client.bindings('chat').GET('/files/{file_id}/content', { params: { path: { file_id: 'f' } }, parseAs: 'stream' }),
      };
      for (const [name, open] of Object.entries(dropped)) {
        const seen = [];
        const hooks = [{ onResponse: ({ complete }) => seen.push('response ' + complete), onError: () => seen.push('error') }];
        Object.assign(config, { hooks });
        const watched = ${client};
        await (async () => { await open(watched); })();
        await collect(() => seen.length > 0);
        console.log(name, ...seen);
      }`,
      ['--expose-gc'],
    );
    const names = ['a stream', 'a stream left with items waiting', 'a binary reply', 'a raw reply'];
    expect(stdout.trim().split('\n')).toEqual(names.map((name) => `${name} response false`));
    await own.idle({ sockets: true, timeoutMs: 10_000 });
  });

  test('tool streams that were dropped leave no listener at the signal of the caller', async () => {
    const { fake: own } = await openFake();
    own.fallback('*', faults.silentAfterHeaders(3));
    const { stdout } = await child(
      own.configFor({ maxRetries: 0 }),
      `import { getEventListeners } from 'node:events';
      ${collect}
      const { signal } = new AbortController();
      const listeners = () => getEventListeners(signal, 'abort').length;
      const tools = { ...request, tools: [{ type: 'function', function: { name: 'f' } }] };
      for (let count = 0; count < 5; count++) await client.chat().streamWithTools(signal, tools, () => 'x').next();
      const before = listeners();
      await collect(() => listeners() === 0);
      console.log(JSON.stringify([before > 0, listeners()]));`,
      ['--expose-gc'],
    );
    expect(JSON.parse(stdout)).toEqual([true, 0]);
    await own.idle({ sockets: true, timeoutMs: 10_000 });
  });

  test('a stream whose reader waits is never collected', async ({ fake: own }) => {
    const frame = (content: string): object => ({ id: '1', choices: [{ index: 0, delta: { content } }] });
    // The second request lets the first one's stream go on.
    async function* frames(): AsyncGenerator<string | object> {
      yield frame('one');
      await until(() => own.requests.length > 1);
      yield frame('two');
      yield 'data: [DONE]\n\n';
    }
    own.answer('chat.create', { frames: frames() });
    const { stdout } = await child(
      own.configFor(),
      `${collect}
      const waiting = await (async () => {
        const stream = client.chat().stream(undefined, request);
        await stream.next();
        return { item: stream.next() };
      })();
      for (let count = 0; count < 100; count++) { gc(); await turn(); }
      await client.models().list(undefined);
      console.log((await waiting.item).value.choices[0].delta.content);`,
      ['--expose-gc'],
    );
    expect(stdout.trim()).toBe('two');
  });

  test('a process whose calls have failed ends by itself, however they failed', async () => {
    const { fake: own } = await openFake();
    const ends: readonly (readonly [name: string, fault: Fault, kind: string])[] = [
      ['a 101', faults.switchingProtocols(), 'connection'],
      ['a refused redirect', faults.redirect('https://elsewhere.example/'), 'api'],
      ['a refused redirect with an endless body', faults.all(faults.redirect('https://elsewhere.example/'), faults.endlessLine()), 'api'],
      ['a header timeout', faults.silentBeforeHeaders(), 'timeout'],
      ['a gzip bomb', faults.gzipBomb(80_000_000), 'reply'],
      ['an error that drips', faults.drippedError(), 'api'],
      ['a length that lies', faults.lyingLength(), 'connection'],
    ];
    // The model of a request names its end.
    own.fallback('chat.create', ({ body }) => ends.find(([name]) => name === (body as { model: string }).model)?.[1]);
    const { stdout } = await child(
      own.configFor({ timeout: 1500, wholeReplies: true }),
      `const names = ${JSON.stringify(ends.map(([name]) => name))};
      const end = (model) => client.chat().create(undefined, { ...request, model }).then(() => 'ok', (error) => error.kind);
      console.log(JSON.stringify(await Promise.all(names.map(end))));`,
    );
    expect(JSON.parse(stdout)).toEqual(ends.map(([, , kind]) => kind));
    expect(own.requests).toHaveLength(ends.length);
    await own.idle({ sockets: true, timeoutMs: 10_000 });
  });
});

describe('the pool of node:http', () => {
  test('300 clients with equal settings share their sockets', async ({ fake: own }) => {
    for (let count = 0; count < 300; count++)
      await newClient(own.configFor({ timeout: 10_000 + count }))
        .chat()
        .create(undefined, request);
    expect(own.sockets).toBeLessThanOrEqual(2);
  });

  test.each(transports)('1,000 calls at once take maxSockets sockets at most, and all succeed: $transport', async ({ overrides }) => {
    const { fake: own } = await openFake();
    let peak = 0;
    own.fallback('chat.create', () => {
      // Node's fetch may dial before it has noticed that a socket is free: there the exchanges count.
      peak = Math.max(peak, overrides.httpClient ? own.exchanges : own.sockets);
      return undefined;
    });
    // The last call waits for a socket as long as the machine takes for all others.
    const client = newClient(own.configFor({ ...overrides, maxSockets: 12, maxRetries: 0, timeout: 0 }));
    await Promise.all(Array.from({ length: 1000 }, () => client.chat().create(undefined, request)));
    expect(peak).toBeLessThanOrEqual(12);
    expect(own.requests).toHaveLength(1000);
  });

  test.each(transports)(
    'a call that is aborted while it waits for a socket is not sent, and holds up no other: $transport',
    async ({ overrides }) => {
      const { fake: own } = await openFake();
      own.answer('chat.create', faults.silentBeforeHeaders());
      const client = newClient(own.configFor({ ...overrides, maxSockets: 1, maxRetries: 0 }));
      const [first, second] = [new AbortController(), new AbortController()];
      const one = failure(client.chat().create(first.signal, request));
      const two = failure(client.chat().create(second.signal, request));
      const three = client.chat().create(undefined, request);
      await until(() => own.requests.length > 0);
      second.abort();
      expect(await two).toMatchObject({ kind: 'abort' });
      first.abort();
      expect(await one).toMatchObject({ kind: 'abort' });
      await expect(three).resolves.toBeDefined();
      expect(own.requests).toHaveLength(2);
    },
  );
});
