import { describe, expect, it } from 'vitest';
import { collecting, defineTool, type Effort, type EventStream, responseInfo, toolRun } from '../../src/overlay/index.ts';
import type { FakeRequest, FakeService } from '../../src/testing/index.ts';
import { taken } from '../support/both-ways.ts';
import { openVendor, vendorRoots, vendorTransports } from '../support/vendor.ts';

const messages = [{ role: 'user' as const, content: 'Is 91 prime?' }];
const intents: readonly (Effort | undefined)[] = ['off', 'low', 'medium', 'high', 'max', undefined];

/** The fields of the body that concern thinking. */
function knobs({ body }: FakeRequest): object {
  const { model: _1, messages: _2, max_tokens: _3, stream: _4, tools: _5, input: _6, ...fields } = body as Record<string, unknown>;
  return fields;
}

interface Row {
  readonly model: string;
  /** For off, low, medium, high and max. */
  readonly chat: readonly Wish[];
  /** As `chat`, on the coding root, if it differs. */
  readonly coding?: readonly Wish[];
  readonly messages: readonly Wish[];
  readonly responses: readonly Wish[];
}

type Wish = readonly [met: 'as asked' | 'other', fields: object];

const met = (fields: object): Wish => ['as asked', fields];
const other = (fields: object): Wish => ['other', fields];
const on = { thinking: { type: 'enabled' } };
const disabled = { thinking: { type: 'disabled' } };
const word = (reasoning_effort: string) => ({ reasoning_effort });
const config = (effort: string) => ({ output_config: { effort } });
const reasoning = (effort: string) => ({ reasoning: { effort } });
const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });
const adaptive = { thinking: { type: 'adaptive' }, ...config('low') };

const always = [other({ ...on, ...word('low') }), met(word('low')), other(word('high')), met(word('high')), met(word('max'))];
const alwaysOnMessages = [other(adaptive), met(config('low')), other(config('high')), met(config('high')), met(config('max'))];
const alwaysOnResponses = [other(reasoning('low')), met(reasoning('low')), other(reasoning('high')), met(reasoning('high')), met(reasoning('max'))];
const switched = [met(disabled), other(on), other(on), other(on), met(on)];
const budgeted = [met(disabled), met(budget(1024)), met(budget(4096)), met(budget(16384)), met(budget(32768))];
const alike = [other({}), other({}), other({}), other({}), met({})];
const thoughtless = [met({}), other({}), other({}), other({}), other({})];
const plain = [word('none'), word('low'), word('medium'), word('high'), word('max')].map(met);
const plainOnResponses = ['none', 'low', 'medium', 'high', 'max'].map((effort) => met(reasoning(effort)));
const plainOnMessages = [disabled, config('low'), config('medium'), config('high'), config('max')].map(met);

const rows: readonly Row[] = [
  ...['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx'].map((model) => ({
    model,
    chat: always,
    messages: alwaysOnMessages,
    responses: alwaysOnResponses,
  })),
  {
    model: 'glm-5.2',
    chat: [
      met(disabled),
      other({ ...on, ...word('high') }),
      other({ ...on, ...word('high') }),
      met({ ...on, ...word('high') }),
      met({ ...on, ...word('max') }),
    ],
    coding: always,
    messages: [other(adaptive), other(config('high')), other(config('high')), met(config('high')), met(config('max'))],
    responses: [other(reasoning('low')), other(reasoning('high')), other(reasoning('high')), met(reasoning('high')), met(reasoning('max'))],
  },
  { model: 'glm-5.1', chat: switched, coding: always, messages: switched, responses: alike },
  // The coding root answers it with glm-5.3-flash.
  { model: 'glm-5-turbo', chat: switched, coding: always, messages: switched, responses: alike },
  ...['glm-5', 'glm-5v-turbo'].map((model) => ({ model, chat: switched, messages: switched, responses: alike })),
  { model: 'glm-4.7', chat: switched, coding: always, messages: budgeted, responses: alike },
  ...['glm-4.7-flash', 'glm-4.6', 'glm-4.6v', 'glm-4.5', 'glm-4.5-air', 'glm-4.5v'].map((model) => ({
    model,
    chat: switched,
    messages: budgeted,
    responses: alike,
  })),
  { model: 'glm-4.1v-thinking-flash', chat: alike, messages: alike, responses: alike },
  ...['glm-4-flash-250414', 'glm-4-long', 'glm-4v-flash'].map((model) => ({
    model,
    chat: thoughtless,
    messages: thoughtless,
    responses: thoughtless,
  })),
  ...['autoglm-phone', 'glm-0', 'toString'].map((model) => ({ model, chat: plain, messages: plainOnMessages, responses: plainOnResponses })),
];

async function outcomeOf(fake: FakeService, call: Promise<object>): Promise<{ fields: object; effort: unknown }> {
  const effort = responseInfo(await call)?.effort;
  const fields = knobs(fake.requests.at(-1) as FakeRequest);
  expect(effort?.sent ?? {}).toEqual(fields);
  return { fields, effort: effort && [effort.asked, effort.why === undefined ? 'as asked' : 'other'] };
}

describe('each model, root and wish', () => {
  const places = [
    ...vendorRoots.platform.map((root) => ['chat', 'platform', root] as const),
    ...vendorRoots.coding.map((root) => ['chat', 'coding', root] as const),
    ['messages', 'messages', 'https://api.z.ai/api/anthropic'],
    ['messages', 'messages', 'https://open.bigmodel.cn/api/anthropic'],
    ['responses', 'responses', 'https://api.z.ai/api/v1'],
    ['responses', 'responses', 'https://open.bigmodel.cn/api/v1'],
  ] as const;

  it.each(places)('%s, %s root, %s: the fields of the model are sent, and none is refused', async (surface, kind, root) => {
    const { fake, clientOf } = await openVendor();
    const client = clientOf(surface === 'chat' ? { baseURL: root } : { endpoints: { [surface]: root } });
    // A plan does not contain it.
    const served = rows.filter(({ model }) => !(kind === 'coding' && model === 'glm-5.3-flashx'));
    for (const { model, ...row } of served) {
      const wishes = (kind === 'coding' ? row.coding : undefined) ?? row[surface];
      for (const [index, effort] of intents.entries()) {
        const wish = { model, ...(effort && { effort }) };
        const calls = {
          chat: () => client.chat().create(undefined, { ...wish, messages }),
          messages: () => client.anthropic().create(undefined, { ...wish, messages, max_tokens: 65536 }),
          responses: () => client.responses().create(undefined, { ...wish, input: 'Is 91 prime?' }),
        };
        const [isMet, fields] = wishes[index] ?? [undefined, {}];
        expect(await outcomeOf(fake, calls[surface]()), `${model} ${effort}`).toEqual({ fields, effort: effort && [effort, isMet] });
      }
    }
    expect(fake.requests).toHaveLength(served.length * intents.length);
    expect(fake.refusals).toEqual([]);
  });
});

describe('the translation is reported', () => {
  const ask = { model: 'glm-5.3', messages, max_tokens: 4096, effort: 'off' } as const;
  const why = 'glm-5.3 always thinks; low is its lowest effort.';
  const onChat = { asked: 'off', sent: { ...on, ...word('low') }, why };
  const onMessages = { asked: 'off', sent: adaptive, why };

  describe.each(vendorTransports)('$transport', ({ to }) => {
    it('by create and by stream of both surfaces', async () => {
      const client = (await openVendor(to)).clientOf();
      expect(responseInfo(await client.chat().create(undefined, ask))?.effort).toEqual(onChat);
      expect(responseInfo(await client.anthropic().create(undefined, ask))?.effort).toEqual(onMessages);
      const streams: [stream: EventStream<object>, effort: object][] = [
        [client.chat().stream(undefined, ask), onChat],
        [client.anthropic().stream(undefined, ask), onMessages],
      ];
      for (const [stream, effort] of streams) {
        expect((await taken(stream)).error).toBeUndefined();
        expect(responseInfo(stream)?.effort).toEqual(effort);
      }
      const stream = collecting(client.chat().stream(undefined, ask));
      await stream.response();
      expect(responseInfo(stream)?.effort).toEqual(onChat);
    });

    it('by a tool loop, whose every round is translated', async () => {
      const { fake, clientOf } = await openVendor(to);
      const client = clientOf();
      const tool = defineTool({ name: 'f', description: 'F', input: { type: 'object' }, run: () => 'done' });
      fake.chat.toolCall('f').reply('No.');
      expect(responseInfo(await client.chat().runWithTools(undefined, ask, [tool]))?.effort).toEqual(onChat);
      fake.messages.toolCall('f').reply('No.');
      const stream = client.anthropic().streamWithTools(undefined, ask, [tool]);
      expect((await taken(stream)).error).toBeUndefined();
      expect(responseInfo(stream)?.effort).toEqual(onMessages);
      expect(responseInfo(toolRun(stream)?.response ?? {})?.effort).toEqual(onMessages);
      // The loop adds its own wish, to keep thought.
      const kept = { ...onChat.sent, thinking: { type: 'enabled', clear_thinking: false } };
      expect(fake.requests.map(knobs)).toEqual([kept, kept, onMessages.sent, onMessages.sent]);
    });
  });

  it('by a job; a batch has the fields of the platform root in each line, for a client of the coding root too', async () => {
    const { fake, clientOf } = await openVendor();
    const client = clientOf({ baseURL: vendorRoots.coding[0] });
    expect(responseInfo(await client.chat().createAsync(undefined, ask))?.effort).toEqual(onChat);
    const body = { ...ask, model: 'glm-5.2' };
    await client.batch().run(undefined, [{ body }]);
    const { body: form } = fake.requests.find(({ operation }) => operation === 'files.upload') ?? {};
    const line = JSON.parse(new TextDecoder().decode((form as { file: { bytes: Uint8Array } }).file.bytes));
    expect(line.body).toEqual({ model: 'glm-5.2', messages, max_tokens: 4096, ...disabled });
  });

  it('in sentences that name the model which answers', async () => {
    const { clientOf } = await openVendor();
    const [platform, coding] = [clientOf(), clientOf({ baseURL: vendorRoots.coding[0] })];
    const reasonOf = async (client: typeof platform, model: string, effort: Effort): Promise<string | undefined> =>
      responseInfo(await client.chat().create(undefined, { model, messages, effort }))?.effort?.why;
    expect(await reasonOf(platform, 'glm-5.3', 'medium')).toBe('glm-5.3 has no effort medium; high is the nearest.');
    expect(await reasonOf(platform, 'glm-4.7', 'low')).toBe('The depth at which glm-4.7 thinks cannot be chosen.');
    expect(await reasonOf(platform, 'glm-4-long', 'max')).toBe('glm-4-long does not think.');
    expect(await reasonOf(coding, 'glm-5.2', 'off')).toBe(
      'glm-5.3, which answers for glm-5.2 on the coding root, always thinks; low is its lowest effort.',
    );
  });

  it('is absent for a request without effort, also if it is null', async () => {
    const { fake, clientOf } = await openVendor();
    for (const effort of [undefined, null])
      expect(
        responseInfo(await clientOf({ wholeReplies: true }).chat().create(undefined, { model: 'glm-5.3', messages, effort }))?.effort,
      ).toBeUndefined();
    expect(fake.requests.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(Array(2).fill(JSON.stringify({ model: 'glm-5.3', messages })));
  });
});

it('rows of Config.models decide, field by field', async () => {
  const models = [
    { id: 'glm-0', thinking: 'always', effort: ['low', 'high', 'max'] },
    { id: 'glm-0-plan', thinking: 'switchable', plan_model: 'glm-0' },
    { id: 'glm-0-deep', thinking: 'switchable', effort: ['minimal', 'medium', 'xhigh'] },
    { id: 'glm-5.3', effort: ['low', 'medium'] },
    { id: 'glm-4.7', plan_model: 'glm-5.3' },
  ] as const;
  const { fake, clientOf } = await openVendor();
  const sent = async (client: ReturnType<typeof clientOf>, model: string): Promise<unknown[]> => {
    const fields: unknown[] = [];
    for (const effort of intents.filter((one) => one !== undefined)) {
      await client
        .chat()
        .create(undefined, { model, messages, effort })
        .catch(() => undefined);
      fields.push(knobs(fake.requests.at(-1) as FakeRequest));
    }
    return fields;
  };
  const [platform, coding] = [clientOf({ models }), clientOf({ models, baseURL: vendorRoots.coding[0] })];
  expect(await sent(platform, 'glm-0')).toEqual(always.map(([, fields]) => fields));
  expect(await sent(coding, 'glm-0-plan')).toEqual(always.map(([, fields]) => fields));
  const deep = ['medium', 'medium', 'xhigh', 'xhigh'].map((one) => ({ ...on, ...word(one) }));
  expect(await sent(platform, 'glm-0-deep')).toEqual([disabled, ...deep]);
  const corrected = [{ ...on, ...word('low') }, word('low'), word('medium'), word('medium'), word('medium')];
  expect(await sent(platform, 'glm-5.3')).toEqual(corrected);
  expect(await sent(coding, 'glm-4.7')).toEqual(corrected);
});
