import { describe, expect, test } from 'vitest';
import { type ChatChunk, type Hook, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

const reply = { turn: { text: ['one ', 'two ', 'three'] } };
const asked = (): Promise<void> => until(() => fake.requests.length > 0);

onBothWays((driver, clientFor) => {
  test('calls of next at the same time get one item each, in order', async () => {
    fake.answer(driver.operation, reply, reply);
    const one = driver.stream(clientFor(fake));
    const all = await taken(driver.stream(clientFor(fake)));
    const results = await Promise.all(Array.from({ length: all.items.length + 2 }, () => one.next()));
    expect(textIn(results.flatMap((result) => (result.done ? [] : [result.value])))).toBe('one two three');
    expect(results.map((result) => result.done)).toEqual([...all.items.map(() => false), true, true]);
    expect(fake.requests).toHaveLength(2);
  });

  test('a failure rejects one of those who wait, once; the others and all later calls see the end', async () => {
    fake.answer(driver.operation, { ...faults.inBandError('1301', 'broken', 0), reply });
    const stream = driver.stream(clientFor(fake));
    const results = await Promise.allSettled([stream.next(), stream.next(), stream.next()]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    for (const result of results.slice(1)) expect(result).toMatchObject({ value: { done: true } });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  test('chunks that came before the next read are delivered before the failure that followed them', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream('frame', 'close'), reply });
    const stream = driver.stream(clientFor(fake));
    const first = await stream.next();
    await fake.idle();
    await turns();
    const rest = await taken(stream);
    expect(textIn([first.value, ...rest.items])).toBe('one two three');
    expect(isModelsvcError(rest.error, 'connection', 'timeout')).toBe(true);
  });

  test('return gives up what has come, frees the socket, and ends the stream for those who wait', async () => {
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(1), reply });
    const stream = driver.stream(clientFor(fake));
    await stream.next();
    const waiting = stream.next();
    expect(await stream.return?.()).toEqual({ value: undefined, done: true });
    expect(await waiting).toEqual({ value: undefined, done: true });
    await fake.idle();
    expect(fake.requests[0]?.outcome).toBe('left');
  });

  test('return while a retry is waited for ends the wait', async () => {
    const clock = stoppedClock();
    fake.fallback(driver.operation, faults.error(503, '500'));
    const stream = driver.stream(clientFor(fake, { retryDelay: 1000 }));
    const waiting = stream.next();
    await asked();
    await fake.idle();
    await turns();
    await stream.return?.();
    expect(await waiting).toEqual({ value: undefined, done: true });
    clock.pass(60_000);
    await turns();
    expect(fake.requests).toHaveLength(1);
    fake.fallback(driver.operation, undefined);
  });

  test('return at the moment the header arrives leaves no socket open, and each attempt has its one ending', async () => {
    for (let moment = 0; moment < 25; moment++) {
      let open = 0;
      const hook: Hook = { onRequest: () => open++, onResponse: () => open--, onError: () => open-- };
      fake.answer(driver.operation, { ...faults.silentAfterHeaders(), reply });
      const stream = driver.stream(clientFor(fake, { hooks: [hook] }));
      const waiting = stream.next();
      await turns(moment);
      await stream.return?.();
      expect((await waiting).done).toBe(true);
      await fake.idle();
      expect(open).toBe(0);
    }
    fake.reset();
  });

  test('a stream that fails without a pending read does not end the process', async () => {
    const rejections = strictRejections();
    for (const fault of [faults.truncatedStream(), faults.resetMidBody(), faults.inBandError('1234', 'x', 3), faults.malformedFrame(3)]) {
      fake.answer(driver.operation, { ...fault, reply });
      const stream = driver.stream(clientFor(fake));
      await stream.next().catch(() => undefined);
      await fake.idle();
      await turns();
      // Never asked again.
    }
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(1), reply });
    const controller = new AbortController();
    await driver.stream(clientFor(fake), controller.signal).next();
    controller.abort();
    await turns();
    expect(await rejections.settled()).toEqual([]);
  });

  test('a stream that is not started sends no request and watches no signal', async () => {
    const { signal, listeners } = countingSignal();
    const stream = driver.stream(clientFor(fake), signal);
    expect(listeners()).toBe(0);
    expect(await stream.return?.()).toEqual({ value: undefined, done: true });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(fake.requests).toHaveLength(0);
  });

  test('a stream dropped after its first item takes its listener off when the service has ended it', async () => {
    const { signal, listeners } = countingSignal();
    fake.answer(driver.operation, reply);
    await driver.stream(clientFor(fake), signal).next();
    await until(() => listeners() === 0);
  });

  test('its request id and attempts can be asked for from the first item on', async () => {
    fake.answer(driver.operation, faults.serverErrors(1), reply);
    const stream = driver.stream(clientFor(fake));
    expect(responseInfo(stream)).toBeUndefined();
    await stream.next();
    expect(responseInfo(stream)).toMatchObject({ status: 200, attempts: 2, requestId: fake.requests[1]?.requestId });
    await stream.return?.();
  });

  test('bad input is thrown at the first item, and once', async () => {
    const client = clientFor(fake);
    const stream = driver.service(client).stream(undefined, {} as never);
    await expect(stream.next()).rejects.toMatchObject({ kind: 'validation' });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(fake.requests).toHaveLength(0);
  });

  test('an abort rejects the pending next(), and the next one', async () => {
    fake.answer(driver.operation, { ...faults.silentAfterHeaders(1), reply }, { ...faults.silentAfterHeaders(1), reply });
    const controller = new AbortController();
    const [waited, later] = [driver.stream(clientFor(fake), controller.signal), driver.stream(clientFor(fake), controller.signal)];
    await Promise.all([waited.next(), later.next()]);
    const waiting = waited.next().catch((error: unknown) => error);
    controller.abort();
    expect(isModelsvcError(await waiting, 'abort')).toBe(true);
    await expect(later.next()).rejects.toSatisfy(ofKind('abort'));
    expect(await later.next()).toEqual({ value: undefined, done: true });
  });
});

describe('a body that is not a body', () => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
  const headers = { 'content-type': 'text/event-stream' };

  function streamOf(response: () => Response): AsyncIterable<ChatChunk> {
    return newClient({ apiKey: 'test-key', httpClient: async () => response() })
      .chat()
      .stream(undefined, request);
  }

  test('a response without one is a stream without an event', async () => {
    const { error } = await taken(streamOf(() => new Response(null, { headers })));
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('truncated');
  });

  test('one whose cancel fails still ends at the sentinel', async () => {
    const rejections = strictRejections();
    const clock = stoppedClock();
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('data: {"id":"1","choices":[{"index":0}]}\n\ndata: [DONE]\n\n')),
        cancel: () => Promise.reject(new Error('cannot be cancelled')),
      });
    const { items, error } = await taken(streamOf(() => new Response(body(), { headers })));
    expect([items.length, error]).toEqual([1, undefined]);
    for await (const _ of streamOf(() => new Response(body(), { headers }))) break;
    // The rest of the body gets a quarter of a second.
    clock.pass(1000);
    await turns();
    expect(await rejections.settled()).toEqual([]);
  });

  test('one that fails while it is canceled keeps the error of its frames', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: {bad json}\n\n')),
      cancel: () => {
        throw new Error('SECRET of the reader');
      },
    });
    const { error } = await taken(streamOf(() => new Response(body, { headers })));
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('malformed');
    expect(String(error)).not.toContain('SECRET');
  });

  test('one whose reader fails is a broken connection with its code, and quotes no text', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(Object.assign(new Error('SECRET of the reader'), { code: 'ERR_READER' })),
    });
    const { error } = await taken(streamOf(() => new Response(body, { headers })));
    expect(error).toMatchObject({ kind: 'connection', phase: 'body', code: 'ERR_READER' });
    expect(String(error)).not.toContain('SECRET');
  });
});
