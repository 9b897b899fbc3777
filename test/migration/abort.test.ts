// The sections "When a signal aborts" of the migration guides: the published package and this one, against the same fake service.
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { collecting, newClient } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const openai = new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, maxRetries: 0 });
const anthropic = new Anthropic({ authToken: fakeKey, apiKey: null, baseURL: fake.roots.messages, maxRetries: 0 });
const provider = createOpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform }).chat('glm-5.3');
const c = newClient(fake.configFor({ maxRetries: 0 }));

const messages = [{ role: 'user' as const, content: 'Hi' }];
const chat = { model: 'glm-5.3', messages };
const message = { ...chat, max_tokens: 9 };
const prompt = { model: provider, prompt: 'Hi', maxRetries: 0 };

/** Name of the error with which a call ends, or `end`. */
async function ending(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'end';
  } catch (error) {
    return error instanceof Error ? (error.name === 'Error' ? error.constructor.name : error.name) : String(error);
  }
}

/** The ending of a loop whose signal aborts at the first item that arrives; the fake then stays silent. */
async function leaving(open: (signal: AbortSignal) => AsyncIterable<unknown> | PromiseLike<AsyncIterable<unknown>>): Promise<string> {
  const stop = new AbortController();
  return ending(async () => {
    for await (const _ of await open(stop.signal)) stop.abort();
  });
}

const silent = (): void => {
  for (const operation of ['chat.create', 'anthropic.create'] as const) fake.fallback(operation, faults.silentAfterHeaders(4));
};

it('before the response: all throw', async () => {
  const signal = AbortSignal.abort();
  expect(await ending(() => openai.chat.completions.create(chat, { signal }))).toBe('APIUserAbortError');
  expect(await ending(() => anthropic.messages.create(message, { signal }))).toBe('APIUserAbortError');
  expect(await ending(() => generateText({ ...prompt, abortSignal: signal }))).toBe('AbortError');
  expect(await ending(() => c.chat().create(signal, chat))).toBe('AbortError');
  expect(await ending(() => c.anthropic().create(signal, message))).toBe('AbortError');
});

it('in a stream: the others end their loop like a complete answer, except for the helpers of their streams', async () => {
  silent();
  expect(await leaving((signal) => openai.chat.completions.create({ ...chat, stream: true }, { signal }))).toBe('end');
  expect(await leaving((signal) => openai.chat.completions.stream(chat, { signal }))).toBe('APIUserAbortError');
  expect(await leaving((signal) => anthropic.messages.create({ ...message, stream: true }, { signal }))).toBe('end');
  expect(await leaving((signal) => anthropic.messages.stream(message, { signal }))).toBe('APIUserAbortError');
  expect(await leaving((signal) => streamText({ ...prompt, abortSignal: signal }).textStream)).toBe('end');
  expect(await leaving((signal) => c.chat().stream(signal, chat))).toBe('AbortError');
  expect(await leaving((signal) => collecting(c.anthropic().stream(signal, message)))).toBe('AbortError');
});

it('in `textStream` of `ai`: callbacks get the abort and the error, and the loop ends', async () => {
  silent();
  const heard: string[] = [];
  const callbacks = {
    onAbort: () => void heard.push('abort'),
    onError: ({ error }: { error: unknown }) => void heard.push(error instanceof Error ? error.name : String(error)),
  };
  await leaving((abortSignal) => streamText({ ...prompt, ...callbacks, abortSignal }).textStream);
  fake.answer('chat.create', faults.serverErrors(1));
  expect(
    await ending(async () => {
      for await (const _ of streamText({ ...prompt, ...callbacks }).textStream);
    }),
  ).toBe('end');
  expect(heard).toEqual(['abort', 'AI_APICallError']);
  fake.answer('chat.create', faults.serverErrors(1));
  expect(
    await ending(async () => {
      for await (const _ of c.chat().stream(undefined, chat));
    }),
  ).toBe('ApiError');
});

it('a timeout signal is an abort in all, and its reason is the cause here', async () => {
  const timeout = (): AbortSignal => AbortSignal.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  expect(await ending(() => openai.chat.completions.create(chat, { signal: timeout() }))).toBe('APIUserAbortError');
  expect(await ending(() => anthropic.messages.create(message, { signal: timeout() }))).toBe('APIUserAbortError');
  expect(await ending(() => generateText({ ...prompt, abortSignal: timeout() }))).toBe('TimeoutError');
  const signal = timeout();
  await expect(c.chat().create(signal, chat)).rejects.toMatchObject({ name: 'AbortError', cause: signal.reason });
});

it('`break` throws no error and ends the exchange', async () => {
  silent();
  for (const open of [
    () => openai.chat.completions.create({ ...chat, stream: true }),
    () => anthropic.messages.create({ ...message, stream: true }),
    () => c.chat().stream(undefined, chat),
  ]) {
    for await (const _ of await open()) break;
    await fake.idle();
  }
  expect(fake.requests).toHaveLength(3);
});
