import { describe, expect, test } from 'vitest';
import { ApiError, type Config, isApiError, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type Fault, faults, refusedUrl, startFakeService } from '../../src/testing/index.ts';
import { envelopeShapes } from '../../src/testing/requests/envelopes.ts';
import type { FetchLike } from '../../src/types/index.ts';
import { onBothWays, transports } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

onBothWays((driver, clientFor) => {
  const reply = { turn: { text: 'done' } };

  test.each([
    ['a reset before the header', [faults.resetBeforeHeaders()]],
    ['three 5xx', faults.serverErrors(3)],
    ['a gateway page with 502', [faults.htmlErrorPage(502)]],
    ['429 with a code that waiting mends', [faults.rateLimit({ ms: 0 }, '1302')]],
    ['429 with an unknown code', [faults.rateLimit(undefined, '4711')]],
  ])('%s is retried and then succeeds', async (_name, run) => {
    fake.answer(driver.operation, ...run, reply);
    const result = await driver.create(clientFor(fake));
    expect(JSON.stringify(result)).toContain('done');
    expect(fake.requests).toHaveLength(run.length + 1);
    expect(responseInfo(result)).toMatchObject({ status: 200, attempts: run.length + 1, requestId: expect.stringMatching(/^\d{14}/) });
  });

  test.each([
    ['400', faults.error(400, '1210'), 'parameter'],
    ['401', faults.error(401, '401'), 'auth'],
    ['403', faults.error(403, '1220'), 'permission'],
    ['404 with an unknown code', faults.error(404, '4711'), 'parameter'],
    ['422 with an unknown code', faults.error(422, '4711'), 'parameter'],
    ['429 without balance', faults.rateLimit(undefined, '1113'), 'billing'],
    ['429 with the plan window used up', faults.rateLimit(undefined, '1308'), 'quota'],
    ['429 that asks for two minutes', faults.rateLimit({ seconds: 120 }), 'rate'],
  ])('%s fails at once', async (_name, fault, category) => {
    fake.answer(driver.operation, fault);
    const error = await failure(driver.create(clientFor(fake)));
    expect(isApiError(error) && error.category).toBe(category);
    expect(fake.requests).toHaveLength(1);
  });

  test('Retry-After beyond a minute stands on the error, in milliseconds', async () => {
    fake.answer(driver.operation, faults.rateLimit({ seconds: 120 }));
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ retryAfter: 120_000 });
  });

  test('after the last retry the last error is thrown, with the number of attempts', async () => {
    fake.answer(driver.operation, faults.serverErrors(4, 503));
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ kind: 'api', status: 503, attempts: 4 });
    expect(fake.requests).toHaveLength(4);
  });

  test.each([0, -1])('maxRetries %i means none', async (maxRetries) => {
    fake.answer(driver.operation, faults.serverErrors(1));
    expect(await failure(driver.create(clientFor(fake, { maxRetries })))).toMatchObject({ attempts: 1 });
    expect(fake.requests).toHaveLength(1);
  });

  test('no answer in time is not sent again: the service may still be working, and billing', async () => {
    fake.answer(driver.operation, faults.silentBeforeHeaders());
    const clock = stoppedClock();
    const call = failure(driver.create(clientFor(fake)));
    await until(() => fake.requests.length === 1);
    const error = await clock.run(call, 1000);
    expect(isModelsvcError(error, 'timeout') && error.phase).toBe('headers');
    expect(String(error)).toMatch(/may still be working: raise timeout/);
    expect(fake.requests).toHaveLength(1);
  });

  test('a body that goes silent ends after streamIdleTimeout', async () => {
    fake.answer(driver.operation, faults.silentAfterHeaders());
    expect(await failure(driver.create(clientFor(fake, { streamIdleTimeout: 50 })))).toMatchObject({ kind: 'timeout', phase: 'body' });
  });

  test('timeout does not cut a slow body', async () => {
    const clock = stoppedClock();
    fake.answer(driver.operation, { ...faults.slowDrip(64, 20), reply });
    const call = driver.create(clientFor(fake, { timeout: 100 }));
    await until(() => fake.requests.length === 1);
    await turns();
    clock.pass(10_000);
    expect(JSON.stringify(await call)).toContain('done');
  });

  test.each(envelopeShapes.map((shape) => [shape]))('a failure inside a 200 is an ApiError: %s envelope', async (shape) => {
    fake.answer(driver.operation, faults.embeddedFailure(shape, '1305'));
    const error = await failure(driver.create(clientFor(fake, { maxRetries: 0 })));
    // The agents' shape is a failure by its error object, wherever it comes.
    expect(isApiError(error)).toBe(true);
    expect(error).toMatchObject({ status: 200, code: '1305' });
    expect(fake.requests).toHaveLength(1);
  });

  test('a reply with a byte order mark is read', async () => {
    fake.answer(driver.operation, { ...faults.byteOrderMark(), reply });
    expect(JSON.stringify(await driver.create(clientFor(fake)))).toContain('done');
  });

  describe('abort', () => {
    test('before the call: nothing is sent', async () => {
      expect(isModelsvcError(await failure(driver.create(clientFor(fake), AbortSignal.abort())), 'abort')).toBe(true);
      expect(fake.requests).toHaveLength(0);
    });

    test.each([
      ['waiting for the header', faults.silentBeforeHeaders(), {}],
      ['reading', faults.silentAfterHeaders(), {}],
      ['backing off', faults.error(503, '500'), { retryDelay: 600_000 }],
    ])('while %s: settles at once and frees the socket', async (_name, fault, overrides) => {
      fake.answer(driver.operation, fault);
      const controller = new AbortController();
      const call = failure(driver.create(clientFor(fake, overrides), controller.signal));
      await until(() => fake.requests.length === 1);
      await turns();
      controller.abort(new Error('enough'));
      // None of the three would end by itself.
      expect(await call).toMatchObject({ kind: 'abort', cause: controller.signal.reason });
      await fake.idle();
      expect(fake.requests).toHaveLength(1);
    });
  });

  test('a long-lived signal keeps no listener, however a call ends', async () => {
    const { signal, listeners } = countingSignal();
    const client = clientFor(fake, { maxRetries: 1, timeout: 50, streamIdleTimeout: 50 });
    const ends: Fault[] = [
      faults.resetBeforeHeaders(),
      faults.error(400, '1210'),
      faults.silentBeforeHeaders(),
      faults.silentAfterHeaders(),
      faults.htmlErrorPage(200),
    ];
    for (const fault of ends) {
      // A request that was given up may still arrive: it takes no answer from another.
      fake.fallback(driver.operation, fault);
      await driver.create(client, signal).catch(() => undefined);
      for await (const _ of suppress(driver.stream(client, signal))) break;
      expect(listeners()).toBe(0);
    }
    fake.fallback(driver.operation, undefined);
    await driver.create(clientFor(fake), signal);
    for await (const _ of driver.stream(clientFor(fake), signal));
    for await (const _ of driver.stream(clientFor(fake), signal)) break;
    expect(listeners()).toBe(0);
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  function clientOf(config: Partial<Config>) {
    return newClient(fake.configFor({ ...overrides, ...config }));
  }
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

  test('a refused connection is retried, then a ConnectionError with its code', async () => {
    const error = await failure(
      clientOf({ baseURL: await refusedUrl(), maxRetries: 1 })
        .chat()
        .create(undefined, request),
    );
    expect(error).toMatchObject({ kind: 'connection', phase: 'connect', code: 'ECONNREFUSED', attempts: 2 });
  });

  test('reads are sent again after a header timeout and after a broken body', async () => {
    fake.answer('models.list', faults.silentBeforeHeaders(), faults.resetMidBody());
    const clock = stoppedClock();
    const call = clientOf({}).models().list(undefined);
    await until(() => fake.requests.length === 1);
    await turns();
    clock.pass(30_000);
    const list = await clock.run(call);
    expect(JSON.stringify(list)).toContain('glm-4.6');
    expect(fake.requests).toHaveLength(3);
  });

  test('a redirect on the same origin is followed with key and body', async () => {
    fake.answer('chat.create', faults.redirect(`${fake.url}/chat/completions?again=1`, 307));
    await clientOf({}).chat().create(undefined, request);
    expect(fake.requests.map((one) => one.method)).toEqual(['POST', 'POST']);
    expect(fake.requests[1]?.body).toEqual(fake.requests[0]?.body);
  });

  test.each([301, 302, 303, 307, 308])('a POST redirected with %i to another origin never arrives there', async (status) => {
    const other = await startFakeService();
    fake.answer('chat.create', faults.redirect(`${other.url}/chat/completions`, status));
    expect(await failure(clientOf({}).chat().create(undefined, request))).toMatchObject({ kind: 'api', status });
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  test('a GET redirected to another origin goes on without the key', async () => {
    const other = await startFakeService({ keys: 'any' });
    fake.answer('models.list', faults.redirect(`${other.url}/models`, 302));
    // The fake wants a key of any kind; that it refuses shows that none came.
    expect(await failure(clientOf({}).models().list(undefined))).toMatchObject({ status: 401 });
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    await other.close();
  });

  test('a redirect of a browser, which hides status and target, is refused and not retried', async () => {
    let sent = 0;
    // As fetch returns it for `redirect: 'manual'`; a Response with status 0 cannot be constructed.
    const opaque = { type: 'opaqueredirect', status: 0, headers: new Headers(), body: null };
    const httpClient = (async () => {
      sent += 1;
      return opaque;
    }) as unknown as FetchLike;
    const error = await failure(clientOf({ httpClient }).chat().create(undefined, request));
    expect(error).toMatchObject({ kind: 'api', retryable: false, message: expect.stringContaining('redirect refused: browsers hide its target') });
    expect(sent).toBe(1);
  });

  test('an endless redirect ends', async () => {
    fake.fallback('models.list', faults.redirect(`${fake.url}/models`, 302));
    expect(String(await failure(clientOf({}).models().list(undefined)))).toContain('redirect refused');
    fake.fallback('models.list', undefined);
  });

  test('calls in a row share two connections', async () => {
    const client = clientOf({});
    const before = fake.sockets;
    for (let count = 0; count < 10; count++) await client.chat().create(undefined, request);
    for (let count = 0; count < 5; count++) for await (const _ of client.chat().stream(undefined, request));
    // A call that follows directly gets another socket than the last one, whose server may be about to close it.
    expect(fake.sockets - before).toBeLessThanOrEqual(2);
  });

  test('a kept-alive connection that the server closed is no attempt', async () => {
    const seen: number[] = [];
    const client = clientOf({ maxRetries: 0, hooks: [{ onRequest: (meta) => seen.push(meta.attempt) }] });
    await client.chat().create(undefined, request);
    await fake.refuse();
    await fake.accept();
    await turns();
    if (overrides.httpClient) return; // Node's fetch has its own pool, which notices the close by itself.
    await client.chat().create(undefined, request);
    expect(seen).toEqual([0, 0]);
  });

  test('what the service says is passed on, with the key blacked out', async () => {
    const { apiKey } = fake.configFor();
    fake.answer('chat.create', faults.error(401, '1000', `key ${apiKey} is wrong`));
    const error = await failure(clientOf({}).chat().create(undefined, request));
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('[key]');
    expect(String(error)).not.toContain(apiKey);
  });
});

async function* suppress(stream: AsyncIterable<object>): AsyncGenerator<object> {
  try {
    yield* stream;
  } catch {
    // How it ends does not matter here.
  }
}
