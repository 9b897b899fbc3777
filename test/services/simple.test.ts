import { expect, it } from 'vitest';
import { type Client, newClient } from '../../src/overlay/index.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const client = newClient(fake.configFor());
const signal = new AbortController().signal;
const user = { role: 'user', content: 'hi' };
const brief = { role: 'system', content: 'Be brief.' };

type Loose = Record<string, (...values: unknown[]) => Promise<unknown>>;

const chat = { messages: [user] };
const responses = { input: 'hi' };
const low = { reasoning_effort: 'low' };

it.each<[name: string, given: unknown[], service: (client: Client) => object, fields: object]>([
  ['a text', ['glm-5.3', 'hi'], (c) => c.chat(), chat],
  ['effort', ['glm-5.3', 'hi', { effort: 'low' }], (c) => c.chat(), { ...chat, ...low }],
  ['effort and system', [signal, 'glm-5.3', 'hi', { effort: 'low', system: 'Be brief.' }], (c) => c.chat(), { ...low, messages: [brief, user] }],
  ['system', [undefined, 'glm-5.3', 'hi', { system: 'Be brief.' }], (c) => c.chat(), { messages: [brief, user] }],
  ['no options', [signal, 'glm-5.3', 'hi', undefined], (c) => c.chat(), chat],
  ['options without a value', ['glm-5.3', 'hi', { effort: undefined, system: undefined }], (c) => c.chat(), chat],
  ['a text', ['glm-5.3', 'hi'], (c) => c.responses(), responses],
  ['system', ['glm-5.3', 'hi', { system: 'Be brief.' }], (c) => c.responses(), { ...responses, instructions: 'Be brief.' }],
  ['effort', [signal, 'glm-5.3', 'hi', { effort: 'low' }], (c) => c.responses(), { ...responses, reasoning: { effort: 'low' } }],
])('createSimple sends %s as fields of the request: %j', async (_name, given, service, fields) => {
  await (service(client) as Loose)['createSimple']?.(...given);
  const { stream: _, ...body } = (fake.requests[0]?.body ?? {}) as Record<string, unknown>;
  const { stream_options: _1, ...sent } = body;
  expect(sent).toEqual({ model: 'glm-5.3', ...fields });
});
