import { describe, expect, inject, it } from 'vitest';
import { estimateCredits } from '../../src/monitor/index.ts';
import { estimateCost, isApiError, newClient, type OperationMeta, usageMeter, withModel, withService } from '../../src/overlay/index.ts';
import { type Answer, faults } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { collect, configAt, failureOf, preferring } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'hi' }] };

/** The URL of a fake that answers everything with one reply. */
async function serving(answer: Answer): Promise<string> {
  const { fake } = await openFake({}, { keys: 'any', validate: false });
  return fake.fallback('*', answer).url;
}

async function first<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of stream) return item;
  return undefined;
}

const none = { calls: 0, unseen: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, totalTokens: 0 };

describe('usageMeter', () => {
  it('counts whole replies of both surfaces by model and service', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 60 } };
    const chat = await serving({ body: { id: '1', choices: [{}], usage } });
    const messages = await serving({
      body: { id: 'm', content: [{}], usage: { input_tokens: 30, output_tokens: 5, cache_read_input_tokens: 10 } },
    });
    const meter = usageMeter();
    const client = newClient(configAt(chat, { endpoints: { messages }, hooks: [meter] }));
    await client.chat().create(undefined, hello);
    await client.chat().create(undefined, hello);
    await client.anthropic().create(undefined, { model: 'glm-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
    const totals = meter.totals();
    const twice = { ...none, calls: 2, inputTokens: 200, cachedInputTokens: 120, outputTokens: 40, totalTokens: 240 };
    const once = { ...none, calls: 1, inputTokens: 40, cachedInputTokens: 10, outputTokens: 5, totalTokens: 45 };
    expect(totals.byService).toEqual({ chat: twice, anthropic: once });
    expect(totals.byModel).toEqual({
      'glm-4.6': { ...twice, cost: expect.closeTo(0.0001492, 9) },
      'glm-5': { ...once, cost: expect.closeTo(0.000048, 9) },
    });
    expect(totals.all).toEqual({ ...none, calls: 3, inputTokens: 240, cachedInputTokens: 130, outputTokens: 45, totalTokens: 285 });
  });

  it('counts streams of both surfaces', async () => {
    const meter = usageMeter();
    const client = newClient(configAt(inject('mockUrl'), { hooks: [meter] }));
    for await (const _ of client.chat().stream(undefined, hello));
    for await (const _ of client.anthropic().stream(undefined, { model: 'glm-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }));
    const { byService } = meter.totals();
    expect(byService['chat']).toMatchObject({ calls: 1, unseen: 0 });
    expect(byService['chat']?.totalTokens).toBeGreaterThan(0);
    expect(byService['anthropic']).toMatchObject({ calls: 1, unseen: 0 });
    expect(byService['anthropic']?.outputTokens).toBeGreaterThan(0);
  });

  it.each([
    ['left early', true],
    ['cut off', false],
  ])('owns up to a stream that was %s', async (_name, open) => {
    // The vendor opens a message stream with zeros.
    const start = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 0, output_tokens: 0 } } };
    const reply = { frames: [start] };
    const url = await serving(open ? { ...faults.doneThenOpen(), reply } : reply);
    const meter = usageMeter();
    const client = newClient(configAt(url, { hooks: [meter] }));
    const stream = client.anthropic().stream(undefined, { model: 'glm-5', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
    const { items } = open ? { items: [await first(stream)] } : await collect(stream);
    expect(items).toHaveLength(1);
    expect(meter.totals().all).toEqual({ ...none, unseen: 1 });
  });

  it('does not count a refused stream', async () => {
    const url = await serving({ body: { error: { code: '1113', message: 'x' } } });
    const meter = usageMeter();
    const client = newClient(configAt(url, { hooks: [meter] }));
    const { error } = await collect(client.chat().stream(undefined, hello));
    expect(error).toSatisfy(isApiError);
    expect(meter.totals().all).toEqual(none);
  });

  it('gives what hooks are not told under the path, or under the caller’s own names', async () => {
    const meter = usageMeter();
    const client = newClient(configAt(inject('mockUrl'), { hooks: [meter] }));
    const ask = preferring('chat');
    await client.getAsyncResult(ask, 'job-1');
    await client.getAsyncResult(withModel(withService(ask, 'jobs'), 'glm-4.7'), 'job-1');
    const { byModel, byService } = meter.totals();
    expect(Object.keys(byService)).toEqual(['/async-result/{id}', 'jobs']);
    expect(Object.keys(byModel)).toEqual(['', 'glm-4.7']);
    expect(byModel['']?.cost).toBeUndefined();
  });

  it('gives copies, counts only usage, and starts again', async () => {
    const meter = usageMeter();
    const client = newClient(configAt(inject('mockUrl'), { hooks: [meter] }));
    await client.quota().getLimit(undefined);
    const before = meter.totals();
    expect(before).toEqual({ all: none, byModel: {}, byService: {} });
    await client.chat().create(undefined, hello);
    expect(before.all.calls).toBe(0);
    expect(meter.totals().all.calls).toBe(1);
    meter.reset();
    expect(meter.totals()).toEqual(before);
  });

  it('does not take a tokenizer’s answer for use', () => {
    const meter = usageMeter();
    const meta = {
      service: '',
      method: 'POST',
      model: '',
      attempt: 0,
      waitedMs: 0,
      status: 200,
      requestId: undefined,
      headerMs: 1,
      durationMs: 1,
      complete: true,
    };
    meter.onResponse({ ...meta, operation: {} as OperationMeta, endpoint: '/tokenizer', usage: { prompt_tokens: 24, total_tokens: 24 } });
    expect(meter.totals().all).toEqual(none);
  });
});

describe('rows of your own', () => {
  // Dollars and credits for a million and for 10,000 tokens.
  const models = [
    { id: 'glm-0', price: { input: 2, output: 6 }, credits: { input: 10, output: 30, cached_input: 2 } },
    { id: 'glm-4.6', price: { input: 100, output: 200 } },
    { id: 'glm-0-air', plan_model: 'glm-0' },
    { id: 'glm-4.7', context_tokens: 5 },
  ];
  const usage = { prompt_tokens: 10_000, completion_tokens: 10_000, total_tokens: 20_000 };
  const peak = new Date('2026-07-10T07:00:00Z');

  it('price a new model, correct a price, and leave the others', () => {
    expect(estimateCost('glm-0', usage)).toBeUndefined();
    expect(estimateCost('glm-0', usage, models)).toBeCloseTo(0.08, 9);
    expect(estimateCost('glm-4.6', usage, models)).toBeCloseTo(3, 9);
    for (const model of ['glm-4.7', 'glm-5.3', 'glm-99']) expect(estimateCost(model, usage, models)).toBe(estimateCost(model, usage));
  });

  it('count credits, also of the model that answers a plan', () => {
    expect(estimateCredits('glm-0', usage, peak)).toBeUndefined();
    for (const model of ['glm-0', 'glm-0-air']) expect(estimateCredits(model, usage, peak, models)).toBeCloseTo(40, 9);
    expect(estimateCredits('glm-5.3', usage, peak, models)).toBe(estimateCredits('glm-5.3', usage, peak));
  });

  it('price the counts of a meter', async () => {
    const url = await serving({ body: { id: '1', choices: [{}], usage } });
    const meter = usageMeter({ models });
    const client = newClient(configAt(url, { hooks: [meter], models }));
    for (const model of ['glm-0', 'glm-4.6']) await client.chat().create(undefined, { ...hello, model });
    const { byModel } = meter.totals();
    expect([byModel['glm-0']?.cost, byModel['glm-4.6']?.cost]).toEqual([expect.closeTo(0.08, 9), expect.closeTo(3, 9)]);
  });

  it('are refused as in a Config', async () => {
    const bad = [{ id: 'glm-0', price: { input: -1 } }];
    for (const use of [
      () => usageMeter({ models: bad }),
      () => estimateCost('glm-0', usage, bad),
      () => estimateCredits('glm-0', usage, peak, bad),
    ]) {
      const error = await failureOf(use);
      expect(error).toSatisfy(ofKind('config'));
      expect(String(error)).toContain('models[0].price.input of glm-0 must be at least 0');
    }
    expect(String(await failureOf(() => usageMeter({ model: [] } as object)))).toContain('model is unknown; did you mean models?');
  });
});

describe('estimateCredits', () => {
  // A Friday; peak hours are 06:00 to 10:00 UTC.
  const peak = new Date('2026-07-10T07:00:00Z');
  const usage = { prompt_tokens: 20_000, completion_tokens: 10_000, total_tokens: 30_000, prompt_tokens_details: { cached_tokens: 10_000 } };

  it.each([
    ['glm-5.3', 6.9 + 1.7 + 24],
    ['glm-5.2', 6.9 + 1.7 + 24],
    ['glm-5.3-flash', 2.3 + 0.56 + 8],
    // The coding root answers these with glm-5.3 and glm-5.3-flash.
    ['glm-5.1', 6.9 + 1.7 + 24],
    ['glm-4.7', 2.3 + 0.56 + 8],
    ['glm-5-turbo', 2.3 + 0.56 + 8],
  ])('of %s count in full in peak hours and half at other times', (model, credits) => {
    expect(estimateCredits(model, usage, peak)).toBeCloseTo(credits, 9);
    for (const at of ['2026-07-10T05:59:59Z', '2026-07-10T10:00:00Z', '2026-07-11T07:00:00Z'])
      expect(estimateCredits(model, usage, new Date(at))).toBeCloseTo(credits / 2, 9);
  });

  it('are the same for the usage of messages, and undefined without factors or counts', () => {
    expect(estimateCredits('glm-5.3', { input_tokens: 10_000, cache_read_input_tokens: 10_000, output_tokens: 10_000 }, peak)).toBeCloseTo(32.6, 9);
    for (const model of ['glm-5.3-flashx', 'glm-4.6', 'glm-4.5-air', 'no-such-model', ''])
      expect(estimateCredits(model, usage, peak)).toBeUndefined();
    expect(estimateCredits('glm-5.3', {}, peak)).toBeUndefined();
  });
});

describe('estimateCost', () => {
  it('prices cached tokens apart, and once', () => {
    // 0.6 in, 2.2 out, 0.11 cached per million.
    const usage = {
      prompt_tokens: 1_000_000,
      completion_tokens: 1_000_000,
      total_tokens: 2_000_000,
      prompt_tokens_details: { cached_tokens: 400_000 },
    };
    expect(estimateCost('glm-4.7', usage)).toBeCloseTo(0.36 + 0.044 + 2.2, 9);
    expect(estimateCost('glm-4.7', { input_tokens: 600_000, cache_read_input_tokens: 400_000, output_tokens: 1_000_000 })).toBeCloseTo(2.604, 9);
  });

  it('prices cached tokens as input where no cached price is known', () => {
    expect(
      estimateCost('glm-4-32b-0414-128k', { prompt_tokens: 1_000_000, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 500_000 } }),
    ).toBeCloseTo(0.1, 9);
  });

  it('has the flagship, and never a similar name', () => {
    const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
    expect(estimateCost('glm-5.3', usage)).toBeCloseTo(1.4, 9);
    for (const model of ['glm-5-flash', 'glm-5v', 'glm-4.7-2026', 'gpt', '']) expect(estimateCost(model, usage)).toBeUndefined();
  });

  it('is undefined where the usage does not say enough', () => {
    for (const usage of [{}, { total_tokens: 5 }, { prompt_tokens: 1, completion_tokens: 1, total_tokens: 9 }, { prompt_tokens: Number.NaN }])
      expect(estimateCost('glm-4.7', usage)).toBeUndefined();
    // No price is known for it, or none by tokens.
    for (const model of ['glm-4-long', 'cogview-4']) expect(estimateCost(model, { prompt_tokens: 1, completion_tokens: 1 })).toBeUndefined();
  });

  it('is zero without usage', () => {
    expect(estimateCost('glm-4.7', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toBe(0);
  });
});
