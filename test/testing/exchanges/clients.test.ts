// Clients of three vendors over cassettes: recorded against the fake, then replayed without a socket.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { answerOf } from '../../../src/overlay/index.ts';
import { type CassetteFetch, fakeKey, replayExchanges } from '../../../src/testing/index.ts';
import { collectedOf, surfaces, taken } from '../../support/both-ways.ts';
import { sharedFake } from '../../support/fake.ts';
import { clientOver, contentOf, newFile, noSockets, recorder } from './support.ts';

const fake = await sharedFake();
const model = 'glm-5.2';
const messages = [{ role: 'user' as const, content: 'Is it sunny in Paris?' }];

type Run = (cassette: CassetteFetch, root: string) => Promise<unknown>;

const openai = (fetch: CassetteFetch, baseURL: string): OpenAI => new OpenAI({ apiKey: fakeKey, baseURL, fetch });
const anthropic = (fetch: CassetteFetch, baseURL: string): Anthropic => new Anthropic({ apiKey: fakeKey, baseURL, fetch });

const vendors: readonly (readonly [name: string, root: 'platform' | 'responses' | 'messages', run: Run])[] = [
  ['openai chat', 'platform', (fetch, root) => openai(fetch, root).chat.completions.create({ model, messages })],
  [
    'openai chat stream',
    'platform',
    async (fetch, root) => (await taken(await openai(fetch, root).chat.completions.create({ model, messages, stream: true }))).items,
  ],
  ['openai responses', 'responses', (fetch, root) => openai(fetch, root).responses.create({ model, input: 'hi' })],
  [
    'openai responses stream',
    'responses',
    async (fetch, root) => (await taken(await openai(fetch, root).responses.create({ model, input: 'hi', stream: true }))).items,
  ],
  ['anthropic', 'messages', (fetch, root) => anthropic(fetch, root).messages.create({ model, messages, max_tokens: 64 })],
  [
    'anthropic stream',
    'messages',
    async (fetch, root) => (await taken(await anthropic(fetch, root).messages.create({ model, messages, max_tokens: 64, stream: true }))).items,
  ],
];

const own: readonly (readonly [name: string, run: Run])[] = surfaces.flatMap((driver) => [
  [`modelsvc ${driver.surface}`, (fetch: CassetteFetch, root: string) => driver.create(clientOver(fetch, root))] as const,
  [
    `modelsvc ${driver.surface} stream`,
    async (fetch: CassetteFetch, root: string) => {
      const { items, error } = await taken(driver.stream(clientOver(fetch, root)));
      expect(error).toBeUndefined();
      return [items, await collectedOf(iterable(items))];
    },
  ] as const,
]);

async function* iterable(items: readonly object[]): AsyncGenerator<object> {
  yield* items;
}

describe.each([
  ...vendors.map(([name, root, run]) => [name, fake.roots[root], run] as const),
  ...own.map(([name, run]) => [name, fake.url, run] as const),
])('%s', (_name, root, run) => {
  test('gives the recorded result in a hundred replays at once, without a socket', async () => {
    const file = newFile();
    const cassette = recorder(file);
    const recorded = await run(cassette, root);
    await cassette.save();
    const attempts = noSockets();
    const results = await Promise.all(Array.from({ length: 100 }, () => run(replayExchanges(file), root)));
    for (const result of results) expect(result).toEqual(results[0]);
    expect(withoutIds(results[0])).toEqual(withoutIds(recorded));
    expect(attempts()).toBe(0);
    expect(contentOf(file).exchanges).toHaveLength(1);
  });
});

describe.each(surfaces)('$surface', (driver) => {
  const collected = (fetch: CassetteFetch): Promise<object> => driver.create(clientOver(fetch, fake.url, { wholeReplies: false, maxRetries: 0 }));

  test('a recording of a complete reply answers create that asks for a stream, and never stream()', async () => {
    const file = newFile();
    const cassette = recorder(file);
    const whole = await driver.create(clientOver(cassette, fake.url));
    await cassette.save();
    noSockets();
    expect(withoutIds(await collected(replayExchanges(file)))).toEqual(withoutIds(whole));
    const { error } = await taken(driver.stream(clientOver(replayExchanges(file), fake.url, { maxRetries: 0 })));
    expect(error).toMatchObject({ status: 417 });
  });

  test('the exact form comes first', async () => {
    const file = newFile();
    const cassette = recorder(file);
    fake.answer(driver.operation, { turn: { text: 'whole' } }, { turn: { text: 'streamed' } });
    await driver.create(clientOver(cassette, fake.url));
    await taken(driver.stream(clientOver(cassette, fake.url)));
    await cassette.save();
    noSockets();
    expect(answerOf((await collected(replayExchanges(file))) as never).text).toBe('streamed');
  });
});

/** Ids have other names in a cassette. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner: unknown) => (/id$/.test(name) && typeof inner === 'string' ? 'id' : inner)));
}
