// The response of a server to its page: events, or the status of a stream that failed before its answer began.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AbortError, type Config, textDeltas, toResponse } from '../../src/overlay/index.ts';
import { pageStatuses } from '../../src/overlay/streams/page-status.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { stoppedClock, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();

const causes: readonly [cause: string, fault: Fault, status: number, retryAfter: string | null][] = [
  ['a rate limit', faults.rateLimit({ seconds: 7 }), 429, '7'],
  ['a used-up quota', faults.error(429, '1308'), 429, null],
  ['an overload', faults.error(429, '1305'), 503, null],
  ['a refused key', faults.error(401, '1000'), 500, null],
  ['a refused request', faults.error(400, '1210'), 500, null],
  ['a content check', faults.error(400, '1301'), 422, null],
  ['a failure of the service', faults.error(500, '500'), 502, null],
  ['a broken connection', faults.resetBeforeHeaders(), 502, null],
  ['a stream without an event', faults.emptyStream(), 502, null],
];

onBothWays((driver, clientFor) => {
  const texts = (signal?: AbortSignal) => textDeltas(driver.stream(clientFor(fake, { maxRetries: 0 }), { signal }) as never);

  test.each(causes)('%s has its own status, without the text of the service, and onError gets the error', async (_, fault, status, retryAfter) => {
    fake.fallback(driver.operation, fault);
    const errors: unknown[] = [];
    const response = await toResponse(texts(), { onError: (error) => void errors.push(error) });
    expect([response.status, response.headers.get('retry-after'), errors.length]).toEqual([status, retryAfter, 1]);
    expect(await response.json()).toEqual({ error: { type: expect.any(String), message: 'No answer came.' } });
    expect((await toResponse(texts(), { onError: false })).status).toBe(status);
  });

  test('a used-up budget is 429 without a time, and no request is sent', async () => {
    const stream = driver.stream(clientFor(fake, { budget: { tokens: 0 } }));
    const response = await toResponse(textDeltas(stream as never), { onError: false });
    expect([response.status, response.headers.get('retry-after'), fake.requests.length]).toEqual([429, null, 0]);
  });

  test('the limits of the client have their own status', async () => {
    fake.fallback(driver.operation, faults.silentBeforeHeaders());
    const statusOf = async (overrides: Partial<Config>): Promise<number> =>
      (await toResponse(driver.stream(clientFor(fake, { maxRetries: 0, ...overrides })), { onError: false })).status;
    expect(await statusOf({ timeout: 1 })).toBe(504);
    const concurrency = { max: 1, maxQueue: 1, queueTimeout: 1 };
    const before = fake.requests.length;
    const held = driver.stream(clientFor(fake, { concurrency }));
    held.next().catch(() => undefined);
    await until(() => fake.requests.length > before);
    expect(await statusOf({ concurrency })).toBe(503);
    await held.return?.();
  });

  test('an answer is events with status 200, and a failure within it is an error event', async () => {
    fake.answer(driver.operation, { turn: { text: ['one', 'two'] } });
    const whole = await toResponse(texts(), { onError: false, headers: { 'x-own': '1' } });
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('x-own')]).toEqual([200, 'text/event-stream', '1']);
    expect(await whole.text()).toBe('data: "one"\n\ndata: "two"\n\ndata: [DONE]\n\n');
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply: { turn: { text: ['one', 'two', 'three'] } } });
    const broken = await toResponse(texts(), { onError: false });
    expect([broken.status, await broken.text()]).toEqual([200, expect.stringContaining('"type":"stream","message":"The answer ended early."')]);
  });

  test('a closed page is not a failure, also while the stream opens', async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    expect((await toResponse(texts(AbortSignal.abort()), { onError })).status).toBe(499);
    fake.reset().fallback(driver.operation, faults.silentBeforeHeaders());
    const page = new AbortController();
    const response = toResponse(texts(page.signal), { onError });
    await until(() => fake.requests.length === 1);
    page.abort();
    expect((await response).status).toBe(499);
    await fake.idle();
    expect([fake.requests[0]?.outcome, errors]).toEqual(['left', []]);
  });

  test('a stream of chunks without a text is an answer, and so is a stream of texts that your own code left', async () => {
    const onError = (error: unknown): never => {
      throw error;
    };
    fake.answer(driver.operation, { turn: { text: '' } });
    const left = texts();
    await left.return();
    for (const stream of [driver.stream(clientFor(fake)), left]) {
      const response = await toResponse(stream, { onError });
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringMatching(stream === left ? /^data: \[DONE\]\n\n$/ : /data: \[DONE\]\n\n$/),
      ]);
    }
  });

  test('a stream with two readers is a failure of the server', async () => {
    fake.answer(driver.operation, { turn: { text: 'one' } });
    const stream = driver.stream(clientFor(fake));
    await taken(stream);
    const errors: unknown[] = [];
    const response = await toResponse(stream, { onError: (error) => void errors.push(error) });
    expect([response.status, errors]).toEqual([500, [expect.objectContaining({ kind: 'stream', problem: 'used' })]]);
  });

  test('after the time, heartbeats flow with status 200, and a failure is an event', async () => {
    const clock = stoppedClock();
    let go = (): void => undefined;
    fake.reset().answer(driver.operation, async () => {
      await new Promise<void>((resolve) => (go = resolve));
      return faults.rateLimit({ seconds: 7 });
    });
    const waiting = toResponse(texts(), { onError: false, within: 5000 });
    await until(() => fake.requests.length === 1);
    clock.pass(5000);
    const response = await waiting;
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect([response.status, (await reader?.read())?.value]).toEqual([200, ':\n\n']);
    go();
    expect((await reader?.read())?.value).toContain('event: error\ndata: {"error":{"type":"api","message":"No answer came."}}');
  });
});

test('a deadline of the server is a failure', async () => {
  const deadline = new AbortError('chat.stream', new DOMException('late', 'TimeoutError'));
  const late: AsyncIterable<string> = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(deadline) }) };
  const errors: unknown[] = [];
  const response = await toResponse(late, { onError: (error) => void errors.push(error) });
  expect([response.status, errors.length]).toEqual([504, 1]);
});

test.each([[{}], [undefined], [{ onError: true }], [{ onError: false, within: -1 }], [{ onError: false, heartbeat: -1 }]])(
  'options %j are refused before a request',
  async (options) => {
    expect(await failure(toResponse((async function* () {})(), options as never))).toSatisfy(ofKind('validation'));
  },
);

test('the guide has the table of the code', () => {
  const section = readFileSync('docs/guides/chat-server.md', 'utf8').split('### Failures before the answer')[1] ?? '';
  const rows = [...section.matchAll(/^\| (\d+) \| ([a-z ,-]+) \|$/gm)];
  const entries = rows.flatMap(([, status, causes = '']) => causes.split(', ').map((cause) => [cause, Number(status)] as const));
  expect(Object.fromEntries(entries)).toEqual(pageStatuses);
  expect(entries).toHaveLength(Object.keys(pageStatuses).length);
});
