import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { type Config, type Hook, newClient } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { onBothWays, taken, transports } from '../support/both-ways.ts';
import { settled, turns, until } from '../support/clock.ts';
import { everyWay } from '../support/every-way.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { held } from '../support/held.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake({ keys: 'any' });
const model = 'glm-5.2';
const messages = [{ role: 'user' as const, content: 'hi' }];

/** Names of the firings, in order. */
function firings(): { readonly hook: Hook; readonly fired: string[] } {
  const fired: string[] = [];
  const note =
    (name: string) =>
    (_meta: unknown, outcome?: { readonly kind?: string }): void =>
      void fired.push(outcome?.kind === undefined ? name : `${name} ${outcome.kind}`);
  return { hook: { onStart: note('start'), onRequest: note('request'), onError: note('error'), onEnd: note('end') } as Hook, fired };
}

function keysSent(): unknown[] {
  return fake.requests.map(({ headers }) => headers['authorization']);
}

describe.each(transports)('a key from a function over $transport', ({ overrides }) => {
  test.each(everyWay)('is sent by %s', async (_name, perform) => {
    const apiKey = async (): Promise<string> => 'rotated-key-1';
    await perform(newClient(fake.configFor({ ...overrides, maxRetries: 0, apiKey }))).catch(() => undefined);
    expect(keysSent().length).toBeGreaterThan(0);
    expect(new Set(keysSent())).toEqual(new Set(['Bearer rotated-key-1']));
  });

  test.each(everyWay)('that fails is one ConfigError of %s, without a request or a retry, and one end for the hooks', async (_name, perform) => {
    const { hook, fired } = firings();
    const apiKey = vi.fn(() => Promise.reject(new Error('vault sealed')));
    const error = await failure(perform(newClient(fake.configFor({ ...overrides, apiKey, hooks: [hook] }))));
    expect(error).toSatisfy(ofKind('config'));
    expect(error).toMatchObject({ message: expect.stringMatching(/: apiKey\(\) failed \(see cause\)$/), cause: { message: 'vault sealed' } });
    await turns();
    expect(fake.requests).toEqual([]);
    const starts = fired.filter((name) => name === 'start').length;
    expect(starts).toBeGreaterThan(0);
    expect(fired.filter((name) => name === 'end error')).toHaveLength(starts);
    expect(fired.filter((name) => name === 'request' || name === 'error')).toEqual([]);
  });
});

onBothWays(({ operation, create, stream }, clientFor) => {
  test('is asked for before each attempt, so that a retry has a fresh one', async () => {
    let count = 0;
    const client = clientFor(fake, { apiKey: () => `key-number-${++count}` });
    fake.answer(operation, faults.serverErrors(2));
    await create(client);
    await taken(stream(client));
    expect(keysSent()).toEqual([1, 2, 3, 4].map((number) => `Bearer key-number-${number}`));
  });

  test('that has not come when the signal aborts ends the call, and so does closing the client', async () => {
    let asked = 0;
    const { hook, fired } = firings();
    const apiKey = (): Promise<string> => {
      asked++;
      return new Promise(() => undefined);
    };
    const client = clientFor(fake, { apiKey, hooks: [hook] });
    const controller = new AbortController();
    const aborted = [failure(create(client, controller.signal)), taken(stream(client, controller.signal)).then(({ error }) => error)];
    const closed = failure(create(client));
    await until(() => asked === 3);
    controller.abort(new Error('enough'));
    for (const error of await Promise.all(aborted)) expect(error).toMatchObject({ kind: 'abort', cause: { message: 'enough' } });
    await client.close();
    expect(await closed).toMatchObject({ kind: 'abort' });
    expect(fake.requests).toEqual([]);
    expect(fired.sort()).toEqual([...Array(3).fill('end cancelled'), ...Array(3).fill('start')]);
  });

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'returned no key'],
    ['an empty string', '', 'returned no key'],
    ['an object', { key: 'secret-4711' }, 'must be a string'],
    ['a line break', 'secret-4711\n', 'contains white space, a line break or a non-ASCII character: copy it again'],
  ])('that is %s is a ConfigError and not sent', async (_name, key, problem) => {
    const apiKey = vi.fn(() => key as string);
    const client = clientFor(fake, { apiKey });
    for (const error of [await failure(create(client)), (await taken(stream(client))).error]) {
      expect(error).toMatchObject({ kind: 'config', message: expect.stringMatching(/^\w+\.\w+: apiKey\(\) /) });
      expect((error as Error).message).toContain(problem);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret-4711');
    }
    expect(apiKey).toHaveBeenCalledTimes(2);
    expect(fake.requests).toEqual([]);
  });

  test('is redacted from the words of the service, with its parts, and absent from a printed client', async () => {
    let count = 0;
    const client = clientFor(fake, { apiKey: () => `ROTATED-ID-${++count}.ROTATED-SECRET-${count}`, maxRetries: 1 });
    fake.answer(operation, faults.serverErrors(1), faults.error(400, '1210', 'keys ROTATED-SECRET-1 ROTATED-ID-2 ROTATED-ID-2.ROTATED-SECRET-2'));
    const error = await failure(create(client));
    expect((error as Error).message).toContain('keys [key] [key] [key]');
    expect(inspect([error, client], { depth: 10, showHidden: true }) + JSON.stringify(client)).not.toContain('ROTATED');
  });

  test('that throws a value with the key before loses it', async () => {
    let count = 0;
    const apiKey = (): string => {
      if (count++ === 0) return 'FIRST-KEY-4711';
      throw Object.assign(new Error('no key'), { config: { headers: { authorization: 'FIRST-KEY-4711' } } });
    };
    fake.answer(operation, faults.serverErrors(1));
    const error = await failure(create(clientFor(fake, { apiKey })));
    expect(error).toMatchObject({ kind: 'config', cause: expect.any(Error) });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('FIRST-KEY');
  });
});

test('a key used long ago is forgotten: the memory for keys is bounded, and a call has its own in any case', async () => {
  let count = 0;
  const client = newClient(fake.configFor({ apiKey: () => `ROTATED-KEY-${++count}` }));
  const stale = held(fake);
  const first = client.chat().create(undefined, { model, messages });
  await until(() => stale.count === 1);
  stale.open();
  await first;
  for (let call = 0; call < 30; call++) await client.chat().create(undefined, { model, messages });
  fake.answer('chat.create', faults.error(400, '1210', 'ROTATED-KEY-1 ROTATED-KEY-30 ROTATED-KEY-32'));
  const error = await failure(client.chat().create(undefined, { model, messages }));
  // `ROTATED-KEY-1` is the beginning of none of the newest keys.
  expect((error as Error).message).toContain('ROTATED-KEY-1 [key] [key]');
});

test('chinaAPIKey may be a function with a static apiKey, and falls back to the function of apiKey', async () => {
  const input = { model: 'embedding-3', input: 'a' };
  const both = newClient(fake.configFor({ apiKey: 'static-main', chinaAPIKey: () => 'china-rotated' }));
  await both.embeddings().create(undefined, input);
  await both.chat().create(undefined, { model, messages });
  await newClient(fake.configFor({ apiKey: () => 'main-rotated' }))
    .embeddings()
    .create(undefined, input);
  expect(keysSent()).toEqual(['Bearer china-rotated', 'Bearer static-main', 'Bearer main-rotated']);
  const failing = newClient(fake.configFor({ apiKey: 'static-main', chinaAPIKey: () => '' }));
  expect(await failure(failing.embeddings().create(undefined, input))).toMatchObject({
    message: 'embeddings.create: chinaAPIKey() returned no key',
  });
});

test('a static key is in the request before the call returns: no turn of the event loop is added', async () => {
  const sent: string[] = [];
  const httpClient: NonNullable<Config['httpClient']> = (_url, init) => {
    sent.push(new Headers(init.headers).get('authorization') ?? '');
    return new Promise(() => undefined);
  };
  const client = newClient({ apiKey: 'static-key', httpClient });
  const call = failure(client.chat().create(undefined, { model, messages }));
  expect(sent).toEqual(['Bearer static-key']);
  client.close();
  await call;
});

describe('concurrency groups calls by the function', () => {
  test('one function of two clients shares places, whatever it returns; another function does not', async () => {
    const { fake: own } = await openFake({}, { keys: 'any' });
    const answers = held(own);
    let count = 0;
    const apiKey = (): string => `rotated-key-${++count}`;
    const clients = [apiKey, apiKey, (): string => 'other-key'].map((one) => newClient(own.configFor({ concurrency: 1, apiKey: one })));
    const calls = clients.map((client) => client.chat().create(undefined, { model, messages }));
    await until(() => answers.count > 1);
    expect(await settled(() => answers.count)).toBe(2);
    expect(clients[0]?.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 1 });
    expect(clients[2]?.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 0 });
    answers.open();
    await Promise.all(calls);
  });

  test('a key that fails gives its place back', async () => {
    const { fake: own } = await openFake({}, { keys: 'any' });
    let fails = true;
    const apiKey = async (): Promise<string> => {
      if (fails) throw new Error('vault sealed');
      return fakeKey;
    };
    const client = newClient(own.configFor({ concurrency: 1, apiKey }));
    expect(await failure(client.chat().create(undefined, { model, messages }))).toSatisfy(ofKind('config'));
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
    fails = false;
    await client.chat().create(undefined, { model, messages });
  });
});

test.each([42, null, {}])('apiKey as %j is refused by newClient', async (apiKey) => {
  const error = await failure(Promise.resolve().then(() => newClient({ apiKey } as never)));
  expect(error).toMatchObject({ kind: 'config', message: 'apiKey must be a string' });
});
