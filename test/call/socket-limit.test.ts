import { Agent } from 'node:http';
import { describe, expect, onTestFinished } from 'vitest';
import { type Config, type Hook, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeService, faults } from '../../src/testing/index.ts';
import { taken, transports } from '../support/both-ways.ts';
import { stoppedClock, until } from '../support/clock.ts';
import { routeBy } from '../support/dial.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { startRawServer } from '../support/raw-server.ts';

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

/** Occupies one socket until the returned function is called. */
async function hold(fake: FakeService, config: Config): Promise<() => Promise<unknown>> {
  const before = fake.requests.length;
  fake.answer('chat.create', faults.silentBeforeHeaders());
  const controller = new AbortController();
  const call = newClient(config).chat().create(controller.signal, request);
  const ended = call.catch((error: unknown) => error);
  await until(() => fake.requests.length > before);
  return () => {
    controller.abort();
    return ended;
  };
}

/** The three kinds of a limit: the package's limit, of the calls over fetch, and of an Agent. */
const limits = [
  ...transports.map(({ transport, overrides }) => ({ kind: transport, one: (): Partial<Config> => ({ ...overrides, maxSockets: 1 }) })),
  { kind: 'an Agent of the user', one: (): Partial<Config> => ({ agent: new Agent({ keepAlive: true, maxSockets: 1 }) }) },
];

describe.each(limits)('$kind', ({ kind, one }) => {
  test('a call that waits longer than timeout for a socket is not sent, not retried, and told to hooks', async ({ fake }) => {
    const seen: unknown[] = [];
    const hook: Hook = {
      onRequest: () => void seen.push('request'),
      onQueue: (_meta, state) => void seen.push(state),
      onError: () => void seen.push('error'),
      onRetry: (_meta, _error, delayMs, why) => void seen.push({ delayMs, why }),
    };
    const config = fake.configFor({ ...one(), hooks: [hook] });
    // The limit of a client over fetch is its own.
    const client = newClient(config);
    fake.answer('chat.create', faults.silentBeforeHeaders());
    const first = new AbortController();
    const held = failure(client.chat().create(first.signal, request));
    await until(() => fake.requests.length === 1);
    seen.length = 0;
    const error = await failure(client.chat().create({ timeout: 20 }, request));
    expect(isModelsvcError(error, 'timeout')).toBe(true);
    const field = kind.endsWith('user') ? 'maxSockets of the agent is 1, with 1 in use' : 'maxSockets is 1, with 1 in use by one client';
    expect(error).toMatchObject({
      phase: 'socket',
      timeoutMs: 20,
      attempts: 1,
      message: `chat.create: waited 20 ms for a free socket. The call was not sent. ${field} and 0 more calls waiting. Raise it, or end open streams.`,
    });
    const state = { gate: 'maxSockets', model: 'glm-5.2', limit: 1, inFlight: 1, waiting: 1 };
    expect(seen).toEqual(['request', state, 'error', { delayMs: undefined, why: 'final' }]);
    first.abort();
    await held;
    await expect(client.chat().create(undefined, request)).resolves.toBeDefined();
    expect(fake.requests).toHaveLength(2);
  });

  test('each call has the whole timeout for its wait, and again for its header', async ({ fake }) => {
    const clock = stoppedClock();
    const client = newClient(fake.configFor({ ...one(), timeout: 1000, maxRetries: 0 }));
    let come = 0;
    const answers: (() => void)[] = [];
    fake.fallback('chat.create', async () => {
      come++;
      await new Promise<void>((resolve) => answers.push(resolve));
      return undefined;
    });
    const calls = Promise.all([1, 2].map(() => client.chat().create(undefined, request)));
    for (const count of [1, 2]) {
      await until(() => come === count);
      clock.pass(900);
      answers[count - 1]?.();
    }
    expect(await calls).toHaveLength(2);
  });
});

test('the error counts the clients that share the sockets', async ({ fake }) => {
  const config = fake.configFor({ maxSockets: 3 });
  const releases = [await hold(fake, config), await hold(fake, config), await hold(fake, config)];
  const error = await failure(newClient(config).chat().create({ timeout: 20 }, request));
  expect(String(error)).toContain('maxSockets is 3, with 3 in use by 3 clients');
  await Promise.all(releases.map((release) => release()));
});

test('the wait for a socket behind a silent proxy is bounded too', async () => {
  let tunnels = 0;
  const proxy = await startRawServer(() => void tunnels++);
  routeBy(proxy.url);
  const config: Config = { apiKey: 'any', baseURL: 'https://silent.example.test/v4', maxSockets: 1, maxRetries: 0 };
  const client = newClient(config);
  onTestFinished(() => client.close());
  const first = failure(client.chat().create(undefined, request));
  await until(() => tunnels === 1);
  expect(await failure(client.chat().create({ timeout: 20 }, request))).toMatchObject({ kind: 'timeout', phase: 'socket' });
  client.close();
  await first;
  expect(tunnels).toBe(1);
});

describe.each(transports)('$transport', ({ overrides }) => {
  test('300 streams are open at once with all defaults, and all end', async ({ fake }) => {
    let open = 0;
    async function* frames(): AsyncGenerator<string | object> {
      open++;
      yield { id: '1', choices: [{ index: 0, delta: { content: 'hi' } }] };
      // A limit would keep the last of them from coming.
      await until(() => open === 300);
      yield { id: '1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      yield 'data: [DONE]\n\n';
    }
    fake.fallback('chat.create', () => ({ frames: frames() }));
    const client = newClient(fake.configFor(overrides));
    const streams = await Promise.all(Array.from({ length: 300 }, () => taken(client.chat().stream(undefined, request))));
    expect(streams.filter(({ error, items }) => error !== undefined || items.length !== 2)).toEqual([]);
  });
});
