import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Client, estimateCost, isApiError, type ModelRow, newClient, responseInfo } from '../../src/overlay/index.ts';
import { type Answer, type AnsweringServer, answeringServer } from '../support/answering-server.ts';
import { until } from '../support/clock.ts';
import { ofKind } from '../support/of-kind.ts';
import { configAt, failureOf } from '../support/spec.ts';

const model = (id: string, rest: object = {}) => ({ id, object: 'model', created: 1753632000, owned_by: 'z-ai', ...rest });
const listOf = (...data: object[]): Answer => ({ body: { object: 'list', data } });

async function served(
  answer: Parameters<typeof answeringServer>[0],
  models?: readonly ModelRow[],
): Promise<{ client: Client; server: AnsweringServer }> {
  const server = await answeringServer(answer);
  return { server, client: newClient(configAt(server.url, { maxRetries: 0, models })) };
}

/** An answer that waits until it is let go. */
function held(answer: Answer): { readonly answer: Promise<Answer>; readonly release: () => void } {
  let release = (): void => {};
  const gate = new Promise<Answer>((resolve) => {
    release = () => resolve(answer);
  });
  return { answer: gate, release };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('models.list', () => {
  it('throws when the reply has no list, and does not keep it', async () => {
    const { client } = await served((_asked, index) => (index === 0 ? { body: { object: 'list' } } : listOf(model('glm-5'))));
    expect(await failureOf(() => client.models().list(undefined))).toMatchObject({ kind: 'api', status: 200 });
    expect((await client.models().list(undefined)).data).toHaveLength(1);
  });
});

describe('what the catalogue adds', () => {
  it('completes an exact id, and the live value wins', async () => {
    const { client } = await served(() => listOf(model('glm-4.6', { max_context: 7, pricing: { prompt: 9, unit: 'other' } }), model('glm-4.5')));
    const [live, filled] = (await client.models().list(undefined)).data;
    expect(live).toMatchObject({ listed: true, max_context: 7, pricing: { prompt: 9, unit: 'other' }, family: 'GLM-4', max_output_tokens: 131072 });
    expect(live?.pricing).toEqual({ prompt: 9, unit: 'other' });
    expect(filled).toMatchObject({
      max_context: 131072,
      pricing: { prompt: 0.6, completion: 2.2, cached_prompt: 0.11, unit: 'USD per million tokens' },
    });
  });

  it('is not hidden by a field that the service sends as null', async () => {
    const { client } = await served(() => listOf(model('glm-4.6', { max_context: null })));
    expect((await client.models().list(undefined)).data[0]?.max_context).toBe(204800);
  });

  it('ignores an id that only begins like a known one', async () => {
    const { client } = await served(() => listOf(model('glm-4.6-nightly'), model('glm-4.5-flashier')));
    expect((await client.models().list(undefined)).data).toEqual([
      { ...model('glm-4.6-nightly'), listed: true },
      { ...model('glm-4.5-flashier'), listed: true },
    ]);
    expect((await client.models().get(undefined, 'glm-4.6v-flash')).pricing).toMatchObject({ prompt: 0 });
  });

  // Context, longest answer, thinking, and USD for input, cached input and output.
  it.each([
    ['glm-5.3', 1048576, 131072, 'always', [1.4, 0.26, 4.4]],
    ['glm-5.3-flash', 1048576, 131072, 'always', [0.15, 0.03, 0.5]],
    ['glm-5.3-flashx', 1048576, 131072, 'always', [0.37, 0.075, 1.25]],
    ['glm-5.2', 1048576, 131072, 'switchable', [1.4, 0.26, 4.4]],
    ['glm-5.1', 204800, 131072, 'switchable', [1.4, 0.26, 4.4]],
    ['glm-5', 204800, 131072, 'switchable', [1, 0.2, 3.2]],
    ['glm-5-turbo', 204800, 131072, 'switchable', [1.2, 0.24, 4]],
    ['glm-5v-turbo', 204800, 131072, 'switchable', [1.2, 0.24, 4]],
    ['glm-4.7', 204800, 131072, 'switchable', [0.6, 0.11, 2.2]],
    ['glm-4.7-flashx', 204800, 131072, 'switchable', [0.07, 0.01, 0.4]],
    ['glm-4.7-flash', 204800, 131072, 'switchable', [0, 0, 0]],
    ['glm-4.6', 204800, 131072, 'switchable', [0.6, 0.11, 2.2]],
    ['glm-4.5', 131072, 98304, 'switchable', [0.6, 0.11, 2.2]],
    ['glm-4.5-air', 131072, 98304, 'switchable', [0.2, 0.03, 1.1]],
    ['glm-4.6v', 131072, 32768, 'switchable', [0.3, 0.05, 0.9]],
    ['glm-4.5v', 65536, 16384, 'switchable', [0.6, 0.11, 1.8]],
    ['autoglm-phone', 20480, 2048, undefined, undefined],
    ['glm-ocr', undefined, undefined, undefined, [0.03, undefined, 0.03]],
  ])('has the sizes, the thinking and the price of %s', async (id, max_context, max_output_tokens, thinking, price) => {
    const { client } = await served(() => listOf());
    const info = await client.models().get(undefined, id);
    const { prompt, cached_prompt: cached, completion } = info.pricing ?? {};
    expect([info.max_context, info.max_output_tokens, info.thinking, info.pricing && [prompt, cached, completion]]).toEqual([
      max_context,
      max_output_tokens,
      thinking,
      price,
    ]);
  });

  it('has the words of effort, prices of one item, and no id that does not exist', async () => {
    const { client } = await served(() => listOf());
    const models = client.models();
    expect((await models.get(undefined, 'glm-5.3')).effort).toEqual(['low', 'high', 'max']);
    expect((await models.get(undefined, 'glm-5.2')).effort).toEqual(['high', 'max']);
    expect(await models.get(undefined, 'glm-4.7')).not.toHaveProperty('effort');
    expect((await models.get(undefined, 'glm-4.5')).status).toBe('leaving');
    expect((await models.get(undefined, 'cogvideox-3')).item_price).toEqual({ usd: 0.2, item: 'video' });
    for (const id of ['glm-5-flash', 'glm-5-flashx', 'glm-5v', 'glm-5.4', 'glm-5.3[1m]'])
      expect(await failureOf(() => models.get(undefined, id))).toSatisfy(ofKind('validation'));
  });
});

describe('Config.models', () => {
  const glm6: ModelRow = { id: 'glm-0', context_tokens: 2_000_000, price: { input: 2, output: 0, cached_input: 0.5 }, as_of: '2026-11-20' };

  it('adds a model to the list, to its kind and to get, on the day it appears', async () => {
    const eye: ModelRow = { id: 'glm-0v', capabilities: ['text', 'vision'], price: { input: 0, output: 0 }, source: ['release note'] };
    const { client } = await served(() => listOf(model('glm-4.6')), [glm6, eye]);
    const models = client.models();
    expect((await models.list(undefined)).data.map(({ id, listed }) => [id, listed])).toEqual([
      ['glm-4.6', true],
      ['glm-0', false],
      ['glm-0v', false],
    ]);
    const facts = { id: 'glm-0', listed: false, kind: 'chat', capabilities: ['text'], max_context: 2_000_000 };
    const pricing = { prompt: 2, completion: 0, cached_prompt: 0.5, unit: 'USD per million tokens' };
    expect(await models.get(undefined, 'glm-0')).toEqual({ ...facts, pricing, source: ['Config.models'], as_of: '2026-11-20' });
    expect((await models.get(undefined, 'glm-0v')).source).toEqual(['release note']);
    const ids = async (found: Promise<{ readonly id: string }[]>): Promise<string[]> => (await found).map(({ id }) => id);
    expect((await ids(models.getTextModels(undefined))).slice(0, 3)).toEqual(['glm-4.6', 'glm-0', 'glm-0v']);
    expect(await ids(models.getVisionModels(undefined))).toContain('glm-0v');
    expect(await ids(models.getFreeModels(undefined))).toContain('glm-0v');
    expect(await ids(models.getFreeModels(undefined))).not.toContain('glm-0');
  });

  it('corrects a model field by field, whether the service lists it or not', async () => {
    const rows: ModelRow[] = ['glm-4.6', 'glm-4.5v'].map((id) => ({ id, context_tokens: 7, price: { input: 1 } }));
    const { client } = await served(() => listOf(model('glm-4.6', { max_context: 5, name: 'GLM', pricing: { prompt: 9 } })), rows);
    const models = client.models();
    for (const [id, max_output_tokens] of [
      ['glm-4.6', 131072],
      ['glm-4.5v', 16384],
    ] as const) {
      const info = await models.get(undefined, id);
      expect(info).toMatchObject({
        max_context: 7,
        max_output_tokens,
        family: 'GLM-4',
        thinking: 'switchable',
        as_of: expect.stringMatching(/^2026-10/),
      });
      expect(info.pricing).toEqual({ prompt: 1, unit: 'USD per million tokens' });
      expect(info.source?.[0]).toBe('Config.models');
      expect(info.source).toContain('vendor overview 2026-10');
    }
    expect((await models.get(undefined, 'glm-4.6')).name).toBe('GLM');
    expect((await models.getTextModels(undefined)).filter(({ id }) => id === 'glm-4.5v')).toHaveLength(1);
  });

  it('makes facts of its own of a listed model, and leaves the others alone', async () => {
    const { client } = await served(() => listOf(model('glm-0'), model('glm-7')), [{ id: 'glm-0', kind: 'image' }]);
    const [six, seven] = (await client.models().list(undefined)).data;
    expect(six).toEqual({ ...model('glm-0'), listed: true, kind: 'image', source: ['Config.models'] });
    expect(seven).toEqual({ ...model('glm-7'), listed: true });
  });

  it('is kept by client.with, and replaced by it', async () => {
    const { client } = await served(() => listOf(), [glm6]);
    expect((await client.with({ maxRetries: 1 }).models().get(undefined, 'glm-0')).max_context).toBe(2_000_000);
    expect((await client.with({ models: undefined }).models().list(undefined)).data).toEqual([]);
  });
});

describe('models.get', () => {
  it('finds a listed model, and a model that is never listed', async () => {
    const { client, server } = await served(() => listOf(model('glm-4.6'), model('glm-new')));
    const models = client.models();
    expect(await models.get(undefined, 'glm-4.6')).toMatchObject({ id: 'glm-4.6', listed: true, created: 1753632000 });
    expect(await models.get(undefined, 'glm-new')).toEqual({ ...model('glm-new'), listed: true });
    const vision = await models.get(undefined, 'glm-4.6v');
    expect(vision).toMatchObject({ id: 'glm-4.6v', listed: false, kind: 'chat' });
    expect(vision).not.toHaveProperty('created');
    expect(responseInfo(vision)?.status).toBe(200);
    expect(server.asked).toHaveLength(1);
  });

  it('throws for an id that is unknown, without quoting it', async () => {
    const { client } = await served(() => listOf(model('glm-4.6')));
    for (const id of ['glm-4', 'GLM-4.6', 'glm-4.6 ', 'no-such-model']) {
      const error = await failureOf(() => client.models().get(undefined, id));
      expect(error).toSatisfy(ofKind('validation'));
      expect(error).toMatchObject({ path: 'id', message: 'models.get: id is neither listed by the service nor in the built-in catalogue' });
    }
  });

  it.each(['', ' ', undefined, 5])('refuses %j before anything is sent', async (id) => {
    const { client, server } = await served(() => listOf());
    expect(await failureOf(() => client.models().get(undefined, id as string))).toMatchObject({ kind: 'validation', path: 'id' });
    expect(server.asked).toHaveLength(0);
  });
});

describe('filters', () => {
  const chinaOnly = new Set(['glm-4.1v-thinking-flash', 'glm-4-flash-250414']);
  const freeIds = ['glm-4.7-flash', 'glm-4.6v-flash', 'glm-4.5-flash', ...chinaOnly];

  it('sort the listed models and those that work without being listed', async () => {
    const { client, server } = await served(() =>
      listOf(model('glm-4.6'), model('glm-new'), model('glm-gift', { pricing: { prompt: 0, completion: 0 } })),
    );
    const models = client.models();
    const [text, vision, free] = await Promise.all([
      models.getTextModels(undefined),
      models.getVisionModels(undefined),
      models.getFreeModels(undefined),
    ]);
    expect(text[0]).toMatchObject({ id: 'glm-4.6', listed: true });
    expect(text.map(({ id }) => id)).toEqual(expect.arrayContaining(['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx', 'glm-4.7-flash']));
    expect(text.filter(({ id }) => id === 'glm-4.6')).toHaveLength(1);
    expect(text.map(({ id }) => id)).not.toContain('glm-new');
    expect(vision.map(({ id }) => id)).toEqual(expect.arrayContaining(['glm-4.6v', 'glm-4.5v']));
    expect(vision.every((one) => one.capabilities?.includes('vision') && !one.listed)).toBe(true);
    expect(free.map(({ id }) => id)).toEqual(['glm-gift', ...freeIds]);
    expect(server.asked).toHaveLength(1);
  });

  it('the free models of the recorded list are those that every source lists at zero', async () => {
    const recorded = JSON.parse(await readFile(new URL('../recorded/models-list-china-ok.json', import.meta.url), 'utf8')) as {
      response: { body: object };
    };
    const { client } = await served(() => ({ body: recorded.response.body }));
    const free = await client.models().getFreeModels(undefined);
    expect(free.map(({ id, listed, pricing }) => ({ id, listed, pricing }))).toEqual(
      freeIds.map((id) => ({
        id,
        listed: false,
        pricing: { prompt: 0, completion: 0, ...(!chinaOnly.has(id) && { cached_prompt: 0 }), unit: 'USD per million tokens' },
      })),
    );
    expect(estimateCost('glm-4.5-flash', { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 })).toBe(0);
    // The gateway that lists a price for it has the price of glm-4.7-flashx.
    expect(estimateCost('glm-4.7-flash', { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 })).toBe(0);
  });
});

describe('the cache', () => {
  it('sends one request for first calls that come together, and none after', async () => {
    const { answer, release } = held(listOf(model('glm-4.6')));
    const { client, server } = await served(() => answer);
    const models = client.models();
    const calls = Promise.all([models.list(undefined), models.get(undefined, 'glm-4.6'), models.getTextModels(undefined), models.list(undefined)]);
    await until(() => server.asked.length === 1);
    release();
    const replies = await calls;
    expect(replies[0].data).toEqual(replies[3].data);
    await models.list(undefined);
    expect(client.models()).toBe(models);
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /models']);
  });

  it('is not touched by changes to a result', async () => {
    const { client } = await served(() => listOf(model('glm-4.6', { pricing: { prompt: 1 } })));
    const models = client.models();
    const first = await models.list(undefined);
    first.data[0]?.capabilities?.push('flight');
    Object.assign(first.data[0]?.pricing ?? {}, { prompt: 0, completion: 0 });
    first.data.push({ id: 'mine', listed: true });
    const again = await models.list(undefined);
    expect(again.data).toHaveLength(1);
    expect(again.data[0]).toMatchObject({ pricing: { prompt: 1 } });
    expect(again.data[0]?.capabilities).not.toContain('flight');
    const unlisted = await models.get(undefined, 'glm-4.6v');
    unlisted.capabilities?.push('flight');
    expect((await models.get(undefined, 'glm-4.6v')).capabilities).not.toContain('flight');
    expect(responseInfo(again)?.status).toBe(200);
  });

  it('keeps no failure', async () => {
    const { client, server } = await served((_asked, index) =>
      index === 0 ? { status: 401, body: { error: { code: '1000', message: 'No.' } } } : listOf(model('glm-5')),
    );
    const models = client.models();
    const both = await Promise.allSettled([models.list(undefined), models.getTextModels(undefined)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await models.list(undefined)).data[0]?.id).toBe('glm-5');
    expect(server.asked).toHaveLength(2);
  });

  it('is replaced by refreshCache, and kept when that fails', async () => {
    const answers: Answer[] = [listOf(model('glm-4.6')), { status: 500, body: { error: { code: '500', message: 'No.' } } }, listOf(model('glm-5'))];
    const { client, server } = await served((_asked, index) => answers[index] ?? listOf());
    const models = client.models();
    await models.list(undefined);
    expect(await failureOf(() => models.refreshCache(undefined))).toSatisfy(isApiError);
    expect((await models.list(undefined)).data[0]?.id).toBe('glm-4.6');
    expect((await models.refreshCache(undefined)).data[0]?.id).toBe('glm-5');
    expect((await models.list(undefined)).data[0]?.id).toBe('glm-5');
    expect(server.asked).toHaveLength(3);
  });

  it('grows old after an hour', async () => {
    const { client, server } = await served((_asked, index) => listOf(model(`glm-${index}`)));
    vi.useFakeTimers({ toFake: ['Date'] });
    await client.models().list(undefined);
    vi.advanceTimersByTime(59 * 60_000);
    expect((await client.models().list(undefined)).data[0]?.id).toBe('glm-0');
    vi.advanceTimersByTime(2 * 60_000);
    expect((await client.models().list(undefined)).data[0]?.id).toBe('glm-1');
    expect(server.asked).toHaveLength(2);
  });
});

describe('canceling', () => {
  it('takes one waiter out, and the others get the list from the same request', async () => {
    const { answer, release } = held(listOf(model('glm-4.6')));
    const { client, server } = await served(() => answer);
    const controller = new AbortController();
    const first = client.models().list(controller.signal);
    const second = client.models().list(undefined);
    await until(() => server.asked.length === 1);
    controller.abort();
    expect(await failureOf(() => first)).toSatisfy(ofKind('abort'));
    release();
    expect((await second).data[0]?.id).toBe('glm-4.6');
    expect(server.asked).toHaveLength(1);
    expect(server.abandoned).toBe(0);
  });

  it('aborts the request itself when the last waiter leaves, and the next call asks again', async () => {
    const { answer } = held(listOf());
    const { client, server } = await served((_asked, index) => (index === 0 ? answer : listOf(model(`glm-${index}`))));
    const controller = new AbortController();
    const waiting = [client.models().list(controller.signal), client.models().get(controller.signal, 'glm-4.6')];
    for (const one of waiting) one.catch(() => undefined);
    await until(() => server.asked.length === 1);
    controller.abort();
    for (const one of waiting) expect(await failureOf(() => one)).toSatisfy(ofKind('abort'));
    expect((await client.models().list(undefined)).data[0]?.id).toBe('glm-1');
    await until(() => server.abandoned === 1);
  });

  it('holds for a list that is there already', async () => {
    const { client } = await served(() => listOf(model('glm-4.6')));
    await client.models().list(undefined);
    expect(await failureOf(() => client.models().list(AbortSignal.abort()))).toMatchObject({ kind: 'abort', operation: 'models.list' });
  });
});
