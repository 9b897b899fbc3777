import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { type Client, type Config, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import type { FetchLike } from '../../src/types/index.ts';
import { surfaces, taken } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { failure } from '../support/failure.ts';
import { strictRejections } from '../support/strict-rejections.ts';

function clientOf(httpClient: FetchLike, config: Partial<Config> = {}): Client {
  return newClient({ apiKey: 'test-key', httpClient, retryDelay: 1, ...config });
}

/** The error of a runtime's fetch when the connection fails: the platform's code is one level down. */
function fetchFailed(code: string, words = 'fetch failed'): TypeError {
  return Object.assign(new TypeError(words), { cause: Object.assign(new Error(`SECRET ${code}`), { code }) });
}

const good = (): Response => Response.json({ id: '1', choices: [{}], content: [{}], output: [{}] });

const thrown: [what: string, value: unknown, code: string | undefined][] = [
  ['a refused connection', fetchFailed('ECONNREFUSED'), 'ECONNREFUSED'],
  ['a reset', fetchFailed('ECONNRESET'), 'ECONNRESET'],
  ['an unknown host', fetchFailed('ENOTFOUND'), 'ENOTFOUND'],
  ['a resolver that does not answer', fetchFailed('EAI_AGAIN'), 'EAI_AGAIN'],
  ['a bad certificate', fetchFailed('SELF_SIGNED_CERT_IN_CHAIN'), 'SELF_SIGNED_CERT_IN_CHAIN'],
  ["a socket that Node's fetch lost", fetchFailed('UND_ERR_SOCKET'), 'UND_ERR_SOCKET'],
  ["a connection that Node's fetch gave up", fetchFailed('UND_ERR_CONNECT_TIMEOUT'), 'UND_ERR_CONNECT_TIMEOUT'],
  ['ConnectionRefused, as Bun says it', Object.assign(new Error('Unable to connect'), { code: 'ConnectionRefused' }), 'ConnectionRefused'],
  ['ConnectionClosed, as Bun says it', Object.assign(new Error('closed'), { code: 'ConnectionClosed' }), 'ConnectionClosed'],
  ['FailedToOpenSocket, as Bun says it', Object.assign(new Error('no socket'), { code: 'FailedToOpenSocket' }), 'FailedToOpenSocket'],
  ['words alone, as Deno says it', new TypeError('error sending request for url (SECRET)'), undefined],
  ['words alone, as browsers say it', new TypeError('Failed to fetch'), undefined],
  ['an AbortError that nobody asked for', new DOMException('SECRET', 'AbortError'), undefined],
  ['an error of another realm', runInNewContext("Object.assign(new TypeError('SECRET'), { name: 'AbortError', code: 'X_REALM' })"), 'X_REALM'],
  ['a string', 'SECRET', undefined],
  ['nothing', undefined, undefined],
  ['null', null, undefined],
  ['a number', 20, undefined],
  ['an object without a prototype', Object.create(null), undefined],
  ['an error that causes itself', selfCaused(), undefined],
];

function selfCaused(): Error {
  const error = new Error('SECRET');
  error.cause = error;
  return error;
}

describe.each(surfaces)('$surface', (driver) => {
  test.each(thrown)('%s, thrown or rejected with, is a ConnectionError with its code, and is retried', async (_what, value, code) => {
    for (const fail of [
      () => {
        throw value;
      },
      () => Promise.reject(value),
    ] as FetchLike[]) {
      const error = await failure(driver.create(clientOf(fail, { maxRetries: 1 })));
      expect(isModelsvcError(error, 'connection', 'timeout')).toBe(true);
      expect(error).toMatchObject({ kind: 'connection', code, attempts: 2 });
      expect(String(error)).not.toContain('SECRET');
      let calls = 0;
      const recovers: FetchLike = (url, init) => (calls++ === 0 ? fail(url, init) : Promise.resolve(good()));
      expect(responseInfo(await driver.create(clientOf(recovers)))).toMatchObject({ attempts: 2 });
    }
  });

  test('a fetch that gave up waiting after its own limit is a TimeoutError, and a call that bills is not sent again', async () => {
    let calls = 0;
    const gaveUp: FetchLike = () => {
      calls++;
      return Promise.reject(fetchFailed('UND_ERR_HEADERS_TIMEOUT'));
    };
    const error = await failure(driver.create(clientOf(gaveUp, { timeout: 0 })));
    expect(isModelsvcError(error, 'timeout') && error.phase).toBe('headers');
    expect(String(error)).toContain('300 s');
    expect(calls).toBe(1);
    await taken(driver.stream(clientOf(gaveUp, { maxRetries: 2 })));
    expect(calls).toBe(2);
  });

  test('a body that fetch gave up waiting for is a TimeoutError', async () => {
    const body = (): ReadableStream =>
      new ReadableStream({ pull: (controller) => controller.error(fetchFailed('UND_ERR_BODY_TIMEOUT', 'terminated')) });
    for (const type of ['application/json', 'text/event-stream']) {
      const client = clientOf(async () => new Response(body(), { headers: { 'content-type': type } }));
      const error = type.endsWith('json') ? await failure(driver.create(client)) : (await taken(driver.stream(client))).error;
      expect(isModelsvcError(error, 'timeout') && error.phase).toBe('body');
    }
  });

  test('what is not a Response is a ConnectionError', async () => {
    for (const value of [undefined, null, {}, 'text'])
      expect(isModelsvcError(await failure(driver.create(clientOf(async () => value as never, { maxRetries: 0 }))), 'connection', 'timeout')).toBe(
        true,
      );
  });

  test('a signal that has aborted already: fetch is not called', async () => {
    let calls = 0;
    const client = clientOf(async () => {
      calls++;
      return good();
    });
    expect(isModelsvcError(await failure(driver.create(client, AbortSignal.abort())), 'abort')).toBe(true);
    expect(isModelsvcError((await taken(driver.stream(client, AbortSignal.abort()))).error, 'abort')).toBe(true);
    expect(calls).toBe(0);
  });

  test('a fetch that ignores its signal delays neither an abort nor a timeout', async () => {
    const rejections = strictRejections();
    const late: ((response: Response) => void)[] = [];
    let cancelled = 0;
    const deaf: FetchLike = () => new Promise((resolve) => late.push(resolve));
    const controller = new AbortController();
    const call = failure(driver.create(clientOf(deaf), controller.signal));
    await until(() => late.length === 1);
    controller.abort(new Error('enough'));
    expect(await call).toMatchObject({ kind: 'abort', cause: controller.signal.reason });
    expect(isModelsvcError(await failure(driver.create(clientOf(deaf, { timeout: 20 }))), 'timeout')).toBe(true);
    // Its answers come too late, so they are canceled.
    for (const resolve of late) resolve(new Response(new ReadableStream({ cancel: () => void cancelled++ })));
    expect(await rejections.settled()).toEqual([]);
    expect(cancelled).toBe(late.length);
  });

  test.each<[string, () => unknown]>([
    ['its own AbortError', () => new DOMException('This operation was aborted', 'AbortError')],
    ['an error of another kind', () => fetchFailed('UND_ERR_ABORTED')],
    ['something that is no error', () => 'aborted'],
  ])('an abort is the AbortError with the reason of the signal, though fetch rejects with %s', async (_what, reason) => {
    const { controller, signal, listeners } = countingSignal();
    let asked = 0;
    const client = clientOf((_url, init) => {
      asked++;
      return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(reason()), { once: true }));
    });
    const mine = { why: 'closing' };
    const calls = [failure(driver.create(client, signal)), taken(driver.stream(client, signal)).then(({ error }) => error)];
    await until(() => asked === 2);
    controller.abort(mine);
    for (const error of await Promise.all(calls)) {
      expect(isModelsvcError(error, 'abort')).toBe(true);
      expect((error as Error).cause).toBe(mine);
    }
    expect(listeners()).toBe(0);
  });

  test('each attempt has a signal of its own, and one that ended well is left alone', async () => {
    const signals: AbortSignal[] = [];
    const client = clientOf(async (_url, init) => {
      if (init.signal) signals.push(init.signal);
      return signals.length < 3 ? Response.json({ error: { code: '500', message: 'busy' } }, { status: 503 }) : good();
    });
    await driver.create(client, new AbortController().signal);
    expect(new Set(signals).size).toBe(3);
    expect(signals[2]?.aborted).toBe(false);
  });

  test('the same body and headers go out with each attempt, and are not changed by fetch', async () => {
    const seen: string[] = [];
    const client = clientOf(async (_url, init) => {
      seen.push(JSON.stringify([init.body, init.headers]));
      (init.headers as Record<string, string>)['authorization'] = 'tampered';
      return seen.length < 3 ? Response.json({ error: { code: '500', message: 'busy' } }, { status: 503 }) : good();
    });
    await driver.create(client);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });
});

test('a fetch that ignores its signal does not keep the process once its calls have been aborted or the client is closed', async () => {
  const { stdout } = await childOutcome(`
    const client = newClient({ apiKey: 'any', timeout: 3_600_000, httpClient: () => new Promise(() => {}) });
    const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
    const controller = new AbortController();
    const calls = [client.chat().create(controller.signal, request), client.chat().create(undefined, request)];
    controller.abort();
    client.close();
    console.log((await Promise.allSettled(calls)).map(({ reason }) => reason.name).join());
  `);
  expect(stdout).toBe('AbortError,AbortError\n');
});
