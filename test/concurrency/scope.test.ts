import { describe, expect } from 'vitest';
import * as source from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { settled, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { type Held, held } from '../support/held.ts';

const { newClient } = source;
const model = 'glm-5.2';
const messages = [{ role: 'user' as const, content: 'hi' }];

/** Requests that are in flight at once, while no request is answered. */
async function atOnce(chat: Held, other?: Held): Promise<number> {
  await until(() => chat.count + (other?.count ?? 0) > 0);
  return settled(() => chat.count + (other?.count ?? 0));
}

describe('places are shared', () => {
  test('by all clients and both surfaces', async ({ fake }) => {
    const [chat, message] = [held(fake), held(fake, 'anthropic.create')];
    const [one, other] = [newClient(fake.configFor({ concurrency: 2 })), newClient(fake.configFor({ concurrency: 2 }))];
    const calls = [one, other].flatMap((client) => [
      client.chat().create(undefined, { model, messages }),
      client.anthropic().create(undefined, { model, max_tokens: 9, messages }),
    ]);
    expect(await atOnce(chat, message)).toBe(2);
    expect(one.concurrency(model)).toEqual(other.concurrency(model));
    chat.open();
    message.open();
    await Promise.all(calls);
    expect(one.concurrency(model)?.gate).toBe(other.concurrency(model)?.gate);
  });

  test('by two copies of the package', async ({ fake }) => {
    const built = (await import(new URL('../../dist/index.js', import.meta.url).href)) as typeof source;
    const answers = held(fake);
    const clients = [source, built].map((copy) => copy.newClient(fake.configFor({ concurrency: 1 })));
    const calls = clients.flatMap((client) => [1, 2, 3].map(() => client.chat().create(undefined, { model, messages })));
    expect(await atOnce(answers)).toBe(1);
    for (const client of clients) expect(client.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 5 });
    answers.open();
    await Promise.all(calls);
    expect(fake.requests).toHaveLength(6);
    // A quota that one copy finds used up fails the calls of the other, with errors that its own guards know.
    fake.answer('chat.create', faults.error(429, '1308', 'used up'));
    const errors = await Promise.all(clients.map((client) => failure(client.chat().create(undefined, { model, messages }))));
    expect(errors.map(source.isApiError)).toEqual([true, true]);
    expect(errors[1]).toBeInstanceOf(built.ApiError);
    expect(errors[1]).toMatchObject({ code: '1308', attempts: 0, operation: 'chat.create' });
    expect(fake.requests).toHaveLength(7);
  });

  test('by the bindings', async () => {
    const { fake, client } = await openFake({ concurrency: 1 });
    const answers = held(fake);
    const calls = [
      client.chat().create(undefined, { model, messages }),
      client
        .bindings('chat')
        .POST('/chat/completions', { body: { model, messages } })
        .then(({ data }) => data),
    ];
    expect(await atOnce(answers)).toBe(1);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 1 });
    answers.open();
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ choices: [{}] });
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test.each<[string, (fake: { configFor: (config?: Partial<source.Config>) => source.Config }) => [source.Client, string][]]>([
    ['models', (fake) => ['one', 'two'].map((name) => [newClient(fake.configFor({ concurrency: 1 })), name])],
    ['keys', (fake) => [fakeKey, 'another-key'].map((apiKey) => [newClient(fake.configFor({ concurrency: 1, apiKey })), model])],
  ])('not between %s', async (_name, clientsOf) => {
    const { fake } = await openFake({}, { keys: 'any' });
    const answers = held(fake);
    const calls = clientsOf(fake).map(([client, name]) => client.chat().create(undefined, { model: name, messages }));
    expect(await atOnce(answers)).toBe(2);
    answers.open();
    await Promise.all(calls);
  });
});

test('a client with a small limit does not slow the other clients of its key', async ({ fake }) => {
  const answers = held(fake);
  const [small, large] = [newClient(fake.configFor({ concurrency: 1 })), newClient(fake.configFor({ concurrency: 8 }))];
  const calls = [...Array(5).fill(small), ...Array(20).fill(large)].map((client: source.Client) =>
    client.chat().create(undefined, { model, messages }),
  );
  // One of the first, and as many of the second as its own limit has room for.
  expect(await atOnce(answers)).toBe(8);
  expect(small.concurrency(model)).toMatchObject({ limit: 8, inFlight: 8, waiting: 17 });
  answers.open();
  await Promise.all(calls);
  expect(fake.mostAtOnce).toBe(8);
});

test('perModel sets the limit of one model', async () => {
  const { fake, client } = await openFake({ concurrency: { perModel: { [model]: 3 } } });
  const answers = held(fake);
  const calls = Array.from({ length: 9 }, () => client.chat().create(undefined, { model, messages }));
  expect(await atOnce(answers)).toBe(3);
  answers.open();
  await Promise.all(calls);
  expect(client.concurrency(model)?.limit).toBe(3);
});

test('reads pass, and calls without a model have the places of their service', async () => {
  const { fake, client } = await openFake({ concurrency: 1 });
  await client.files().list(undefined, { purpose: 'batch' });
  await client.getAsyncResult(undefined, 'id');
  await client.models().list(undefined);
  expect(['files', 'models', 'client', 'chat', model].map((name) => client.concurrency(name))).toEqual(Array(5).fill(undefined));
  await client.files().upload(undefined, { file: new Uint8Array(3), purpose: 'batch' });
  expect(client.concurrency('files')).toMatchObject({ model: 'files', limit: 1, inFlight: 0 });
  expect(fake.exchanges).toBe(0);
});

test('an unread reply of bytes does not block the next call', async () => {
  const { client } = await openFake({ concurrency: 1 });
  const request = { model: 'glm-tts', input: 'x', voice: 'v' };
  const first = await client.audio().speech(undefined, request);
  const second = await client.audio().speech(undefined, request);
  expect((await second.bytes()).length).toBeGreaterThan(0);
  expect((await first.bytes()).length).toBeGreaterThan(0);
  expect(client.concurrency('glm-tts')).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a client with concurrency: false has no gate, and is not counted', async ({ fake }) => {
  const answers = held(fake);
  const [gated, free] = [newClient(fake.configFor({ concurrency: 1 })), newClient(fake.configFor({ concurrency: false }))];
  const calls = [gated, gated, free, free, free].map((client) => client.chat().create(undefined, { model, messages }));
  expect(await atOnce(answers)).toBe(4);
  expect(free.concurrency(model)).toBeUndefined();
  expect(gated.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 1 });
  answers.open();
  await Promise.all(calls);
});

test('the registry shows no key', async () => {
  const { inspect } = await import('node:util');
  const { client } = await openFake({ concurrency: 1 });
  await client.chat().create(undefined, { model, messages });
  const registry = (globalThis as Record<symbol, unknown>)[Symbol.for('modelsvc.gates')];
  expect(registry).toBeDefined();
  expect(inspect([registry, client], { depth: 20, showHidden: true })).not.toContain(fakeKey);
});
