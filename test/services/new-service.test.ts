import { expect, expectTypeOf, test } from 'vitest';
import { type AnthropicReply, type ChatResponse, ConfigError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { Anthropic, Batches, Chat, Files, newService } from '../../src/services/index.ts';
import type { FakeService } from '../../src/testing/index.ts';
import type { Received } from '../../src/types/index.ts';
import { openFake } from '../support/fake.ts';

async function fakeService(): Promise<FakeService> {
  const { fake } = await openFake();
  return fake;
}

const request = { model: 'glm-4.6', messages: [{ role: 'user' as const, content: 'hi' }] };

test('a service made by itself calls what the client’s would', async () => {
  const fake = await fakeService();
  fake.chat.reply('one');
  fake.messages.reply('two');
  fake.chat.reply('three');
  const config = fake.configFor({ userAgent: 'a page' });
  const chat = newService(Chat, config);
  const reply = await chat.create(undefined, request);
  const message = await newService(Anthropic, config).create(undefined, { ...request, max_tokens: 9 });
  await newClient(config).chat().create(undefined, request);
  expect([reply.choices[0]?.message.content, message.text()]).toEqual(['one', 'two']);
  const [first, , third] = fake.requests.map(({ method, path, headers, body }) => ({ method, path, headers, body }));
  expect(first).toEqual(third);
  expect(first?.headers['user-agent']).toBe('a page');
  expectTypeOf(chat).toEqualTypeOf<Chat>();
  expectTypeOf(reply).toEqualTypeOf<Received<ChatResponse>>();
  expectTypeOf(message).toEqualTypeOf<Received<AnthropicReply>>();
});

test('any service will do', async () => {
  const fake = await fakeService();
  const config = fake.configFor();
  const file = await newService(Files, config).upload(undefined, { file: new Uint8Array(3), purpose: 'batch' });
  expect(file.id).toEqual(expect.any(String));
  expect(newService(Batches, config)).toBeInstanceOf(Batches);
});

test('the config is checked as newClient checks it', () => {
  for (const config of [{ apiKey: '' }, { apiKey: 'k', timeout: -1 }, { apiKey: 'k', baseURL: 'ftp://h' }]) {
    const [one, other] = [() => newService(Chat, config), () => newClient(config)].map(thrownBy);
    expect(isModelsvcError(one, 'config')).toBe(true);
    expect(one).toEqual(other);
  }
  // @ts-expect-error a key is required
  expect(() => newService(Chat, {})).toThrow(ConfigError);
  // @ts-expect-error the service comes first
  expect(() => newService({ apiKey: 'k' }, Chat)).toThrow('newService: pass a service class first');
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
