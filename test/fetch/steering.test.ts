import { describe, expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { isModelsvcError, type OperationMeta, type OperationOutcome } from '../../src/overlay/index.ts';
import { type Fault, fakeKey, faults, refusedUrl } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { ask, askings, failureOf, transports } from './support.ts';

const fake = await sharedFake();

const [chat, anthropic] = askings as [(typeof askings)[0], (typeof askings)[0]];

describe.each(transports)('$transport', ({ options }) => {
  describe.each(askings)('$surface', (asking) => {
    const cases: readonly [title: string, fault: Fault, status: number, retry: boolean, original: string][] = [
      ['an empty balance at 429 is a 402', faults.error(429, '1113'), 402, false, '429'],
      ['a quota window at 429 is a 402', faults.error(429, '1308'), 402, false, '429'],
      ['a model outside the plan at 429 is a 403', faults.error(429, '1311'), 403, false, '429'],
      ['a wrong parameter stays a 400', faults.error(400, '1210'), 400, false, '400'],
      ['a wrong key stays a 401', faults.error(401, '1000'), 401, false, '401'],
      ['a status that some clients retry in vain becomes a 400', faults.error(422, '9999'), 400, false, '422'],
      ['a rate limit stays a 429', faults.rateLimit(undefined, '1302'), 429, true, '429'],
      ['a failed server stays a 500', faults.error(500, '500'), 500, true, '500'],
      ['an overloaded gateway stays a 529', faults.error(529, 'overloaded_error'), 529, true, '529'],
      ['an HTML page at 502 stays a 502', faults.htmlErrorPage(502), 502, true, '502'],
      ['a wait of more than a minute is a 402', faults.rateLimit({ seconds: 90 }, '1302'), 402, false, '429'],
      ['an empty balance inside 200 is a 402', faults.embeddedFailure(undefined, '1113'), 402, false, '200'],
      ['an overload inside 200 is a 429', faults.embeddedFailure(undefined, '1305'), 429, true, '200'],
      ['a gateway failure inside 200 is a 503', faults.embeddedFailure('monitor', '500'), 503, true, '200'],
      ['content that was blocked inside 200 is a 400', faults.embeddedFailure(undefined, '1301'), 400, false, '200'],
      ['a reply without an answer is a 400', { ...faults.gzip(), reply: { body: {} } }, 400, false, '200'],
      ['a stream in place of JSON is a 400', faults.streamForJson(), 400, false, '200'],
    ];

    test.each(cases)('%s', async (_title, fault, status, retry, original) => {
      fake.answer(asking.operation, fault);
      const found = await failureOf(await ask(fake, asking, options));
      expect(found).toMatchObject({ status, retry: String(retry), original });
      expect(fake.requests).toHaveLength(1);
    });

    test('the same failures instead of a stream have the same statuses', async () => {
      fake.answer(asking.operation, faults.error(429, '1113'), faults.embeddedFailure(undefined, '1305'), faults.jsonForStream());
      const statuses = [];
      for (let count = 0; count < 3; count++) statuses.push((await ask(fake, asking, options, { body: { stream: true } })).status);
      expect(statuses).toEqual([402, 429, 400]);
    });

    test('an error as the first event of a stream is a status', async () => {
      fake.answer(asking.operation, faults.inBandError('1305', 'busy', 0), faults.eventError('1308', 'used up', 0));
      const first = await failureOf(await ask(fake, asking, options, { body: { stream: true } }));
      const second = await failureOf(await ask(fake, asking, options, { body: { stream: true } }));
      expect([first, second].map(({ status, retry }) => [status, retry])).toEqual([
        [429, 'true'],
        [402, 'false'],
      ]);
    });

    test('the wait that the service asks for is passed on in all forms', async () => {
      fake.answer(asking.operation, faults.rateLimit({ seconds: 7 }));
      const { headers } = await ask(fake, asking, options);
      expect([headers.get('retry-after-ms'), headers.get('retry-after')]).toEqual(['7000', '7']);
    });

    test('a 429 without a wait gets one, longer for an overload', async () => {
      fake.answer(asking.operation, faults.rateLimit(undefined, '1302'), faults.rateLimit(undefined, '1305'));
      const waits = [];
      for (let count = 0; count < 2; count++) waits.push(Number((await ask(fake, asking, options)).headers.get('retry-after-ms')));
      expect(waits.map((ms) => Math.floor(ms / 1000))).toEqual([1, expect.toSatisfy((seconds: number) => seconds === 4 || seconds === 5)]);
    });

    test('the body of a failure has the form of the surface, with code, advice and request id', async () => {
      fake.answer(asking.operation, faults.error(429, '1113', 'no money'));
      const response = await ask(fake, asking, options);
      const id = fake.requests[0]?.requestId ?? '';
      expect([response.headers.get('x-request-id'), response.headers.get('request-id')]).toEqual([id, id]);
      const body = await response.json();
      const message = expect.stringMatching(/no money.*code 1113.*recharge/);
      expect(body).toEqual(
        asking.surface === 'messages'
          ? { type: 'error', error: { type: 'billing_error', message, details: { error_code: '1113' } }, request_id: id }
          : { error: { message, type: 'billing_error', code: '1113', param: null } },
      );
    });

    test('a key in the words of the service is redacted', async () => {
      fake.answer(asking.operation, faults.error(400, '1210', `bad key ${fakeKey}`));
      expect(await (await ask(fake, asking, options)).text()).not.toContain(fakeKey);
    });
  });

  describe('a billed request without an answer', () => {
    const silent = { ...options, timeout: 1000 };

    test.each(askings)('$surface: no header in time is a status that no client retries', async (asking) => {
      fake.answer(asking.operation, faults.silentBeforeHeaders());
      expect(await failureOf(await ask(fake, asking, silent))).toMatchObject({
        status: 400,
        retry: 'false',
        original: '504',
        body: { error: { type: 'timeout_error', message: expect.stringContaining('waited 1000 ms for the response header') } },
      });
    });

    test('a reply that is cut off in the middle is not asked for again', async () => {
      fake.answer('chat.create', faults.cutJson(), faults.resetMidBody());
      const first = await failureOf(await ask(fake, chat, options));
      const second = await failureOf(await ask(fake, chat, options));
      expect([first, second].map(({ status, retry, original }) => [status, retry, original])).toEqual([
        [400, 'false', '502'],
        [400, 'false', '502'],
      ]);
    });
  });

  test('a connection that fails rejects, as fetch does', async () => {
    const url = await refusedUrl();
    const adapted = serviceFetch({ ...options, baseURL: url });
    const failed = adapted(`${url}/chat/completions`, { method: 'POST', headers: chat.headers, body: JSON.stringify(chat.body) });
    await expect(failed).rejects.toMatchObject({ name: 'ConnectionError', operation: 'chat.create' });
  });

  test('a request that the own queue refuses was not sent, which its status shows', async () => {
    fake.answer('chat.create', faults.silentBeforeHeaders());
    const controller = new AbortController();
    const adapted = serviceFetch({ ...options, baseURL: fake.url, concurrency: { max: 1, queueTimeout: 20 } });
    const init = { method: 'POST', headers: chat.headers, body: JSON.stringify(chat.body) };
    const first = adapted(`${fake.url}/chat/completions`, { ...init, signal: controller.signal });
    await expect.poll(() => fake.requests.length).toBe(1);
    const failed = await adapted(`${fake.url}/chat/completions`, init);
    expect([failed.status, failed.headers.get('x-modelsvc-status')]).toEqual([400, '429']);
    expect(await failed.json()).toMatchObject({ error: { code: 'queue', type: 'rate_limit_error' } });
    controller.abort();
    await expect(first).rejects.toThrow();
  });

  test("retries 'adapter' sends again itself and forbids the client to", async () => {
    const limited = (count: number): Fault[] => Array.from({ length: count }, () => faults.rateLimit({ ms: 1 }));
    fake.answer('chat.create', ...limited(2), { turn: { text: 'third' } }, ...limited(4));
    const adapter = { ...options, retries: 'adapter' } as const;
    const good = await ask(fake, chat, adapter);
    expect([good.status, fake.requests.length]).toEqual([200, 3]);
    const bad = await failureOf(await ask(fake, chat, adapter));
    expect([bad.status, bad.retry, fake.requests.length]).toEqual([429, 'false', 7]);
  });

  test('hooks see one operation for each call, with the error that became the status', async () => {
    const ended: OperationOutcome[] = [];
    const starts: string[] = [];
    const hook = {
      onStart: (meta: { operation: string; model: string; stream: boolean }) => void starts.push(`${meta.operation} ${meta.model} ${meta.stream}`),
      onEnd: (_meta: unknown, outcome: OperationOutcome) => void ended.push(outcome),
    };
    fake.answer('anthropic.create', faults.error(429, '1113'));
    await ask(fake, anthropic, { ...options, hooks: [hook] });
    fake.answer('chat.create', faults.cutJson());
    await ask(fake, chat, { ...options, hooks: [hook] });
    await (await ask(fake, chat, { ...options, hooks: [hook] }, { body: { stream: true } })).text();
    expect(starts).toEqual(['anthropic.create glm-5.2 false', 'chat.create glm-5.2 false', 'chat.create glm-5.2 true']);
    expect(ended.map(({ kind, status }) => [kind, status])).toEqual([
      ['error', 429],
      ['error', undefined],
      ['ok', 200],
    ]);
    expect(isModelsvcError(ended[1]?.error, 'reply')).toBe(true);
  });

  test('hooks see a misspelled field, and the service gets it', async () => {
    const seen: unknown[] = [];
    const hooks = [{ onStart: ({ misspelled }: OperationMeta) => void seen.push(misspelled) }];
    for (const asking of askings) await ask(fake, asking, { ...options, hooks }, { body: { modell: 'a' } });
    expect(seen).toEqual(askings.map(() => 'modell is unknown; did you mean model?'));
    expect(fake.requests.map(({ body }) => (body as { modell: unknown }).modell)).toEqual(['a', 'a', 'a']);
  });
});
