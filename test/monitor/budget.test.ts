import { describe, expect, test } from 'vitest';
import {
  type Budget,
  type BudgetLimits,
  type Client,
  type Config,
  defineTool,
  estimateCost,
  isModelsvcError,
  newBudget,
  newClient,
  toolRun,
  withModel,
} from '../../src/overlay/index.ts';
import { Chat, newService } from '../../src/services/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { held } from '../support/held.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
const reply = { turn: { text: ['one ', 'two'] } };
const thrown = (make: () => unknown): Promise<unknown> => failure(Promise.resolve().then(make));

onBothWays((driver, clientFor) => {
  const withBudget = (limits: BudgetLimits, more: Partial<Config> = {}): { budget: Budget; client: Client } => {
    const budget = newBudget(limits);
    return { budget, client: clientFor(fake, { budget, ...more }) };
  };

  test('a call is charged once by its usage, whole and streamed, and the next one is refused before any network', async () => {
    fake.fallback(driver.operation, reply);
    const { budget, client } = withBudget({ usd: 1e-9, tokens: 1e9 });
    const answered = (await driver.create(client)) as { usage: object };
    const once = budget.spent;
    expect(once).toEqual({ usd: estimateCost('glm-5.2', answered.usage), tokens: expect.any(Number), estimated: false });
    const streamed = taken(driver.stream(client));
    for (const error of [await failure(driver.create(client)), (await streamed).error]) {
      expect(isModelsvcError(error, 'budget') && [error.unit, error.limit, error.spent, error.operation]).toEqual([
        'usd',
        1e-9,
        once.usd,
        expect.stringContaining('.'),
      ]);
      expect(String(error)).toMatch(/budget used up: \$0\.\d{10} of \$0\.0000000010 spent; the call was not sent\. Raise usd in newBudget/);
      expect(error).toMatchObject({ billed: 'no' });
    }
    expect(fake.requests).toHaveLength(1);
    const other = withBudget({ tokens: 1e9 });
    await taken(driver.stream(other.client));
    expect(other.budget.spent).toMatchObject({ tokens: once.tokens, estimated: false });
  });

  test('a refusal is free, a retried call is charged once, and a client of with shares the budget', async () => {
    fake.answer(driver.operation, faults.error(400, '1210'), faults.rateLimit({ ms: 1 }), reply);
    const { budget, client } = withBudget({ tokens: 1e9 });
    await failure(driver.create(client));
    expect(budget.spent).toMatchObject({ tokens: 0, estimated: false });
    await driver.create(client.with({ timeout: 9000 }));
    expect(budget.spent.tokens).toBeGreaterThan(0);
    expect(budget.spent.estimated).toBe(false);
  });

  test.each<[string, Fault]>([
    ['that broke off after a part', faults.truncatedStream()],
    ['whose connection was lost', faults.resetMidBody(400)],
  ])('a stream %s is charged by its last counts, or by what arrived', async (_name, fault) => {
    fake.answer(driver.operation, { ...fault, reply });
    const { budget, client } = withBudget({ usd: 9 });
    expect((await taken(driver.stream(client))).error).toBeDefined();
    expect(budget.spent.estimated).toBe(true);
    expect(budget.spent.tokens).toBeGreaterThan(0);
    expect(budget.spent.usd).toBeGreaterThan(0);
  });

  test('a budget of 0 refuses every paid call, and reads stay free', async () => {
    const { client } = withBudget({ tokens: 0 });
    expect(isModelsvcError(await failure(driver.create(client)), 'budget')).toBe(true);
    expect(fake.requests).toHaveLength(0);
    await client.models().list(undefined);
    expect(fake.requests).toHaveLength(1);
  });

  test('a thousand calls at once over two clients exceed it at most by what is in flight', async () => {
    fake.fallback(driver.operation, reply);
    const budget = newBudget({ tokens: 100 });
    const clients = [1, 2].map(() => clientFor(fake, { budget, concurrency: { start: 4, max: 4 } }));
    const calls = Array.from({ length: 1000 }, (_, index) => driver.create(clients[index % 2] as Client).then(() => true, ofKind('budget')));
    expect((await Promise.all(calls)).every(Boolean)).toBe(true);
    const each = budget.spent.tokens / fake.requests.length;
    expect(budget.spent.tokens).toBeGreaterThanOrEqual(100);
    expect(budget.spent.tokens).toBeLessThanOrEqual(100 + 4 * each);
  });

  test('a loop of tools ends with the rounds so far', async () => {
    const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });
    fake.fallback(driver.operation, { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } });
    const { client } = withBudget({ tokens: 1 });
    const error = await failure(driver.service(client).runWithTools(undefined, driver.request('time?'), [clock] as never));
    expect(isModelsvcError(error, 'budget')).toBe(true);
    expect(toolRun(error)?.modelCalls).toBe(1);
    expect(JSON.stringify(toolRun(error)?.transcript)).toContain('noon');
    expect(fake.requests).toHaveLength(1);
  });

  test('an abort of a call that waits for its place frees it and is free', async () => {
    const { budget, client } = withBudget({ tokens: 1000 }, { concurrency: { start: 1, max: 1 } });
    const answers = held(fake, driver.operation);
    const first = driver.create(client);
    await until(() => answers.count === 1);
    const leaving = new AbortController();
    const second = failure(driver.create(client, leaving.signal));
    leaving.abort();
    expect(await second).toMatchObject({ kind: 'abort' });
    answers.open();
    await first;
    expect(budget.spent.estimated).toBe(false);
  });
});

describe('what a budget cannot price is refused with what to give', () => {
  const china = { input_file_id: 'f', endpoint: '/v4/chat/completions' } as const;
  const chat = (client: Client, model: string, more: object = {}): Promise<unknown> =>
    client.chat().create(undefined, { model, messages: [{ role: 'user', content: 'hi' }], ...more });
  const at = (more: Partial<Config>): Client => newClient({ ...fake.configFor(), budget: { usd: 5 }, ...more });
  const nowhere: Partial<Config> = { httpClient: () => Promise.reject(new Error('a request was sent')), maxRetries: 0, endpoints: undefined };

  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['a model without a price', () => chat(at({}), 'mine'), /cannot price mine\. Add its model with a price to Config\.models/],
    ['a model that is a key, without it', () => chat(at({}), String(fake.configFor().apiKey)), /cannot price (?!.*fake-secret)/],
    ['a batch', () => at({}).batch().create(undefined, china), /the cost of a batch is not known before its results\. Send its requests/],
    [
      'an agent',
      () =>
        at({})
          .agents()
          .invoke(undefined, { agent_id: 'general_translation', messages: [{ role: 'user', content: 'hi' }] } as never),
      /cannot price this call/,
    ],
    ['a web search beside functions', () => chat(at({}), 'glm-5.3', { tools: [{ type: 'web_search', web_search: { enable: true } }] }), /web search/],
    [
      'the china host',
      () => chat(at({ ...nowhere, baseURL: 'https://open.bigmodel.cn/api/paas/v4' }), 'glm-5.3'),
      /do not apply to https:\/\/open\.bigmodel\.cn/,
    ],
    ['a coding plan', () => chat(at({ ...nowhere, baseURL: 'https://api.z.ai/api/coding/paas/v4' }), 'glm-5.3'), /or limit tokens/],
  ])('%s', async (_name, call, words) => {
    const error = await failure(call());
    expect(isModelsvcError(error, 'budget') && error.unit).toBe('usd');
    expect(String(error)).toMatch(words);
    expect(fake.requests).toHaveLength(0);
  });

  test('a price in Config.models is one; media with a price are charged by the item; uploads are free', async () => {
    fake.fallback('chat.create', reply);
    const budget = newBudget({ usd: 5 });
    const client = at({ budget, models: [{ id: 'mine', price: { input: 1, output: 1 } }] });
    await chat(client, 'mine');
    expect(budget.spent.usd).toBeCloseTo(budget.spent.tokens / 1e6, 12);
    const before = budget.spent;
    await client.images().generate(undefined, { model: 'cogview-4-250304', prompt: 'rain' });
    expect(budget.spent.usd - before.usd).toBeCloseTo(0.01, 12);
    await client.files().upload(undefined, { file: new Blob(['{}']), filename: 'a.jsonl', purpose: 'batch' });
    expect(budget.spent.usd - before.usd).toBeCloseTo(0.01, 12);
    expect(budget.spent.estimated).toBe(false);
  });

  test.each([
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, 0, false],
    ['null', null, 47, true],
    ['1e308', { prompt_tokens: 1e308, completion_tokens: 1, total_tokens: 1e308 }, 63, true],
    ['text', { prompt_tokens: '1', completion_tokens: 'one' }, 58, true],
    ['negative', { prompt_tokens: -5, completion_tokens: -6 }, 57, true],
    ['missing', undefined, 44, true],
    [
      'with more cached than read',
      { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, prompt_tokens_details: { cached_tokens: 9 } },
      11,
      false,
    ],
  ])('a usage that is %s', async (_name, usage, tokens, estimated) => {
    const body = { choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }], usage };
    fake.answer('chat.create', { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const budget = newBudget({ usd: 5 });
    await chat(at({ budget, wholeReplies: true }), 'glm-5.3', { max_tokens: 64 });
    expect(budget.spent).toMatchObject({ tokens, estimated });
  });
});

test('limits are checked, and numbers of a Config make a budget of that client alone', async () => {
  for (const budget of [{}, { usd: -1 }, { usd: Number.NaN }, { tokens: Number.POSITIVE_INFINITY }, { usd: '5' }, { euro: 5 }, 5, null] as never[]) {
    expect(await thrown(() => newBudget(budget))).toSatisfy(ofKind('config'));
    expect(await thrown(() => newClient(fake.configFor({ budget })))).toSatisfy(ofKind('config'));
  }
  expect(String(await thrown(() => newService(Chat, fake.configFor({ budget: { usd: 1 } }))))).toContain('budget must be made by newBudget');
  fake.fallback('chat.create', reply);
  const [one, other] = [1, 2].map(() => newClient(fake.configFor({ budget: { tokens: 1 } }))) as [Client, Client];
  for (const client of [one, other]) await client.chat().createSimple(undefined, 'glm-5.3', 'hi');
  for (const client of [one, one.with({ timeout: 1000 })])
    expect(await failure(client.chat().createSimple(undefined, 'glm-5.3', 'hi'))).toSatisfy(ofKind('budget'));
  await one.with({ budget: undefined }).chat().createSimple(undefined, 'glm-5.3', 'hi');
  await one
    .with({ budget: { tokens: 1 } })
    .chat()
    .createSimple(undefined, 'glm-5.3', 'hi');
  const service = newService(Chat, fake.configFor({ budget: newBudget({ tokens: 1 }) }));
  await service.createSimple(undefined, 'glm-5.3', 'hi');
  expect(await failure(service.createSimple(undefined, 'glm-5.3', 'hi'))).toSatisfy(ofKind('budget'));
});

describe('what is spent', () => {
  const at = (budget: Budget | BudgetLimits, more: Partial<Config> = {}): Client => newClient(fake.configFor({ budget, ...more }));
  const request = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'hi' }] };
  const long = { turn: { text: Array.from({ length: 90 }, () => 'word '), usage: { input: 10, output: 90 } } };

  test('20 streams of 100 tokens with concurrency: 1 and a limit of 450 spend 500, though they are read later', async () => {
    fake.fallback('chat.create', long);
    const budget = newBudget({ tokens: 450 });
    const client = at(budget, { concurrency: 1 });
    const ends = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = client.chat().stream(undefined, request);
        const first = await stream.next().catch((error: unknown) => error);
        // The reader is slow: it comes back after all streams have begun.
        return { stream, first };
      }),
    );
    expect(budget.spent).toMatchObject({ tokens: 500, estimated: false });
    expect(ends.filter(({ first }) => isModelsvcError(first, 'budget'))).toHaveLength(15);
    for (const { stream } of ends) for await (const _ of stream);
    expect(budget.spent.tokens).toBe(500);
  });

  test('reads, uploads and counts of tokens are free', async () => {
    const budget = newBudget({ tokens: 1e9 });
    const client = at(budget);
    await client.anthropic().countTokens(undefined, request as never);
    await client.tools().tokenize(undefined, request as never);
    await client.files().upload(undefined, { file: new Blob(['{}']), filename: 'a.jsonl', purpose: 'batch' });
    await client.models().list(undefined);
    expect(budget.spent).toEqual({ usd: 0, tokens: 0, estimated: false });
  });

  test.each([
    ['a short prompt', 'hi', 10, 60],
    ['a prompt of 800,000 bytes', 'word '.repeat(160_000), 200_000, 200_100],
    ['a picture of a megabyte', [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` } }], 2000, 2100],
  ])('a stream that is left after one word is charged for %s', async (_name, content, least, most) => {
    fake.fallback('chat.create', faults.silentAfterHeaders(3));
    const budget = newBudget({ usd: 9 });
    const stream = at(budget)
      .chat()
      .stream(undefined, { ...request, messages: [{ role: 'user', content }] } as never);
    for await (const _ of stream) break;
    expect(budget.spent.tokens).toBeGreaterThanOrEqual(least);
    expect(budget.spent.tokens).toBeLessThanOrEqual(most);
    expect(budget.spent.estimated).toBe(true);
  });

  test.each([
    ['a whole reply', false, 131_072],
    ['a whole reply with max_tokens', false, 500],
    ['a stream', true, 0],
  ])('%s that is lost before its header is charged as its prompt and its longest answer', async (name, isStream, output) => {
    fake.fallback('chat.create', faults.silentBeforeHeaders());
    const budget = newBudget({ usd: 9 });
    const asked = { ...request, ...(name.includes('max_tokens') && { max_tokens: 500 }) };
    const client = at(budget, { maxRetries: 0, timeout: 100, wholeReplies: true });
    await failure(isStream ? client.chat().stream(undefined, asked).next() : client.chat().create(undefined, asked));
    expect(budget.spent.tokens - output).toBeGreaterThan(10);
    expect(budget.spent.tokens - output).toBeLessThan(60);
  });

  test('each lost attempt before a good one is charged', async () => {
    fake.answer('chat.create', faults.resetBeforeHeaders(), faults.resetBeforeHeaders(), reply);
    const budget = newBudget({ tokens: 1e9 });
    await at(budget, { retryDelay: 1, wholeReplies: true })
      .chat()
      .create(undefined, { ...request, max_tokens: 1000 });
    expect(budget.spent.tokens).toBeGreaterThan(2000);
    expect(budget.spent.estimated).toBe(true);
  });

  test('the model of the request decides the price, whatever its label is', async () => {
    fake.fallback('chat.create', { turn: { text: 'x', usage: { input: 1_000_000, output: 1_000_000 } } });
    const budget = newBudget({ usd: 99 });
    await at(budget).chat().create(withModel(undefined, 'glm-4.5-flash'), request);
    expect(budget.spent.usd).toBeCloseTo(1.4 + 4.4, 9);
  });

  test.each([-1000, 0, 1.5, 'two', 1e308, Number.MAX_VALUE])('n: %j is refused under any limit, before it is sent', async (n) => {
    for (const limit of [{ usd: 5 }, { tokens: 5 }]) {
      const budget = newBudget(limit);
      const asked = { model: 'cogview-4-250304', prompt: 'rain', n };
      expect(
        await failure(
          at(budget)
            .images()
            .generate(undefined, asked as never),
        ),
      ).toSatisfy(ofKind('budget'));
      expect(budget.spent).toEqual({ usd: 0, tokens: 0, estimated: false });
    }
    expect(fake.requests).toHaveLength(0);
  });

  test('a job of chat is an estimate until its result comes, which counts once', async () => {
    const budget = newBudget({ usd: 5 });
    const client = at(budget);
    const job = await client.chat().createAsync(undefined, { ...request, max_tokens: 1000 });
    expect(budget.spent).toMatchObject({ estimated: true });
    expect(budget.spent.tokens).toBeGreaterThan(1000);
    const result = (await client.waitForResult(undefined, job.id, 100)) as { usage?: object };
    expect(budget.spent).toMatchObject({ estimated: false, usd: estimateCost('glm-5.3', result.usage ?? {}) });
    const once = budget.spent;
    await client.getAsyncResult(undefined, job.id);
    expect(budget.spent).toEqual(once);
  });

  test('raw calls are charged by the counts of their reply, read or not', async () => {
    fake.fallback('chat.create', long);
    const budget = newBudget({ tokens: 1e9 });
    const chat = at(budget).bindings('chat');
    const { response } = await chat.POST('/chat/completions', { body: request, parseAs: 'stream' });
    await until(() => budget.spent.tokens > 0);
    expect(budget.spent).toMatchObject({ tokens: 100, estimated: false });
    await response.body?.cancel();
    await chat.POST('/chat/completions', { body: request });
    const streamed = await chat.POST('/chat/completions', { body: { ...request, stream: true } as never, parseAs: 'text' });
    expect(streamed.data).toContain('[DONE]');
    expect(budget.spent).toMatchObject({ tokens: 300, estimated: false });
  });

  test.each([{ usd: 5 }, { tokens: 5 }])('batches are refused under %j before any upload, and results of one pass', async (limit) => {
    const client = at(limit);
    const lines = [{ body: request }];
    const create = { input_file_id: 'f', endpoint: '/v4/chat/completions' } as const;
    for (const call of [
      () => client.batch().create(undefined, create),
      () => client.batch().start(undefined, lines),
      () => client.batch().run(undefined, lines),
    ])
      expect(await failure(call())).toSatisfy(ofKind('budget'));
    expect(fake.requests).toHaveLength(0);
    const { id } = await newClient(fake.configFor()).batch().start(undefined, lines);
    expect((await client.batch().run(undefined, lines, { resume: id, interval: 100 })).results).toHaveLength(1);
  });

  test('hooks that throw, and an abort at every moment, change no sum', async () => {
    fake.fallback('chat.create', long);
    const broken = { onStart: fails, onRequest: fails, onResponse: fails, onEnd: fails, onError: fails, onChunk: fails };
    const budget = newBudget(Object.freeze({ tokens: 1e9 }));
    const client = at(budget, { hooks: [broken] });
    await client.chat().create(undefined, request);
    expect(budget.spent).toMatchObject({ tokens: 100, estimated: false });
    for (const items of [0, 1, 5, 89, 200]) {
      const leaving = new AbortController();
      const before = budget.spent.tokens;
      let count = 0;
      try {
        for await (const _ of client.chat().stream(leaving.signal, request)) if (count++ === items) leaving.abort();
      } catch {}
      expect(budget.spent.tokens).toBeGreaterThan(before);
      expect(budget.spent.tokens).toBeLessThanOrEqual(before + 140);
    }
  });

  test('a number, and credits, are refused with what to write', () => {
    expect(() => at(2 as never)).toThrow(/budget must name its unit, because a number is not understood: \{ usd: 2 \}/);
    expect(() => at({ credits: 5 } as never)).toThrow(/budget\.credits is not a unit: the windows of the plan are the limit there/);
  });
});

function fails(): never {
  throw new Error('a hook');
}
