// The default of Config.concurrency against `concurrency: false`, by a stopped clock: what is answered, with how many requests, in what time.

import { describe, expect, test } from 'vitest';
import { type Client, type Config, defineTool, firstModel, isApiError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { type StoppedClock, stoppedClock, until } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const ok = { id: 'a', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'yes' } }] };
const codes = { 1302: 429, 1303: 429, 1305: 429, 503: 503 } as const;
type Code = keyof typeof codes;

interface Service {
  readonly httpClient: typeof fetch;
  requests: number;
  mostAtOnce: number;
  /** The refusal of a request, by its prompt and the requests in flight with it. `'refused'`: no program listens at the port. */
  refuses: (prompt: string, inFlight: number, model: string) => Code | 'refused' | undefined;
}

/** A service whose answers take `replyMs`. Its refusals take 20 ms. */
function service(replyMs: number, atOnce: number): Service {
  let inFlight = 0;
  const made: Service = {
    requests: 0,
    mostAtOnce: 0,
    refuses: (_prompt, now) => (now > atOnce ? 1302 : undefined),
    async httpClient(_url, init) {
      const { model, messages } = JSON.parse(String(init?.body)) as { model: string; messages: { content: string }[] };
      made.requests++;
      const code = made.refuses(messages[0]?.content ?? '', ++inFlight, model);
      if (code === undefined) made.mostAtOnce = Math.max(made.mostAtOnce, inFlight);
      try {
        await passing(code === undefined ? replyMs : 20, init?.signal);
      } finally {
        inFlight--;
      }
      if (code === 'refused') throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
      const body = code === undefined ? ok : { error: { code: String(code), message: 'refused' } };
      return new Response(JSON.stringify(body), { status: code === undefined ? 200 : codes[code], headers: { 'content-type': 'application/json' } });
    },
  };
  return made;
}

function passing(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

let keys = 0;
/** A client whose gates no other test shares. */
function clientOf({ httpClient }: Service, changes: Partial<Config> = {}): Client {
  const apiKey = `key-${++keys}-of-this-test`;
  return newClient({ apiKey, baseURL: 'https://service.test', httpClient, wholeReplies: true, timeout: 120_000, ...changes });
}

const ask = (client: Client, content = 'hi', ctx?: object): Promise<object> =>
  client.chat().create(ctx as undefined, { model: 'glm-5.2', messages: [{ role: 'user', content }] });

interface Outcome {
  readonly answered: number;
  readonly requests: number;
  readonly seconds: number;
}

async function outcome(clock: StoppedClock, made: Service, client: Client, stepMs: number): Promise<Outcome> {
  const begin = performance.now();
  const before = made.requests;
  const settled = await clock.run(Promise.allSettled(Array.from({ length: 40 }, () => ask(client))), stepMs);
  const answered = settled.filter(({ status }) => status === 'fulfilled').length;
  return { answered, requests: made.requests - before, seconds: Math.round((performance.now() - begin) / 100) / 10 };
}

/** A client that has met a first refusal for too many calls. */
async function taught(clock: StoppedClock, made: Service, changes?: Partial<Config>): Promise<Client> {
  const { refuses } = made;
  const client = clientOf(made, changes);
  made.refuses = () => (made.requests === 1 ? 1302 : undefined);
  await clock.run(ask(client), 5);
  made.refuses = refuses;
  return client;
}

const limits = [1, 2, 4, 10, 30, Number.POSITIVE_INFINITY];
const table = limits.flatMap((atOnce) => [300, 1500, 30_000].map((replyMs) => ({ atOnce, replyMs })));

describe('40 calls at once', () => {
  test.each(table)('at a limit of $atOnce, answers of $replyMs ms', async ({ atOnce, replyMs }) => {
    const stepMs = Math.max(5, replyMs / 100);
    const clock = stoppedClock();
    const [before, made] = [service(replyMs, atOnce), service(replyMs, atOnce)];
    const without = await outcome(clock, before, clientOf(before, { concurrency: false }), stepMs);
    const found = await outcome(clock, made, clientOf(made), stepMs);
    const oracle = (Math.ceil(40 / Math.min(atOnce, 40)) * replyMs) / 1000;
    if (process.env['SHOW']) console.log(JSON.stringify({ atOnce, replyMs, without, found, oracle }));
    expect(found.answered).toBe(40);
    expect(found.requests).toBeLessThanOrEqual(Math.max(without.requests, 80));
    expect(found.seconds).toBeLessThanOrEqual(1.35 * oracle + 1);
  });

  const faults = [
    ['1305 for a second', 1305, 1000],
    ['503 for 0.3 s', 503, 300],
    ['no program at the port for 0.3 s', 'refused', 300],
  ] as const;
  const times = faults.flatMap(([name, code, ms]) => [false, true].map((isAfter) => [name, isAfter ? 'after' : 'before', code, ms] as const));

  test.each(times)('%s, %s a first refusal for too many calls', async (_name, when, code, ms) => {
    const results: Outcome[] = [];
    const clock = stoppedClock();
    for (const concurrency of [false, undefined] as const) {
      const made = service(300, 30);
      const { refuses } = made;
      const client = when === 'after' ? await taught(clock, made, { concurrency }) : clientOf(made, { concurrency });
      const endsAt = performance.now() + ms;
      made.refuses = (...facts) => (performance.now() < endsAt ? code : refuses(...facts));
      results.push(await outcome(clock, made, client, 5));
    }
    const [without, found] = results as [Outcome, Outcome];
    if (process.env['SHOW']) console.log(JSON.stringify({ code, when, without, found }));
    expect(found.answered).toBeGreaterThanOrEqual(without.answered);
  });

  test('with firstModel and a time', async () => {
    const answered: number[] = [];
    const clock = stoppedClock();
    for (const concurrency of [false, undefined] as const) {
      const made = service(300, 4);
      const client = clientOf(made, { concurrency });
      const all = Array.from({ length: 40 }, (_, at) =>
        firstModel(
          ['glm-5.3', 'glm-5.3-flash'],
          (model, ctx) => client.chat().create(ctx, { model, messages: [{ role: 'user', content: `${at}` }] }),
          { for: 10_000 },
        ),
      );
      const settled = await clock.run(Promise.allSettled(all), 5);
      answered.push(settled.filter(({ status }) => status === 'fulfilled').length);
    }
    if (process.env['SHOW']) console.log(JSON.stringify({ answered }));
    expect(answered[1]).toBe(40);
  });

  test('of two processes with one limit', async () => {
    const results: number[] = [];
    const clock = stoppedClock();
    for (const concurrency of [false, undefined] as const) {
      const made = service(300, 4);
      // Two keys have two gates, as two processes have.
      const both = [clientOf(made, { concurrency }), clientOf(made, { concurrency })];
      const settled = await clock.run(Promise.allSettled(both.flatMap((client) => Array.from({ length: 20 }, () => ask(client)))), 5);
      results.push(settled.filter(({ status }) => status === 'fulfilled').length);
    }
    if (process.env['SHOW']) console.log(JSON.stringify({ results }));
    expect(results[1]).toBeGreaterThanOrEqual(results[0] as number);
  });

  test('a prompt that always meets an overload, among 20 others: they are answered, and no later', async () => {
    const results: { answered: number; seconds: number }[] = [];
    const clock = stoppedClock();
    for (const concurrency of [false, undefined] as const) {
      const made = service(300, 100);
      made.refuses = (prompt) => (prompt === 'poison' ? 1305 : undefined);
      const client = clientOf(made, { concurrency });
      const begin = performance.now();
      const tenant = async (prompt: string): Promise<number> => {
        let answered = 0;
        for (let turn = 0; turn < 10; turn++)
          await ask(client, prompt).then(
            () => answered++,
            () => undefined,
          );
        return answered;
      };
      const poisoned = tenant('poison');
      const counts = await clock.run(Promise.all(Array.from({ length: 20 }, () => tenant('hi'))), 5);
      results.push({ answered: counts.reduce((sum, one) => sum + one, 0), seconds: (performance.now() - begin) / 1000 });
      client.close();
      await clock.run(poisoned, 100);
    }
    if (process.env['SHOW']) console.log(JSON.stringify({ poison: results }));
    expect(results[1]?.answered).toBe(200);
    expect(results[1]?.seconds).toBeLessThanOrEqual((results[0]?.seconds ?? 0) + 0.1);
  });
});

describe('before the first refusal for too many calls', () => {
  const model = 'glm-5.2';

  test.each([
    ['one call that meets an overload each time', 1, undefined],
    ['two calls that meet an overload', 2, undefined],
    ['three calls that meet an overload within a second', 3, expect.objectContaining({ limit: 1 })],
  ])('%s', async (_name, count, state) => {
    const made = service(300, 100);
    made.refuses = () => 1305;
    const client = clientOf(made);
    const clock = stoppedClock();
    const calls = Array.from({ length: count }, () => failed(ask(client)));
    await clock.until(() => made.requests > count || client.concurrency(model) !== undefined, 5);
    expect(client.concurrency(model)).toEqual(state);
    client.close();
    await clock.run(Promise.all(calls), 5);
  });

  test('three headers that come too late are not an overload, and a used-up quota stops no other call', async () => {
    const made = service(5000, 100);
    const client = clientOf(made, { timeout: 1000 });
    const clock = stoppedClock();
    await clock.run(Promise.all([1, 2, 3].map(() => failed(ask(client)))), 20);
    expect(client.concurrency(model)).toBeUndefined();
    await clock.run(ask(client, 'hi', { timeout: 0 }), 20);
  });

  test('another client sets the start, which a default client never raises and then keeps to', async () => {
    const made = service(300, 100);
    const client = clientOf(made);
    const other = client.with({ concurrency: 'auto' });
    const clock = stoppedClock();
    const first = Array.from({ length: 10 }, () => ask(client));
    await clock.until(() => made.requests === 10, 1);
    const last = ask(other);
    expect(other.concurrency(model)).toMatchObject({ limit: 2, inFlight: 10, waiting: 1 });
    const more = ask(client);
    expect(client.concurrency(model)).toMatchObject({ limit: 2, waiting: 2 });
    const free = client.with({ concurrency: false });
    await clock.run(ask(free), 5);
    await clock.run(Promise.all([...first, last, more]), 5);
  });
});

describe('once calls wait for each other', () => {
  test('maxRetries: 0 is sent as before, and waits for its place if the context sets queueTimeout', async () => {
    const made = service(300, 1);
    const clock = stoppedClock();
    const client = await taught(clock, made);
    const first = ask(client);
    const error = await clock.run(failed(ask(client, 'hi', { maxRetries: 0 })), 5);
    expect(isApiError(error) && error.code).toBe('1302');
    await clock.run(Promise.all([first, ask(client, 'hi', { maxRetries: 0, queueTimeout: 1000 })]), 5);
    const slow = ask(client);
    const late = await clock.run(failed(ask(client, 'hi', { maxRetries: 0, queueTimeout: 100 })), 5);
    expect(isModelsvcError(late, 'queue') && late.waitedMs).toBe(100);
    await clock.run(slow, 5);
  });

  test.each<[string, Partial<Config>, number]>([
    ['the total of queueTimeout, which keeps the default gate', { concurrency: { queueTimeout: 700 } }, 700],
    ['what is left of retryFor', { retryFor: 1500 }, 1500],
    ['a minute in which nothing has moved', {}, 60_000],
  ])('a wait ends after %s', async (_name, changes, ms) => {
    const made = service(300, 1);
    const clock = stoppedClock();
    const client = await taught(clock, made, changes);
    made.refuses = () => 1305;
    const begin = performance.now();
    const errors = await clock.run(Promise.all(Array.from({ length: 30 }, () => failed(ask(client)))), 5);
    const waits = errors.filter(ofKind('queue')).map(({ waitedMs }) => waitedMs);
    expect(waits.length).toBeGreaterThan(0);
    expect(Math.min(...waits)).toBeLessThanOrEqual(ms + 5);
    expect(performance.now() - begin).toBeLessThanOrEqual(2 * ms + 10_000);
    expect(String(errors.find(ofKind('queue')))).toMatch(/queueTimeout.*concurrency: false.*maxRetries: 0/);
  });

  test('a wait goes on for as long as calls are answered', async () => {
    const made = service(50_000, 1);
    const clock = stoppedClock();
    const client = await taught(clock, made);
    const begin = performance.now();
    await clock.run(Promise.all([1, 2, 3, 4, 5].map(() => ask(client))), 100);
    expect(performance.now() - begin).toBeGreaterThan(240_000);
  });

  test('a call in a stream that is not read, in a tool and in a hook does not wait for itself', async () => {
    const { fake } = await openFake();
    const hook = {
      onRetry: () =>
        void ask(client).then(
          () => done.push('hook'),
          () => undefined,
        ),
    };
    const done: string[] = [];
    const client = newClient(fake.configFor({ hooks: [hook], retryDelay: 1 }));
    fake.fallback('chat.create', { turn: { text: 'one two three' } }).answer('chat.create', faults.error(429, '1302', 'too many'));
    await ask(client);
    await until(() => done.length === 1);
    expect(client.concurrency('glm-5.2')).toMatchObject({ limit: 1 });
    for await (const _chunk of client.chat().stream(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] })) {
      await ask(client);
      done.push('stream');
    }
    expect(done.length).toBeGreaterThan(2);
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'look', arguments: {} }] } });
    const look = defineTool({ name: 'look', description: '', input: { type: 'object' }, run: () => ask(client) });
    await client.chat().runWithTools(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] }, [look]);
  });

  test('an abort and close() end a wait at once', async () => {
    const made = service(300, 1);
    const clock = stoppedClock();
    const client = await taught(clock, made);
    const first = failed(ask(client));
    const controller = new AbortController();
    const aborted = failed(ask(client, 'hi', { signal: controller.signal }));
    const closed = failed(ask(client));
    controller.abort();
    expect(isModelsvcError(await clock.run(aborted, 0), 'abort')).toBe(true);
    expect(client.concurrency('glm-5.2')).toMatchObject({ inFlight: 1, waiting: 1 });
    client.close();
    expect(isModelsvcError(await clock.run(closed, 0), 'abort')).toBe(true);
    await clock.run(first, 0);
  });
});

async function failed(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
