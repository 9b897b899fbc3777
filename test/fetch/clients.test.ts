// The real clients of other vendors with the adapter, against the fake service on real sockets.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { APICallError, generateText, type LanguageModel, RetryError, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createZhipu } from 'zhipu-ai-provider';
import { z } from 'zod';
import { type FetchOptions, serviceFetch } from '../../src/fetch/index.ts';
import { isApiError } from '../../src/overlay/index.ts';
import { type FakeFile, type Fault, fakeKey, faults } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
/** An overload inside 200, with a short wait. */
const headers = { 'retry-after-ms': '1' };
const busy = { headers, body: { error: { code: '1305', message: 'busy' } } };
const busyEvent = { headers: { ...headers, 'content-type': 'text/event-stream' }, body: 'data: {"error":{"code":"1305","message":"busy"}}\n\n' };
const messages = [{ role: 'user' as const, content: 'hi' }];

interface Driven {
  readonly name: string;
  readonly operation: 'chat.create' | 'anthropic.create' | 'responses.create';
  create(options?: FetchOptions): Promise<string>;
  /** The text of a stream; `onText` is called for each piece. */
  stream(options?: FetchOptions, onText?: () => void): Promise<string>;
}

function openai(options: FetchOptions = {}, baseURL: string = fake.roots.platform): OpenAI {
  return new OpenAI({ apiKey: fakeKey, baseURL, fetch: serviceFetch({ baseURL: fake.url, ...options }) });
}

function anthropic(options: FetchOptions = {}): Anthropic {
  return new Anthropic({ apiKey: fakeKey, baseURL: fake.roots.messages, fetch: serviceFetch({ baseURL: fake.url, ...options }) });
}

/** The models of the AI SDK: the provider of OpenAI on Responses, and providers of GLM, of compatible services and of Anthropic. */
const aiModels: Readonly<Record<string, readonly [operation: Driven['operation'], make: (fetch: typeof globalThis.fetch) => LanguageModel]>> = {
  'ai, responses': ['responses.create', (fetch) => createOpenAI({ apiKey: fakeKey, baseURL: fake.roots.responses, fetch }).responses('glm-5.2')],
  'ai, openai-compatible': [
    'chat.create',
    (fetch) => createOpenAICompatible({ name: 'service', apiKey: fakeKey, baseURL: fake.roots.platform, fetch })('glm-5.2'),
  ],
  'ai, zhipu': ['chat.create', (fetch) => createZhipu({ apiKey: fakeKey, baseURL: fake.roots.platform, fetch })('glm-5.2')],
  'ai, anthropic': ['anthropic.create', (fetch) => createAnthropic({ apiKey: fakeKey, baseURL: `${fake.roots.messages}/v1`, fetch })('glm-5.2')],
};

/** An error of the AI SDK with its facts under the names of the other clients. */
function plainError(error: unknown): unknown {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (!APICallError.isInstance(last)) return last;
  return Object.assign(last, { status: last.statusCode, requestID: last.responseHeaders?.['x-request-id'] });
}

/** The business code, where each client has it. */
function codeOf(error: object): unknown {
  const { responseBody, errorCode, code: own } = error as { readonly [name: string]: unknown };
  if (typeof responseBody !== 'string') return errorCode ?? own;
  const { code, details } = (JSON.parse(responseBody) as { error: { code?: unknown; details?: { error_code?: unknown } } }).error;
  return details?.error_code ?? code;
}

const driven: readonly Driven[] = [
  ...Object.entries(aiModels).map(([name, [operation, make]]): Driven => {
    const aiModel = (options: FetchOptions = {}): LanguageModel => make(serviceFetch({ baseURL: fake.url, ...options }));
    return {
      name,
      operation,
      async create(options) {
        try {
          return (await generateText({ model: aiModel(options), prompt: 'hi' })).text;
        } catch (error) {
          throw plainError(error);
        }
      },
      async stream(options, onText) {
        let text = '';
        for await (const part of streamText({ model: aiModel(options), prompt: 'hi', onError: () => undefined }).fullStream) {
          if (part.type === 'error') throw plainError(part.error);
          if (part.type !== 'text-delta') continue;
          text += part.text;
          onText?.();
        }
        return text;
      },
    };
  }),
  {
    name: 'openai',
    operation: 'chat.create',
    async create(options) {
      const { choices } = await openai(options).chat.completions.create({ model: 'glm-5.2', messages });
      return choices[0]?.message.content ?? '';
    },
    async stream(options, onText) {
      let text = '';
      for await (const chunk of await openai(options).chat.completions.create({ model: 'glm-5.2', messages, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? '';
        onText?.();
      }
      return text;
    },
  },
  {
    name: 'openai, responses',
    operation: 'responses.create',
    async create(options) {
      const { output } = await openai(options, fake.roots.responses).responses.create({ model: 'glm-5.2', input: 'hi' });
      return output
        .map((item) => (item.type === 'message' ? item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('') : ''))
        .join('');
    },
    async stream(options, onText) {
      let text = '';
      const stream = openai(options, fake.roots.responses).responses.stream({ model: 'glm-5.2', input: 'hi' });
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta;
        onText?.();
      });
      expect((await stream.finalResponse()).output_text).toBe(text);
      return text;
    },
  },
  {
    name: 'anthropic',
    operation: 'anthropic.create',
    async create(options) {
      const { content } = await anthropic(options).messages.create({ model: 'glm-5.2', max_tokens: 64, messages });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
    async stream(options, onText) {
      let text = '';
      const stream = anthropic(options).messages.stream({ model: 'glm-5.2', max_tokens: 64, messages });
      stream.on('text', (piece) => {
        text += piece;
        onText?.();
      });
      await stream.finalMessage();
      return text;
    },
  },
];

async function caught(run: Promise<unknown>): Promise<Error & { status?: number; requestID?: string }> {
  const error: unknown = await run.then(
    (value) => new Error(`it succeeded with ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  return error as Error;
}

describe.each(driven)('$name', ({ operation, create, stream }) => {
  test('an answer and a stream arrive whole', async () => {
    fake.answer(operation, { turn: { text: 'whole' } }, { turn: { text: ['str', 'eam'] } });
    expect([await create(), await stream()]).toEqual(['whole', 'stream']);
  });

  const hopeless: readonly [string, Fault, number, string][] = [
    ['an empty balance', faults.error(429, '1113'), 402, '1113'],
    ['an empty balance inside 200', faults.embeddedFailure(undefined, '1113'), 402, '1113'],
    ['a model outside the plan', faults.error(429, '1311'), 403, '1311'],
    ['a wait of more than a minute', faults.rateLimit({ seconds: 90 }), 402, '1302'],
    ['a reply that is cut off', faults.cutJson(), 400, 'reply'],
  ];

  test.each(hopeless)('%s: one request, and the error of the client with the code', async (_title, fault, status, code) => {
    fake.fallback(operation, fault);
    const error = await caught(create());
    expect([error.status, fake.requests.length]).toEqual([status, 1]);
    // Codes of Responses are words.
    if (operation !== 'responses.create') expect(codeOf(error)).toBe(code);
    if (status !== 400) expect(error.requestID).toBe(fake.requests[0]?.requestId);
  });

  test('no response header in time: one request', async () => {
    fake.fallback(operation, faults.silentBeforeHeaders());
    const error = await caught(create({ timeout: 1000 }));
    expect([error.status, fake.requests.length]).toEqual([400, 1]);
  });

  test('an overload inside 200 is retried by the client, after the given wait', async () => {
    fake.answer(operation, faults.rateLimit({ ms: 1 }), busy, { turn: { text: 'third' } });
    expect(await create()).toBe('third');
    expect(fake.requests).toHaveLength(3);
  });

  test('an overload as the first event of a stream is retried by the client', async () => {
    fake.answer(operation, busyEvent, { turn: { text: ['sec', 'ond'] } });
    expect(await stream()).toBe('second');
  });

  test('JSON instead of a stream is an error and not an empty text', async () => {
    fake.fallback(operation, faults.jsonForStream());
    const error = await caught(stream());
    expect([error.status, fake.requests.length]).toEqual([400, 1]);
  });

  const broken: readonly [string, Fault, (error: unknown) => boolean][] = [
    ['cut off with a clean end', faults.truncatedStream(), ofKind('stream')],
    ['silent', faults.silentAfterHeaders(5), ofKind('timeout')],
    ['interrupted by an error', faults.inBandError('1305', 'busy', 5), isApiError],
  ];

  test.each(broken)('a stream that is %s fails with the error of this package', async (_title, fault, isExpected) => {
    fake.answer(operation, { ...fault, reply: { turn: { text: ['one ', 'two ', 'three ', 'four'] } } });
    let pieces = 0;
    const error = await caught(stream({ streamIdleTimeout: 300 }, () => pieces++));
    // The helper of the Anthropic client wraps the errors of others.
    expect(isExpected(error) || isExpected(error.cause)).toBe(true);
    expect(pieces).toBeGreaterThan(0);
    expect(fake.requests).toHaveLength(1);
  });
});

describe.each([
  ['through the adapter', () => openai({}, fake.roots.responses)],
  ['directly', () => new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.responses })],
])('openai, responses, %s', (_way, clientOf) => {
  const { responses } = clientOf();

  test('a tool round trip sends every item back, and ends with the text', async () => {
    fake.responses.reply({ reasoning: 'I need the clock.', toolCalls: [{ id: 'a', name: 'clock', arguments: { zone: 'UTC' } }] }).reply('Noon.');
    const tools = [{ type: 'function' as const, name: 'clock', parameters: { type: 'object' }, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'The time?' }];
    const asked = await responses.stream({ model: 'glm-5.2', input, tools }).finalResponse();
    for (const item of asked.output) {
      input.push(item as OpenAI.Responses.ResponseInputItem);
      if (item.type === 'function_call') input.push({ type: 'function_call_output', call_id: item.call_id, output: `noon of ${item.arguments}` });
    }
    expect((await responses.stream({ model: 'glm-5.2', input, tools }).finalResponse()).output_text).toBe('Noon.');
    const [, second] = fake.requests.map(({ body }) => body as { input: object[] });
    expect(second?.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'I need the clock.' }] },
      { type: 'function_call', call_id: 'a', name: 'clock' },
      { type: 'function_call_output', call_id: 'a', output: 'noon of {"zone":"UTC"}' },
    ]);
    expect(fake.refusals).toEqual([]);
  });
});

test('ai, responses: a tool round trip, whole and as a stream', async () => {
  const tools = {
    weather: tool({ description: 'The weather', inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `Rain in ${city}.` }),
  };
  const asked = { prompt: 'Weather?', stopWhen: stepCountIs(3), tools };
  const script = { reasoning: 'I need the weather.', toolCalls: [{ id: 'a', name: 'weather', arguments: { city: 'Metz' } }] };
  fake.responses
    .reply(script)
    .reply('It rains.')
    .reply(script)
    .reply({ text: ['It ', 'rains.'] });
  const model = createOpenAI({ apiKey: fakeKey, baseURL: fake.roots.responses, fetch: serviceFetch({ baseURL: fake.url }) }).responses('glm-5.2');
  const whole = await generateText({ ...asked, model });
  let streamed = '';
  for await (const text of streamText({ ...asked, model }).textStream) streamed += text;
  expect([whole.text, streamed]).toEqual(['It rains.', 'It rains.']);
  for (const request of [fake.requests[1], fake.requests[3]])
    expect((request?.body as { input: object[] } | undefined)?.input.at(-1)).toMatchObject({
      type: 'function_call_output',
      call_id: 'a',
      output: 'Rain in Metz.',
    });
});

describe('openai: a program that joins the deltas of a stream itself', () => {
  type Joined = Record<string, unknown>;

  /** The reducer of the package's examples: texts of one name are joined. */
  function joined(before: Joined, delta: object): Joined {
    const after = { ...before };
    for (const [name, value] of Object.entries(delta)) {
      const old = after[name];
      after[name] = typeof old === 'string' && typeof value === 'string' ? old + value : value;
    }
    return after;
  }

  async function message(client: OpenAI): Promise<Joined> {
    fake.chat.reply({ text: ['Rain ', 'in ', 'Metz'] });
    let whole: Joined = {};
    for await (const chunk of await client.chat.completions.create({ model: 'glm-5.2', messages, stream: true }))
      whole = joined(whole, chunk.choices[0]?.delta ?? {});
    return whole;
  }

  test('has one role through the adapter, though the service repeats it', async () => {
    expect(await message(openai())).toEqual({ role: 'assistant', content: 'Rain in Metz' });
    const direct = await message(new OpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform }));
    expect(direct).toEqual({ role: 'assistant'.repeat(4), content: 'Rain in Metz' });
  });

  test('and the helper of the client has the complete message', async () => {
    fake.chat.reply({ text: ['Rain ', 'in ', 'Metz'] });
    const whole = await openai().chat.completions.stream({ model: 'glm-5.2', messages }).finalMessage();
    expect(whole).toMatchObject({ role: 'assistant', content: 'Rain in Metz' });
  });
});

test('openai: an upload, which asks for data: first', async () => {
  const file = new File(['{"a":1}'], 'requests.jsonl');
  await openai().files.create({ file, purpose: 'batch' });
  expect(fake.requests.map((one) => one.operation)).toEqual(['files.upload']);
  const [request] = fake.requests;
  expect((request?.body as { file: FakeFile } | undefined)?.file.name).toBe('requests.jsonl');
});

test('the words of other services: a developer message, and a limit of openai', async () => {
  const rules = { serviceRules: true };
  const said = [{ role: 'developer' as const, content: 'Be brief.' }, ...messages];
  await openai(rules).chat.completions.create({ model: 'glm-5.2', messages: said, max_completion_tokens: 9 });
  const provider = createOpenAI({ apiKey: fakeKey, baseURL: fake.roots.platform, fetch: serviceFetch({ baseURL: fake.url, ...rules }) });
  // The AI SDK sends both for a model that it takes for one that thinks.
  const thinks = { openai: { forceReasoning: true, systemMessageMode: 'developer' as const } };
  const call = { model: provider.chat('glm-5.2'), system: 'Be brief.', prompt: 'hi', maxOutputTokens: 9, providerOptions: thinks };
  await generateText(call);
  for (const { body } of fake.requests)
    expect(body).toMatchObject({ max_tokens: 9, messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] });
  expect([fake.requests.length, fake.refusals]).toEqual([2, []]);
  const refused = await caught(openai().chat.completions.create({ model: 'glm-5.2', messages: said }));
  expect(refused).toMatchObject({ status: 400, code: '1214' });
});

test('openai asks for vectors in base64 and decodes them', async () => {
  fake.answer('embeddings.create', {
    body: { object: 'list', model: 'embedding-3', data: [{ object: 'embedding', index: 0, embedding: [0.5, -2] }] },
  });
  const { data } = await openai().embeddings.create({ model: 'embedding-3', input: 'hi' });
  expect(data[0]?.embedding).toEqual([0.5, -2]);
});

test('a client without a base URL sends the key nowhere, and learns what to set', async () => {
  const error = await caught(new OpenAI({ apiKey: fakeKey, fetch: serviceFetch() }).models.list());
  expect(error.message).toContain('is on https://api.openai.com, which is not a host of the service: set baseURL');
});
