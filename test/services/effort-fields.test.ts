import { describe, expect, it } from 'vitest';
import { type ChatRequest, newClient, responseInfo } from '../../src/overlay/index.ts';
import type { FakeRequest } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';
import { openVendor, vendorRoots } from '../support/vendor.ts';

const messages = [{ role: 'user' as const, content: 'Is 91 prime?' }];
const bodyOf = (request: FakeRequest | undefined): Record<string, unknown> => request?.body as Record<string, unknown>;
const textOf = ({ bytes }: FakeRequest): string => new TextDecoder().decode(bytes);

describe('fields that the caller writes', () => {
  const types = ['enabled', 'disabled', 'adaptive', 'other'];
  const raw: readonly object[] = [
    ...types.map((type) => ({ thinking: { type } })),
    { thinking: { type: 'enabled', clear_thinking: false } },
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    { thinking: { display: 'omitted', type: 'enabled' } },
    ...['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'].flatMap((effort) => [
      { reasoning_effort: effort },
      { output_config: { effort } },
      { thinking: { type: 'enabled' }, reasoning_effort: effort, output_config: { format: null, effort } },
    ]),
  ];
  const models = ['glm-5.3', 'glm-5.2', 'glm-4.7', 'glm-4-long', 'glm-0'];

  it.each([...vendorRoots.platform, ...vendorRoots.coding])('are sent to %s byte for byte', async (baseURL) => {
    const { fake, clientOf } = await openVendor();
    // The refusals of the platform root are the service's.
    fake.fallback('chat.create', { body: { id: '1', choices: [] } });
    const client = clientOf({ baseURL, maxRetries: 0, wholeReplies: true });
    for (const model of models) {
      for (const fields of raw) {
        const request = { model, messages, ...fields };
        const reply = await client
          .chat()
          .create(undefined, request)
          .catch(() => undefined);
        expect(textOf(fake.requests.at(-1) as FakeRequest)).toBe(JSON.stringify(request));
        if (reply) expect(responseInfo(reply)).toMatchObject({ effort: undefined });
      }
    }
    expect(fake.requests).toHaveLength(models.length * raw.length);
  });

  it('are sent to the message surface byte for byte, thinking without a budget too', async () => {
    const { fake, clientOf } = await openVendor();
    for (const model of models) {
      for (const fields of raw) {
        const request = { model, max_tokens: 2048, messages, ...fields };
        expect(responseInfo(await clientOf({ wholeReplies: true }).anthropic().create(undefined, request))).toMatchObject({ effort: undefined });
        expect(textOf(fake.requests.at(-1) as FakeRequest)).toBe(JSON.stringify(request));
      }
    }
    expect(fake.refusals).toEqual([]);
  });

  it('that choose no effort stay next to it', async () => {
    const { fake, clientOf } = await openVendor();
    const client = clientOf();
    const kept: ChatRequest = { model: 'glm-5.2', messages, thinking: { clear_thinking: false }, effort: 'max' };
    await client.chat().create(undefined, kept);
    expect(fake.requests.at(-1)?.body).toMatchObject({ thinking: { clear_thinking: false, type: 'enabled' }, reasoning_effort: 'max' });
    const format = { type: 'json_schema' };
    await client.anthropic().create(undefined, { model: 'glm-5.3', max_tokens: 9, messages, output_config: { format }, effort: 'max' });
    expect(fake.requests.at(-1)?.body).toMatchObject({ output_config: { format, effort: 'max' } });
    expect(kept).toEqual({ model: 'glm-5.2', messages, thinking: { clear_thinking: false }, effort: 'max' });
  });
});

describe('a refusal with code 1210, because the model always thinks', () => {
  const advice = (field: string) => `Replace ${field} with effort, for instance effort: 'low'. Behind a gateway, also set serviceRules: true.`;
  const english = 'This model always engages in thinking and cannot be disabled; please use low, high, or max';
  const chinese = '该模型始终思考，不支持关闭思考；请使用 low、high 或 max。';

  test.for([
    [{ thinking: { type: 'disabled' } }, 'thinking.type'],
    [{ thinking: { type: 'enabled' }, reasoning_effort: 'medium' }, 'reasoning_effort'],
    [{ reasoning_effort: 'none' }, 'reasoning_effort'],
    [{ output_config: { effort: 'none' } }, 'output_config.effort'],
    [{ thinking: { type: 'enabled' } }, 'thinking.type'],
    [{}, 'thinking or reasoning_effort'],
  ] as const)('names the field of %j', async ([fields, field]) => {
    const { fake, client } = await openFake({}, { validate: false });
    for (const message of [english, chinese]) {
      const refusal = { status: 400, body: { error: { code: '1210', message } } };
      fake.answer('chat.create', refusal, refusal).answer('anthropic.create', refusal);
      const request = { model: 'glm-5.3', max_tokens: 2048, messages, ...fields };
      for (const call of [
        () => client.chat().create(undefined, request),
        () => client.chat().stream(undefined, request).next(),
        () => client.anthropic().create(undefined, request),
      ])
        expect(await failureOf(call)).toMatchObject({ status: 400, code: '1210', serviceMessage: message, advice: advice(field), retryable: false });
    }
  });

  test('differs from other failures with that code', async ({ fake, client }) => {
    fake.answer('chat.create', { status: 400, body: { error: { code: '1210', message: 'Tool choice must be auto' } } });
    const error = await failureOf(() => client.chat().create(undefined, { model: 'glm-5.3', messages }));
    expect(error).toMatchObject({ advice: 'Check the request against the documentation.' });
  });
});

describe('effort', () => {
  const levels = 'must be one of off, low, medium, high, max';
  const wrong: [fields: object, problem: string][] = [
    ...['none', 'LOW', 'xhigh', '', 3, true, ['low'], { low: 1 }].map((effort): [object, string] => [{ effort }, levels]),
    [{ effort: 'low', thinking: { type: 'enabled' } }, 'and thinking exclude each other: remove one of them'],
    [{ effort: 'off', thinking: { type: 'disabled' } }, 'and thinking exclude each other: remove one of them'],
    [{ effort: 'low', reasoning_effort: 'low' }, 'and reasoning_effort exclude each other: remove one of them'],
    [{ effort: 'low', output_config: { effort: 'low' } }, 'and output_config.effort exclude each other: remove one of them'],
  ];

  test.for(wrong)('%j is refused before sending', async ([fields, problem], { fake, client }) => {
    const request = { model: 'glm-5.3', max_tokens: 2048, messages, ...fields };
    const calls: [operation: string, call: () => unknown][] = [
      ['chat.create', () => client.chat().create(undefined, request as never)],
      ['chat.createAsync', () => client.chat().createAsync(undefined, request as never)],
      [
        'chat.stream',
        () =>
          client
            .chat()
            .stream(undefined, request as never)
            .next(),
      ],
      ['anthropic.create', () => client.anthropic().create(undefined, request as never)],
      [
        'anthropic.stream',
        () =>
          client
            .anthropic()
            .stream(undefined, request as never)
            .next(),
      ],
      ['anthropic.countTokens', () => client.anthropic().countTokens(undefined, request)],
    ];
    for (const [operation, call] of calls) {
      const error = await failureOf(call);
      expect(error).toSatisfy(ofKind('validation'));
      expect(error).toMatchObject({ path: 'effort', problem, message: `${operation}: effort ${problem}` });
    }
    const error = await failureOf(() => client.batch().run(undefined, [{ body: request as never }]));
    expect(error).toMatchObject({ path: 'requests[0].body.effort', problem });
    expect(fake.requests).toEqual([]);
  });

  test('on another host is the plain field of the surface', async ({ fake }) => {
    const client = newClient(fake.configFor({ serviceRules: false }));
    const sent: unknown[] = [];
    for (const effort of ['off', 'medium', 'max'] as const) {
      const request = { model: 'glm-5.3', max_tokens: 2048, messages, effort };
      const reply = await client.anthropic().create(undefined, request);
      sent.push(responseInfo(reply)?.effort?.sent);
      expect(fake.requests.at(-1)?.body).toMatchObject(responseInfo(reply)?.effort?.sent ?? {});
      const refused = await client
        .chat()
        .create(undefined, request)
        .then(
          () => false,
          () => true,
        );
      // The fake enforces the rules of the platform root on every root.
      expect(refused).toBe(effort !== 'max');
      const { reasoning_effort, effort: left } = bodyOf(fake.requests.at(-1));
      sent.push([reasoning_effort, left]);
    }
    expect(sent).toEqual([
      { thinking: { type: 'disabled' } },
      ['none', undefined],
      { output_config: { effort: 'medium' } },
      ['medium', undefined],
      { output_config: { effort: 'max' } },
      ['max', undefined],
    ]);
  });

  test('on the message surface is a budget below max_tokens, or no budget', async () => {
    const { fake, clientOf } = await openVendor();
    const thinking: unknown[] = [];
    for (const max_tokens of [1024, 1025, 16384, 16385]) {
      for (const effort of ['low', 'high'] as const) {
        await clientOf().anthropic().create(undefined, { model: 'glm-4.6', max_tokens, messages, effort });
        thinking.push(bodyOf(fake.requests.at(-1))['thinking']);
      }
    }
    const enabled = { type: 'enabled' };
    const low = { type: 'enabled', budget_tokens: 1024 };
    expect(thinking).toEqual([enabled, enabled, low, enabled, low, enabled, low, { type: 'enabled', budget_tokens: 16384 }]);
  });

  test('is counted as it is sent, and the tokenizer does not get it', async () => {
    const { fake, clientOf } = await openVendor();
    const request = { model: 'glm-5.3', messages, effort: 'low' };
    await clientOf().anthropic().countTokens(undefined, request);
    await clientOf().tools().tokenize(undefined, request);
    expect(fake.requests.map(({ body }) => body)).toEqual([
      { model: 'glm-5.3', messages, output_config: { effort: 'low' } },
      { model: 'glm-5.3', messages },
    ]);
  });
});
