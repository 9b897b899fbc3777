import { describe, expect, onTestFinished, it as test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeRefusal, type FakeService, startFakeService } from '../../src/testing/index.ts';
import { failureOf } from '../support/spec.ts';

async function start(): Promise<{ fake: FakeService; refusals: (FakeRefusal | undefined)[] }> {
  const refusals: (FakeRefusal | undefined)[] = [];
  const fake = await startFakeService({ onRefusal: ({ refusal }) => refusals.push(refusal) });
  onTestFinished(() => fake.close());
  return { fake, refusals };
}

const roots = { platform: '/api/paas/v4', coding: '/api/coding/paas/v4', messages: '/api/anthropic' } as const;
const messages = [{ role: 'user' as const, content: 'Is 91 prime?' }];

describe('thinking of the glm-5.3 family on the platform root', () => {
  const legal = [{}, { reasoning_effort: 'low' }, { reasoning_effort: 'high' }, { reasoning_effort: 'max' }, { thinking: { type: 'enabled' } }];
  const refused = [
    { thinking: { type: 'disabled' } },
    { thinking: { type: 'adaptive' } },
    ...['none', 'minimal', 'medium', 'xhigh', 'ultra'].map((reasoning_effort) => ({ reasoning_effort })),
  ];
  test.each(['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx'])(
    '%s refuses off and every effort but three, and the refusal has a reason',
    async (model) => {
      const { fake, refusals } = await start();
      const client = newClient(fake.configFor());
      for (const knob of legal) await client.chat().create(undefined, { model, messages, ...knob });
      expect(refusals).toEqual([]);
      for (const knob of refused)
        expect(await failureOf(() => client.chat().create(undefined, { model, messages, ...knob }))).toMatchObject({ status: 400, code: '1210' });
      expect(refusals).toHaveLength(refused.length);
      expect(refusals[0]).toEqual({ status: 400, code: '1210', reason: `thinking.type is not enabled, and ${model} always thinks` });
    },
  );

  test('other models accept every word, and the coding root folds', async () => {
    const { fake, refusals } = await start();
    const client = newClient(fake.configFor());
    const coding = newClient(fake.configFor({ baseURL: fake.url + roots.coding }));
    for (const knob of refused) {
      for (const model of ['glm-5.2', 'glm-4.7']) await client.chat().create(undefined, { model, messages, ...knob });
      await coding.chat().create(undefined, { model: 'glm-5.3', messages, ...knob });
    }
    expect(refusals).toEqual([]);
  });
});

describe('tokens of one question', () => {
  const chat = (effort?: string) => (effort === undefined ? {} : { reasoning_effort: effort });
  const rows: [root: 'platform' | 'coding', model: string, knob: object, tokens: number][] = [
    ['platform', 'glm-5.3', chat(), 105],
    ['platform', 'glm-5.3', chat('low'), 3],
    ['platform', 'glm-5.3', chat('high'), 8],
    ['platform', 'glm-5.3', chat('max'), 105],
    ['platform', 'glm-5.2', chat('none'), 1],
    ['platform', 'glm-5.2', chat('low'), 8],
    ['platform', 'glm-5.2', { thinking: { type: 'disabled' } }, 1],
    ['platform', 'glm-4.7', chat('max'), 1],
    ['coding', 'glm-5.3', chat('minimal'), 3],
    ['coding', 'glm-5.3', chat('medium'), 8],
    ['coding', 'glm-5.3', chat('ultra'), 105],
    ['coding', 'glm-5.3', { thinking: { type: 'disabled' } }, 3],
    ['coding', 'glm-5.1', chat('none'), 3],
  ];
  test.each(rows)('on the %s root, %s with %j: %d', async (root, model, knob, tokens) => {
    const { fake } = await start();
    fake.chat.reply('No.');
    const client = newClient(fake.configFor({ baseURL: fake.url + roots[root] }));
    expect((await client.chat().create(undefined, { model, messages, ...knob })).usage?.completion_tokens).toBe(tokens);
  });

  test.each([
    ['glm-5.3', {}, 105],
    ['glm-5.3', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, 3],
    ['glm-5.3', { thinking: { type: 'disabled' } }, 3],
    ['glm-5.2', {}, 8],
  ])('on messages, %s with %j: %d', async (model, knob, tokens) => {
    const { fake, refusals } = await start();
    fake.messages.reply('No.');
    const client = newClient(fake.configFor());
    expect((await client.anthropic().create(undefined, { model, max_tokens: 200, messages, ...knob })).usage.output_tokens).toBe(tokens);
    expect(refusals).toEqual([]);
  });
});

test('chat replies and chunks name their object', async () => {
  const { fake } = await start();
  const client = newClient(fake.configFor());
  fake.chat.reply('No.').reply('No.');
  expect(await client.chat().create(undefined, { model: 'glm-5.3', messages })).toMatchObject({ object: 'chat.completion' });
  for await (const chunk of client.chat().stream(undefined, { model: 'glm-5.3', messages }))
    expect(chunk).toMatchObject({ object: 'chat.completion.chunk' });
});

test('the coding root answers with the model of the plan, and refuses the model that no plan has', async () => {
  const { fake, refusals } = await start();
  const client = newClient(fake.configFor({ baseURL: fake.url + roots.coding, maxRetries: 0 }));
  fake.chat.reply('No.').reply('No.');
  expect((await client.chat().createSimple(undefined, 'glm-5.2', 'Hi')).model).toBe('glm-5.3');
  expect((await client.chat().createSimple(undefined, 'glm-4.7', 'Hi')).model).toBe('glm-5.3-flash');
  expect(await failureOf(() => client.chat().createSimple(undefined, 'glm-5.3-flashx', 'Hi'))).toMatchObject({ status: 429, code: '1311' });
  expect(refusals).toMatchObject([{ status: 429, code: '1311' }]);
});

test('the mark of a coding tool is not a model, and glm-5.3-flash takes no forced tool', async () => {
  const { fake } = await start();
  const client = newClient(fake.configFor());
  expect(await failureOf(() => client.chat().createSimple(undefined, 'glm-5.3[1m]', 'Hi'))).toMatchObject({ code: '1211' });
  const forced = { model: 'glm-5.3-flash', messages, tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'required' };
  expect(await failureOf(() => client.chat().create(undefined, forced as never))).toMatchObject({ code: '1210' });
});

test('the list has eleven ids, and a V3 plan its two windows', async () => {
  const { fake } = await start();
  const client = newClient(fake.configFor());
  const { data } = await client.models().list(undefined);
  expect(data).toHaveLength(11);
  expect(data.slice(-3).map(({ id }) => id)).toEqual(['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx']);
  fake.fallback('quota.getLimit', { example: 'credits' });
  const { windows, peak } = await client.usage().summary(undefined);
  expect(windows.map(({ name, usedFraction }) => [name, usedFraction])).toEqual([
    ['five-hour', 0.125],
    ['weekly', 0.152],
  ]);
  expect(peak.multiplier).toBeLessThanOrEqual(1);
});

test('a prompt of 500 tokens is cached for its key and model, and a shorter one is not counted', async () => {
  const { fake } = await start();
  const client = newClient(fake.configFor());
  const long = 'Weather. '.repeat(250);
  const usageOf = async (model: string, content: string, more = ''): Promise<unknown> => {
    fake.chat.reply('No.');
    const both = [{ role: 'user' as const, content }, ...(more === '' ? [] : [{ role: 'user' as const, content: more }])];
    return (await client.chat().create(undefined, { model, messages: both })).usage;
  };
  expect(await usageOf('glm-4.6', 'short')).toEqual({ prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 });
  const first = { prompt_tokens: 570, completion_tokens: 1, total_tokens: 571, prompt_tokens_details: { cached_tokens: 0 } };
  expect(await usageOf('glm-4.6', long)).toEqual(first);
  expect(await usageOf('glm-4.6', long)).toMatchObject({ prompt_tokens: 570, prompt_tokens_details: { cached_tokens: 569 } });
  expect(await usageOf('glm-4.6', long, 'And tomorrow?')).toMatchObject({ prompt_tokens_details: { cached_tokens: 569 } });
  expect(await usageOf('glm-4.7', long)).toEqual(first);
  fake.chat.reply({ text: 'No.', usage: { input: 8, cached: 5 } });
  expect((await client.chat().createSimple(undefined, 'glm-4.6', 'Hi')).usage).toMatchObject({
    prompt_tokens: 8,
    prompt_tokens_details: { cached_tokens: 5 },
  });
});

test('max_tokens above the limit of a model is refused with the legal range, and the limit is accepted', async () => {
  const { fake, refusals } = await start();
  const client = newClient(fake.configFor({ serviceRules: false }));
  const coding = newClient(fake.configFor({ baseURL: fake.url + roots.coding, serviceRules: false }));
  const limits: [model: string, most: number][] = [
    ['glm-5.3', 131_072],
    ['glm-4.5', 131_072],
    ['glm-4.5-air', 98_304],
    ['glm-4.6v', 32_768],
    ['glm-4-flash-250414', 16_384],
    ['glm-4v-flash', 1024],
  ];
  for (const [model, most] of limits) {
    await client.chat().create(undefined, { model, messages, max_tokens: most });
    const error = await failureOf(() => client.chat().create(undefined, { model, messages, max_tokens: most + 1 }));
    expect(error).toMatchObject({ status: 400, code: '1210', serviceMessage: expect.stringContaining(`[1, ${most}]`) as string });
    expect(refusals.at(-1)).toMatchObject({ status: 400, code: '1210', reason: expect.stringContaining(`[1, ${most}]`) as string });
  }
  for (const model of ['codegeex-4', 'glm-5.1-highspeed']) await client.chat().create(undefined, { model, messages, max_tokens: 131_072 });
  await coding.chat().create(undefined, { model: 'glm-4.6v', messages, max_tokens: 40_000 });
  await client.anthropic().create(undefined, { model: 'glm-4.6v', messages, max_tokens: 40_000 });
  expect(refusals).toHaveLength(limits.length);
});

test('forms that the service does not take are refused with 1214 and the reason', async () => {
  const { fake, refusals } = await start();
  const client = newClient(fake.configFor({ serviceRules: false }));
  const speak = { model: 'glm-tts', input: 'hi', voice: 'tongtong' };
  for (const [call, reason] of [
    [() => client.audio().speech(undefined, { ...speak, response_format: 'mp3' }), 'wav and pcm'],
    [() => client.bindings('chat').request('post', '/layout_parsing', { body: { model: 'glm-ocr', file: 'aGk=' } as never }), 'nor a data URI'],
  ] as const) {
    await Promise.resolve(call()).catch(() => undefined);
    expect(refusals.at(-1)).toMatchObject({ code: '1214', reason: expect.stringContaining(reason) });
  }
  await client.audio().speech(undefined, { ...speak, response_format: 'wav' });
  expect(refusals).toHaveLength(2);
});
