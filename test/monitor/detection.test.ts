import { describe, expect, it } from 'vitest';
import { ofKind } from '../support/of-kind.ts';
import { type RootReply, rootServer } from '../support/root-server.ts';

const answer = { id: '1', model: 'glm-4.5-air', choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: 'h' } }] };
const ok: RootReply = { body: answer };
const models: RootReply = { body: { object: 'list', data: [] } };

/** A failure whose text names another code, so that reading texts would mislead. */
function refusal(status: number, code: string, message = 'error 1308 rate limit 429 coding plan'): RootReply {
  return { status, body: { error: { code, message } } };
}

function monitor(data: unknown): RootReply {
  return { body: { code: 200, msg: 'Operation successful', success: true, data } };
}

const wrongKey: RootReply = { body: { code: 1000, msg: 'Authentication Failed', success: false } };

describe('detection.detect', () => {
  const cases: [name: string, quota: RootReply | undefined, list: RootReply | undefined, plan: string, keyValid: boolean | undefined][] = [
    ['a level is a plan', monitor({ level: 'lite', limits: [] }), models, 'coding', true],
    ['limits are a plan, even when the list is closed', monitor({ limits: [{ type: 'TOKENS_LIMIT' }] }), refusal(401, '1000'), 'coding', true],
    ['no plan seen with a good key is pay-as-you-go', monitor({}), models, 'pay-as-you-go', true],
    ['an empty quota reply needs the list to vouch for the key', { body: '' }, models, 'pay-as-you-go', true],
    ['an empty quota reply alone tells nothing', { body: '' }, undefined, 'unknown', undefined],
    ['both refuse the key', wrongKey, refusal(401, '1000'), 'unknown', false],
    ['a key that only the list knows', wrongKey, models, 'unknown', true],
    ['a lapsed plan is a plan', refusal(429, '1309', 'x'), models, 'coding', true],
    ['a failing monitor tells nothing of the plan', { body: { code: 500, msg: 'x', success: false } }, models, 'unknown', true],
  ];
  it.each(cases)('%s', async (_name, quota, list, plan, keyValid) => {
    const replies = { ...(quota && { monitor: quota }), ...(list && { platform: list }) };
    const { client, requests } = await rootServer(replies, { maxRetries: 0 });
    const result = await client.detection().detect(undefined);
    expect({ plan: result.plan, keyValid: result.keyValid }).toEqual({ plan, keyValid });
    expect(result.evidence.map((one) => one.call)).toEqual(['quota.getLimit', 'models.list']);
    expect([...requests].sort()).toEqual(['GET /monitor/usage/quota/limit', 'GET /platform/models']);
  });

  it('rejects without an answer', async () => {
    const { client } = await rootServer({}, { maxRetries: 0 });
    await expect(client.detection().detect(undefined)).rejects.toSatisfy(ofKind('connection', 'timeout'));
  });

  it('asks again at each call', async () => {
    const { client, requests } = await rootServer({ monitor: monitor({ level: 'pro' }), platform: models });
    await client.detection().detect(undefined);
    await client.detection().detect(undefined);
    expect(requests).toHaveLength(4);
  });
});

describe('detection.probeWithBilledChat', () => {
  const both = ['POST /coding/chat/completions', 'POST /platform/chat/completions'];
  const cases: [
    name: string,
    coding: RootReply | undefined,
    platform: RootReply | undefined,
    plan: string,
    keyValid: boolean | undefined,
    asked: string[],
  ][] = [
    ['an answer on the coding root is a plan, and asks no further', ok, ok, 'coding', true, both.slice(0, 1)],
    ['a used-up window is a plan', refusal(429, '1308'), ok, 'coding', true, both.slice(0, 1)],
    ['a lapsed plan is a plan', refusal(429, '1309'), ok, 'coding', true, both.slice(0, 1)],
    ['a plan without the model is a plan', refusal(429, '1311'), ok, 'coding', true, both.slice(0, 1)],
    ['no balance on the coding root is not a plan', refusal(429, '1113'), ok, 'pay-as-you-go', true, both],
    ['no balance on both roots leaves the plan open', refusal(429, '1113'), refusal(429, '1113'), 'unknown', true, both],
    ['a busy coding root leaves the plan open', refusal(429, '1302'), ok, 'unknown', true, both],
    ['a broken coding root leaves the plan open', undefined, ok, 'unknown', true, both],
    ['a 429 of a gateway says nothing of the key', { status: 429, body: {} }, { status: 503, body: {} }, 'unknown', undefined, both],
    ['a wrong key', refusal(401, '1000'), refusal(401, '1000'), 'unknown', false, both],
    ['an enterprise coding key refused by the platform root', refusal(400, '1211'), refusal(429, '1315'), 'coding', true, both],
  ];
  it.each(cases)('%s', async (_name, coding, platform, plan, keyValid, asked) => {
    const { client, requests } = await rootServer({ ...(coding && { coding }), ...(platform && { platform }) });
    const result = await client.detection().probeWithBilledChat(undefined);
    expect({ plan: result.plan, keyValid: result.keyValid }).toEqual({ plan, keyValid });
    // Also: no retries, though the client has three.
    expect(requests).toEqual(asked);
  });

  it('throws what is the caller’s own doing', async () => {
    const { client, requests } = await rootServer({ coding: ok });
    await expect(client.detection().probeWithBilledChat(undefined, { model: '' })).rejects.toSatisfy(ofKind('validation'));
    await expect(client.detection().probeWithBilledChat(AbortSignal.abort())).rejects.toSatisfy(ofKind('abort'));
    expect(requests).toEqual([]);
  });
});
