import { describe, expect, test } from 'vitest';
import {
  type Budget,
  type BudgetLimits,
  Chat,
  type Client,
  type Config,
  defineTool,
  estimateCost,
  isBudgetError,
  isConfigError,
  newBudget,
  newClient,
  newService,
  toolRun,
} from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { held } from '../support/held.ts';

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
    expect(once).toEqual({ usd: estimateCost('glm-5.2', answered.usage), credits: expect.any(Number), tokens: expect.any(Number), estimated: false });
    const streamed = taken(driver.stream(client));
    for (const error of [await failure(driver.create(client)), (await streamed).error]) {
      expect(isBudgetError(error) && [error.unit, error.limit, error.spent, error.operation]).toEqual([
        'usd',
        1e-9,
        once.usd,
        expect.stringContaining('.'),
      ]);
      expect(String(error)).toContain('the budget of 1e-9 usd is used up');
    }
    expect(fake.requests).toHaveLength(1);
    const other = withBudget({ tokens: 1e9 });
    await taken(driver.stream(other.client));
    expect(other.budget.spent).toMatchObject({ tokens: once.tokens, estimated: false });
  });

  test('a refusal costs nothing, a retried call is charged once, and a client of with shares the budget', async () => {
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
  ])('a stream %s is charged by its last counts, or as its most output', async (_name, fault) => {
    fake.answer(driver.operation, { ...fault, reply });
    const { budget, client } = withBudget({ usd: 9 });
    expect((await taken(driver.stream(client))).error).toBeDefined();
    expect(budget.spent.estimated).toBe(true);
    expect(budget.spent.tokens).toBeGreaterThan(0);
    expect(budget.spent.usd).toBeGreaterThan(0);
  });

  test('a budget of 0 refuses every paid call, and reads stay free', async () => {
    const { client } = withBudget({ tokens: 0 });
    expect(isBudgetError(await failure(driver.create(client)))).toBe(true);
    expect(fake.requests).toHaveLength(0);
    await client.models().list(undefined);
    expect(fake.requests).toHaveLength(1);
  });

  test('a thousand calls at once over two clients exceed it at most by what is in flight', async () => {
    fake.fallback(driver.operation, reply);
    const budget = newBudget({ tokens: 100 });
    const clients = [1, 2].map(() => clientFor(fake, { budget, concurrency: { start: 4, max: 4 } }));
    const calls = Array.from({ length: 1000 }, (_, index) => driver.create(clients[index % 2] as Client).then(() => true, isBudgetError));
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
    expect(isBudgetError(error)).toBe(true);
    expect(toolRun(error)?.modelCalls).toBe(1);
    expect(JSON.stringify(toolRun(error)?.transcript)).toContain('noon');
    expect(fake.requests).toHaveLength(1);
  });

  test('an abort of a call that waits for its place frees it and costs nothing', async () => {
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
    ['a batch', () => at({}).batch().create(undefined, china), /cannot price this call/],
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
    ['a coding plan', () => chat(at({ ...nowhere, baseURL: 'https://api.z.ai/api/coding/paas/v4' }), 'glm-5.3'), /or limit credits or tokens/],
  ])('%s', async (_name, call, words) => {
    const error = await failure(call());
    expect(isBudgetError(error) && error.unit).toBe('usd');
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
    ['null', null, 64, true],
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
    await chat(at({ budget }), 'glm-5.3', { max_tokens: 64 });
    expect(budget.spent).toMatchObject({ tokens, estimated });
  });
});

test('limits are checked, and numbers of a Config make a budget of that client alone', async () => {
  for (const budget of [{}, { usd: -1 }, { usd: Number.NaN }, { tokens: Number.POSITIVE_INFINITY }, { usd: '5' }, { euro: 5 }, 5, null] as never[]) {
    expect(await thrown(() => newBudget(budget))).toSatisfy(isConfigError);
    expect(await thrown(() => newClient(fake.configFor({ budget })))).toSatisfy(isConfigError);
  }
  expect(String(await thrown(() => newService(Chat, fake.configFor({ budget: { usd: 1 } }))))).toContain('budget must be made by newBudget');
  fake.fallback('chat.create', reply);
  const [one, other] = [1, 2].map(() => newClient(fake.configFor({ budget: { tokens: 1 } }))) as [Client, Client];
  for (const client of [one, other]) await client.chat().createSimple(undefined, 'glm-5.3', 'hi');
  for (const client of [one, one.with({ timeout: 1000 })])
    expect(await failure(client.chat().createSimple(undefined, 'glm-5.3', 'hi'))).toSatisfy(isBudgetError);
  await one.with({ budget: undefined }).chat().createSimple(undefined, 'glm-5.3', 'hi');
  await one
    .with({ budget: { tokens: 1 } })
    .chat()
    .createSimple(undefined, 'glm-5.3', 'hi');
  const service = newService(Chat, fake.configFor({ budget: newBudget({ tokens: 1 }) }));
  await service.createSimple(undefined, 'glm-5.3', 'hi');
  expect(await failure(service.createSimple(undefined, 'glm-5.3', 'hi'))).toSatisfy(isBudgetError);
});
