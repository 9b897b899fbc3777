import { describe, expect } from 'vitest';
import { isApiError, isValidationError, responseInfo } from '../../src/overlay/index.ts';
import { test as it } from '../support/fixture.ts';
import { rootServer } from '../support/root-server.ts';
import { accepted, exchangeOf, failureOf, mockClient, preferring, withoutRetries } from '../support/spec.ts';

const window = { start: new Date('2026-07-10T01:00:00Z'), end: new Date('2026-07-11T01:59:59.999Z') };

const operations: Record<string, (ctx: ReturnType<typeof preferring>) => Promise<object>> = {
  'quota.getLimit': (ctx) => mockClient().quota().getLimit(ctx),
  'quota.getModelUsage': (ctx) => mockClient().quota().getModelUsage(ctx, window),
  'quota.getToolUsage': (ctx) => mockClient().quota().getToolUsage(ctx, window),
  'account.info': (ctx) => mockClient().account().info(ctx),
  'account.status': (ctx) => mockClient().account().status(ctx),
  'account.subscriptions': (ctx) => mockClient().account().subscriptions(ctx),
};

describe.each(Object.entries(operations))('%s', (operation, perform) => {
  it('gives the data of the reply, which the mock accepts as the spec has it', async () => {
    const result = await perform(preferring('ok'));
    expect(exchangeOf(result)).toEqual(accepted);
    expect(Object.keys(result).length).toBeGreaterThan(0);
    expect(result).not.toHaveProperty('success');
  });

  it('throws a failure that comes with status 200', async () => {
    const error = await failureOf(() => perform(withoutRetries(preferring('failed'))));
    expect(error).toSatisfy(isApiError);
    expect(error).toMatchObject({ operation, status: 200 });
  });

  it('throws a failure that comes with a status of its own', async () => {
    const error = await failureOf(() => perform(withoutRetries(preferring('wrongKey', '401'))));
    expect(error).toMatchObject({ operation, status: 401, code: '1000', category: 'auth' });
  });
});

describe('quota', () => {
  it('has no limits for an account without a plan', async ({ mocked }) => {
    const quota = await mocked.quota().getLimit(preferring('noPlan'));
    expect(quota).toEqual({ limits: [] });
    expect(responseInfo(quota)?.status).toBe(200);
  });

  it('has no limits when the reply is empty altogether', async () => {
    const { client } = await rootServer({ monitor: { body: '' }, biz: { body: '' } });
    expect(await client.quota().getLimit(undefined)).toEqual({ limits: [] });
    expect(await client.quota().getModelUsage(undefined, window)).toEqual({});
    expect(await client.account().subscriptions(undefined)).toEqual([]);
  });

  it('has no series for an account without a plan', async ({ mocked }) => {
    expect(await mocked.quota().getModelUsage(preferring('noPlan'), window)).toEqual({});
    expect(await mocked.quota().getToolUsage(preferring('noPlan'), window)).toEqual({});
  });

  it.each([
    ['start', { start: new Date(Number.NaN), end: new Date() }],
    ['end', { start: new Date(), end: new Date(Number.NaN) }],
    ['end', { start: new Date(), end: '2026-07-11 00:00:00' }],
    ['start', { start: new Date('+012026-01-01T00:00:00Z'), end: new Date('+012026-01-02T00:00:00Z') }],
    ['start', { start: new Date(2), end: new Date(1) }],
    ['start', undefined],
  ])('refuses a wrong %s before anything is sent', async (path, wrong) => {
    const { client, requests } = await rootServer({});
    for (const method of ['getModelUsage', 'getToolUsage'] as const) {
      const error = await failureOf(() => client.quota()[method](undefined, wrong as typeof window));
      expect(error).toSatisfy(isValidationError);
      expect(error).toMatchObject({ operation: `quota.${method}`, path });
    }
    expect(requests).toEqual([]);
  });
});

describe('usage', () => {
  it('sums up with free calls only', async () => {
    const monitor = { body: { code: 200, msg: 'ok', success: true, data: { level: 'pro', limits: [{ type: 'TOKENS_LIMIT', unit: 6, number: 1 }] } } };
    const { client, requests } = await rootServer({ monitor });
    const summary = await client.usage().summary(undefined);
    expect([...requests].sort()).toEqual(['GET /monitor/usage/model-usage', 'GET /monitor/usage/quota/limit']);
    expect(summary.windows.map((one) => one.name)).toEqual(['weekly']);
    expect(summary.end.getTime() - summary.start.getTime()).toBe(25 * 3_600_000 - 1000);
    expect(summary.start.getTime() % 3_600_000).toBe(0);
  });

  it('fails as the call it made, under its own name', async () => {
    const { client } = await rootServer({ monitor: { body: { code: 1000, msg: 'x', success: false } } });
    expect(await failureOf(() => client.usage().summary(undefined))).toMatchObject({ operation: 'usage.summary', category: 'auth' });
  });
});
