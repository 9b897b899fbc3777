// A refusal is known by its code, wherever it is.
import { describe, expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import { type Hook, isApiError, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const reply = { turn: { text: ['one ', 'two'] } };
const fast = { retryDelay: 0 };

/** A refusal inside a 200, instead of the answer. */
const places: readonly [name: string, fault: (code: string) => Fault][] = [
  ['in place of the reply', (code) => faults.embeddedFailure(undefined, code)],
  ['as the first frame', (code) => faults.inBandError(code, 'busy', 0)],
  ['as the first event: error', (code) => faults.eventError(code, 'busy', 0)],
];
const codes = [
  ['1302', true],
  ['1305', true],
  ['1301', false],
  ['1113', false],
  ['1308', false],
] as const;

onBothWays((driver, clientFor) => {
  describe.each(places)('a refusal inside a 200 %s', (_name, fault) => {
    test('is retried if a retry can help by its code, and ends the call where not', async () => {
      const client = clientFor(fake, { ...fast, maxRetries: 1 });
      for (const [code, isRetried] of codes) {
        fake.reset();
        fake.answer(driver.operation, fault(code), reply, fault(code), reply);
        const created = await driver.create(client).catch((error: unknown) => error);
        const streamed = await taken(driver.stream(client));
        const seen = [isApiError(created) ? created.code : responseInfo(created)?.attempts, streamed.error ?? textIn(streamed.items)];
        if (isRetried) expect([code, ...seen, fake.requests.length]).toEqual([code, 2, 'one two', 4]);
        else expect([code, seen[0], fake.requests.length]).toEqual([code, code, 2]);
      }
    });

    test('counts as an attempt: within maxRetries, with its hooks, and its wait can be aborted', async () => {
      const seen: string[] = [];
      const hook: Hook = {
        onRequest: ({ attempt }) => void seen.push(`request ${attempt}`),
        onError: ({ attempt }) => void seen.push(`error ${attempt}`),
        onRetry: (_meta, _error, delayMs, why) => void seen.push(`${why} ${delayMs !== undefined}`),
        onEnd: (_operation, { kind }) => void seen.push(kind),
      };
      fake.fallback(driver.operation, fault('1305'));
      const { error } = await taken(driver.stream(clientFor(fake, { ...fast, maxRetries: 1, hooks: [hook] })));
      expect(error).toMatchObject({ kind: 'api', status: 200, code: '1305', attempts: 2, retryable: true });
      expect(seen).toEqual(['request 0', 'error 0', 'retried true', 'request 1', 'error 1', 'exhausted false', 'error']);
      expect(await failure(driver.create(clientFor(fake, { ...fast, maxRetries: 2 })))).toMatchObject({ code: '1305', attempts: 3 });
      const leaving = new AbortController();
      const aborted = taken(driver.stream(clientFor(fake, { retryDelay: 20_000, hooks: [{ onRetry: () => leaving.abort() }] }), leaving.signal));
      expect(isModelsvcError((await aborted).error, 'abort')).toBe(true);
      fake.fallback(driver.operation, undefined);
    });
  });

  test.each([1, 2])('after %i items it is the error of the stream', async (items) => {
    fake.answer(driver.operation, { ...faults.inBandError('1305', 'busy', items), reply }, reply);
    const got = await taken(driver.stream(clientFor(fake, fast)));
    expect([got.items.length, isApiError(got.error) && got.error.code, fake.requests.length]).toEqual([items, '1305', 1]);
  });

  test('a reply that has counts or output was answered, and is not asked for again', async () => {
    const body = { error: { code: '1305', message: 'busy' }, usage: { total_tokens: 7 } };
    fake.answer(driver.operation, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }, reply);
    expect(await failure(driver.create(clientFor(fake, fast)))).toMatchObject({ code: '1305', attempts: 1 });
    expect(fake.requests).toHaveLength(1);
  });

  test('comments before the first item are waited for, and the time without content is kept', async () => {
    const body = `: wait\n\n: wait\n\nevent: error\ndata: {"type":"error","code":"1305","error":{"code":"1305","message":"busy"}}\n\n`;
    fake.answer(driver.operation, { body, headers: { 'content-type': 'text/event-stream' } }, reply);
    expect(textIn((await taken(driver.stream(clientFor(fake, fast)))).items)).toBe('one two');
    fake.reset();
    const clock = stoppedClock();
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(0), reply });
    const silent = taken(driver.stream(clientFor(fake, { streamContentTimeout: 5000 })));
    await until(() => fake.requests.length === 1);
    const { error } = await clock.run(silent, 500);
    expect(error).toMatchObject({ kind: 'timeout', attempts: 1, timeoutMs: 5000 });
  });

  test('a stream that is left while it waits for its next attempt sends none', async () => {
    fake.fallback(driver.operation, faults.inBandError('1305', 'busy', 0));
    const clock = stoppedClock();
    let waits = false;
    const client = clientFor(fake, { retryFor: 60_000, retryDelay: 20_000, hooks: [{ onRetry: () => void (waits = true) }] });
    const stream = driver.stream(client);
    const first = stream.next();
    await until(() => waits);
    await stream.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    clock.pass(60_000);
    await turns();
    expect(fake.requests).toHaveLength(1);
  });

  test('a stream that is left before its first item closes its socket', async () => {
    const ends: string[] = [];
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(0), reply });
    const client = clientFor(fake, { hooks: [{ onEnd: (_operation, { kind }) => void ends.push(kind) }] });
    const stream = driver.stream(client);
    const first = stream.next();
    await until(() => fake.requests.length === 1);
    await stream.return?.();
    expect(await first).toEqual({ done: true, value: undefined });
    await fake.idle();
    expect(ends).toEqual(['cancelled']);
  });
});

test('the adapter does the same if it retries, and gives 503 to a client that retries', async () => {
  for (const retries of ['adapter', 'client'] as const) {
    fake.reset();
    fake.answer('chat.create', faults.inBandError('1305', 'busy', 0), reply);
    const { status } = await serviceFetch({ baseURL: fake.url, retries })(`${fake.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.configFor().apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'glm-5.3', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect([status, fake.requests.length]).toEqual(retries === 'adapter' ? [200, 2] : [429, 1]);
  }
});

test('what creates, and every other operation, sends one request for a refusal inside a 200', async () => {
  const client = newClient(fake.configFor(fast));
  const refused = faults.embeddedFailure(undefined, '1305');
  const others = allRoutes.filter(({ method, performs }) => method === 'POST' && performs !== 'answer').map(({ id }) => id);
  const background = { model: 'glm-5.3', input: 'hi', background: true } as never;
  const calls: readonly (readonly [string, () => Promise<unknown> | undefined])[] = [
    ...others.map((id) => [id, () => everyOperation[id]?.perform(client)] as const),
    ['responses.create', () => client.responses().create(undefined, background)],
  ];
  for (const [operation, call] of calls) {
    fake.reset();
    fake.fallback(operation as 'chat.create', refused);
    expect([operation, isApiError(await failure(Promise.resolve(call()))), fake.requests.length]).toEqual([operation, true, 1]);
  }
});
