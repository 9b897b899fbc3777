import { describe, expect, test } from 'vitest';
import { type Config, isApiError, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type Fault, faults, startFakeService } from '../../src/testing/index.ts';
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

  test('a kept-alive connection that the server closed is not an attempt', async () => {
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
});

async function* suppress(stream: AsyncIterable<object>): AsyncGenerator<object> {
  try {
    yield* stream;
  } catch {
    // How it ends does not matter here.
  }
}
