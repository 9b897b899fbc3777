import { describe, expect } from 'vitest';
import { test as it } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { rootServer } from '../support/root-server.ts';
import { failureOf } from '../support/spec.ts';

const window = { start: new Date('2026-07-10T01:00:00Z'), end: new Date('2026-07-11T01:59:59.999Z') };

describe('quota', () => {
  it('has no limits when the reply is empty altogether', async () => {
    const { client } = await rootServer({ monitor: { body: '' }, biz: { body: '' } });
    expect(await client.quota().getLimit(undefined)).toEqual({ limits: [] });
    expect(await client.quota().getModelUsage(undefined, window)).toEqual({});
    expect(await client.account().subscriptions(undefined)).toEqual([]);
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
    for (const method of ['getModelUsage', 'getToolUsage', 'getCreditUsage', 'getActivity'] as const) {
      const error = await failureOf(() => client.quota()[method](undefined, wrong as typeof window));
      expect(error).toSatisfy(ofKind('validation'));
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
