import { describe, expect, test } from 'vitest';
import {
  type AnthropicReply,
  type Client,
  type Config,
  cachedShare,
  isModelsvcError,
  newClient,
  type ToolLoopOptions,
  toolRun,
} from '../../src/overlay/index.ts';
import type { Chat } from '../../src/services/index.ts';
import { fakeKey, type Turn } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const platform = 'https://api.z.ai/api/paas/v4';
const coding = 'https://api.z.ai/api/coding/paas/v4';
const chinaPlatform = 'https://open.bigmodel.cn/api/paas/v4';
const chinaCoding = 'https://open.bigmodel.cn/api/coding/paas/v4';
const kept = { type: 'enabled', clear_thinking: false };

/** A client that believes to speak to the vendor's hosts; its requests go to the fake. */
function vendorClient(config: Partial<Config>): Client {
  return newClient({ apiKey: fakeKey, ...config, httpClient: (url, init) => fetch(fake.url + new URL(url).pathname, init) });
}

/** Five rounds of tools and an answer, with the thought, arguments and contents that a careless copy would change. */
const thoughts = ['First\n\n  look. ', ' Ünïcödé 🌧 "quoted" \\ </think>', 'a', '1.0 and 1e3', '\tlast\u2028look', 'Enough.'];
const turns: readonly Turn[] = [
  { reasoning: ['First\n\n', '  look. '], toolCalls: [{ name: 'weather', arguments: '{ "city" : "Metz", "n": 1.0 }', id: 'a' }] },
  { reasoning: thoughts[1], text: ' Both.', toolCalls: [{ name: 'weather', arguments: { city: 'Bonn' } }, { name: 'unknown' }] },
  { reasoning: thoughts[2], text: '', toolCalls: [{ name: 'weather', arguments: '{"city":"<|x|>","n":"3"}' }] },
  { reasoning: thoughts[3], toolCalls: [{ name: 'weather', arguments: '{"2":1,"1":2}' }] },
  { reasoning: thoughts[4], text: 'So', toolCalls: [{ name: 'weather', arguments: {} }] },
  { reasoning: thoughts[5], text: 'Rain.' },
];

const parameters = { type: 'object', properties: { n: { type: 'integer' }, city: { type: ['string', 'null'] } } };
const question = [{ role: 'user' as const, content: 'Weather?' }];
const forms = {
  chat: {
    model: 'glm-5.3',
    tools: [{ type: 'function' as const, function: { name: 'weather', description: 'The weather', parameters } }],
    messages: question,
  },
  messages: {
    model: 'glm-5.3',
    max_tokens: 900,
    tools: [{ name: 'weather', input_schema: { ...parameters, type: 'object' as const } }],
    messages: question,
  },
};
const tool = (name: string) => {
  if (name === 'unknown') throw new Error('no such tool');
  return '{"rain": 1.50}';
};

interface Run {
  readonly surface: 'chat' | 'messages';
  readonly streamed: boolean;
  readonly fields?: object;
  readonly options?: ToolLoopOptions<never>;
}

async function fiveRounds(client: Client, { surface, streamed, fields = {}, options = {} }: Run): Promise<object> {
  for (const turn of turns) fake[surface].reply(turn);
  const service = (surface === 'chat' ? client.chat() : client.anthropic()) as Chat;
  const request = { ...forms[surface], ...fields };
  if (!streamed) return await service.runWithTools(undefined, request as never, tool, options as never);
  const stream = service.streamWithTools(undefined, request as never, tool, options as never);
  for await (const _ of stream);
  return stream;
}

/** The thought in the messages of a request, in order. */
function thoughtIn(body: unknown): unknown[] {
  const { messages } = body as { messages: { role: string; reasoning_content?: string; content: { thinking?: string; signature?: string }[] }[] };
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ reasoning_content: chat, content }) => chat ?? [content[0]?.thinking, content[0]?.signature]);
}

/** Every request must begin with the one before it, up to the end of its messages. The bytes after the messages must not change. */
function expectPrefixes(): void {
  const sent = fake.requests.map(({ bytes, body }) => {
    const text = new TextDecoder().decode(bytes);
    const messages = JSON.stringify((body as { messages: unknown }).messages);
    const at = text.indexOf(messages);
    expect(at).toBeGreaterThan(0);
    return { head: text.slice(0, at + messages.length - 1), rest: text.slice(at + messages.length), tools: text.includes('"tools":[{') };
  });
  expect(sent).toHaveLength(6);
  for (const [index, { head, rest, tools }] of sent.entries()) {
    expect([head.startsWith(sent[index - 1]?.head ?? ''), rest, tools]).toEqual([true, sent[0]?.rest, true]);
  }
}

const chatRoots: [root: string, baseURL: string, thinking: object | undefined][] = [
  ['platform', platform, kept],
  ['china platform', chinaPlatform, kept],
  ['coding', coding, undefined],
  ['china coding', chinaCoding, undefined],
];

describe.each([
  ['run', false],
  ['streamed', true],
] as const)('five rounds, %s', (_name, streamed) => {
  test.each(chatRoots)('chat, %s root: each request begins with the bytes of the one before, thought included', async (_root, baseURL, thinking) => {
    const run = await fiveRounds(vendorClient({ baseURL, chinaAPIKey: fakeKey }), { surface: 'chat', streamed });
    expectPrefixes();
    for (const [index, { body }] of fake.requests.entries()) {
      expect(thoughtIn(body)).toEqual(thoughts.slice(0, index));
      expect((body as { thinking?: object }).thinking).toEqual(thinking);
    }
    expect(toolRun(run as never)?.transcript).toHaveLength(13);
  });

  test.each(transports)('chat on another host, by $transport: the same bytes, and no field is added', async ({ overrides }) => {
    await fiveRounds(newClient(fake.configFor(overrides)), { surface: 'chat', streamed });
    expectPrefixes();
    expect(thoughtIn(fake.requests[5]?.body)).toEqual(thoughts.slice(0, 5));
    expect(fake.requests[0]?.body).not.toHaveProperty('thinking');
  });

  const messageClients: [name: string, client: () => Client][] = [
    ['global', () => vendorClient({})],
    ['china', () => vendorClient({ region: 'china', chinaAPIKey: fakeKey })],
    ...transports.map(({ transport, overrides }): [string, () => Client] => [transport, () => newClient(fake.configFor(overrides))]),
  ];
  test.each(messageClients)('messages, %s: thinking blocks go back with their signatures, and no field is added', async (_name, client) => {
    await fiveRounds(client(), { surface: 'messages', streamed });
    expectPrefixes();
    for (const [index, { body }] of fake.requests.entries()) {
      expect(thoughtIn(body)).toEqual(thoughts.slice(0, index).map((thought) => [thought, 'fake-signature']));
      expect(body).not.toHaveProperty('thinking');
    }
  });
});

describe('the wish to keep thought', () => {
  const keeps: [name: string, fields: object, thinking: unknown][] = [
    ['is added to an enabled thinking', { thinking: { type: 'enabled' } }, kept],
    ['is added to a thinking with other fields', { thinking: { type: 'enabled', budget: 3, clear_thinking: null } }, { ...kept, budget: 3 }],
    ['is sent where thinking is null', { thinking: null }, kept],
    ['is sent beside an effort', { model: 'glm-5.2', reasoning_effort: 'max' }, kept],
    ['is sent for older models that think', { model: 'glm-4.5-air' }, kept],
    ['yields to the value of the caller', { thinking: { clear_thinking: true } }, { clear_thinking: true }],
    ['is not sent with thinking off', { model: 'glm-5.2', thinking: { type: 'disabled' } }, { type: 'disabled' }],
    ['is not sent with an effort that is off', { model: 'glm-5.2', reasoning_effort: 'none' }, undefined],
    ['is not sent with the least effort, which is off too', { model: 'glm-5.2', reasoning_effort: 'minimal' }, undefined],
    ['is sent beside the translation of an effort', { effort: 'medium' }, kept],
    ['is not sent with effort off, where a model can be switched off', { model: 'glm-4.7', effort: 'off' }, { type: 'disabled' }],
    ['is sent with effort off, where a model always thinks', { effort: 'off' }, kept],
    ['is sent for a model of your own that thinks', { model: 'own-1' }, kept],
    ['is not sent for a model of your own that is not known to think', { model: 'own-2' }, undefined],
    ['is not sent for a model without thought', { model: 'glm-4-flash-250414' }, undefined],
    ['is not sent for a model whose thought is in its content', { model: 'glm-4.1v-thinking-flash' }, undefined],
    ['is not sent for an unknown model', { model: 'glm-9' }, undefined],
  ];
  test.each(keeps)('%s', async (_name, fields, thinking) => {
    fake.chat.toolCall('weather').reply('Rain.');
    const models = [{ id: 'own-1', thinking: 'always' as const, effort: ['low', 'high'] }, { id: 'own-2' }];
    await vendorClient({ baseURL: platform, models })
      .chat()
      .runWithTools(undefined, { ...forms.chat, ...fields }, tool);
    for (const { body } of fake.requests) expect((body as { thinking?: unknown }).thinking).toEqual(thinking);
    expect(fake.requests).toHaveLength(2);
  });

  test('is turned off by keepThinking: false, which sends thought back all the same', async () => {
    await fiveRounds(vendorClient({ baseURL: platform }), { surface: 'chat', streamed: true, options: { keepThinking: false } });
    expect(fake.requests.map(({ body }) => (body as { thinking?: unknown }).thinking)).toEqual(Array(6).fill(undefined));
    expect(thoughtIn(fake.requests[5]?.body)).toEqual(thoughts.slice(0, 5));
  });

  test('is not a part of calls outside a loop', async () => {
    const chat = vendorClient({ baseURL: platform }).chat();
    await chat.create(undefined, forms.chat);
    for await (const _ of chat.stream(undefined, forms.chat));
    for (const { body } of fake.requests) expect(body).not.toHaveProperty('thinking');
  });

  test.each(['yes', 0, null])('must be a boolean: %s', async (keepThinking) => {
    const run = vendorClient({ baseURL: platform })
      .chat()
      .runWithTools(undefined, forms.chat, tool, { keepThinking } as never);
    const error = await failure(run);
    expect(isModelsvcError(error, 'validation') && error.message).toBe('chat.runWithTools: options.keepThinking must be true or false');
    expect(fake.requests).toHaveLength(0);
  });
});

test.each(['chat', 'messages'] as const)('%s: a request that changes during a run has no effect on later rounds', async (surface) => {
  const request = structuredClone(forms[surface]);
  const options = {
    onRound: () => {
      (request.messages[0] as { content: string }).content = 'changed';
      request.model = 'changed';
      request.tools.length = 0;
    },
  };
  await fiveRounds(newClient(fake.configFor()), { surface, streamed: false, fields: request, options: options as never });
  expectPrefixes();
});

describe('the saving', () => {
  const system = { role: 'system' as const, content: 'You know the weather of every city. '.repeat(80) };
  const runs: [root: string, baseURL: string, options: object, dropped: number[]][] = [
    ['platform', platform, {}, [0, 0, 0, 0, 0, 0]],
    ['platform without keepThinking', platform, { keepThinking: false }, [0, 1, 2, 3, 4, 5]],
    ['coding', coding, {}, [0, 0, 0, 0, 0, 0]],
    ['coding without keepThinking', coding, { keepThinking: false }, [0, 0, 0, 0, 0, 0]],
  ];
  test.each(runs)('%s: dropped thought, and the cached share of a run', async (_name, baseURL, options, dropped) => {
    const fields = { messages: [system, ...question] };
    const run = await fiveRounds(vendorClient({ baseURL }), { surface: 'chat', streamed: true, fields, options });
    expect(fake.requests.map(({ droppedThoughts }) => droppedThoughts)).toEqual(dropped);
    const { usage } = toolRun(run as never) ?? {};
    const share = cachedShare(usage) ?? 0;
    expect(share).toBe((usage?.prompt_tokens_details?.cached_tokens ?? 0) / (usage?.prompt_tokens ?? 0));
    expect(Math.round(share * 100)).toBeGreaterThan(75);
  });

  test('messages: the same, from the counts of that surface', async () => {
    const run = await fiveRounds(newClient(fake.configFor()), { surface: 'messages', streamed: false, fields: { system: system.content } });
    const { input_tokens: fresh = 0, cache_read_input_tokens: cached = 0 } = toolRun(run as AnthropicReply)?.usage ?? {};
    expect(cachedShare(toolRun(run as never)?.usage)).toBe((cached ?? 0) / (fresh + (cached ?? 0)));
    expect(cached).toBeGreaterThan(fresh);
  });

  const shares: [usage: object | undefined, share: number | undefined][] = [
    [undefined, undefined],
    [{}, undefined],
    [{ prompt_tokens: 10, completion_tokens: 1 }, undefined],
    [{ prompt_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } }, undefined],
    [{ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 0 } }, 0],
    [{ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 4 } }, 0.4],
    [{ prompt_tokens: 10, prompt_tokens_details: null }, undefined],
    [{ input_tokens: 10, cache_read_input_tokens: 30, cache_creation_input_tokens: null }, 0.75],
    [{ inputTokens: 10, cachedInputTokens: 5, outputTokens: 1, totalTokens: 11 }, 0.5],
    // More than all: a gateway counts them in addition to the others.
    [{ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 30 } }, 0.75],
  ];
  test.each(shares)('the share of %j is %s', (usage, share) => expect(cachedShare(usage)).toBe(share));
});
