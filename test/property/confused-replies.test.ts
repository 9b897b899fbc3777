import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pace } from '../../src/cli/commands/quota/pace.ts';
import { stepsOf } from '../../src/cli/commands/usage/steps.ts';
import { examples } from '../../src/generated/examples.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import { mcpTools } from '../../src/mcp/index.ts';
import { quotaWindow } from '../../src/monitor/index.ts';
import { parseServerTime } from '../../src/overlay/errors/server-time.ts';
import {
  type AnthropicStreamEvent,
  batchCounts,
  type ChatChunk,
  type Client,
  collect,
  contentText,
  defineTool,
  estimateCost,
  finishError,
  isModelsvcError,
  newClient,
  outputFormat,
  responseInfo,
  speechBytes,
  textDeltas,
  toolRun,
  usageMeter,
} from '../../src/overlay/index.ts';
import type { SpeechChunk, ToolRound } from '../../src/types/index.ts';
import { confused, confusions, shapeOf, wireText } from '../support/confused.ts';
import { runs, sampled } from '../support/deep.ts';
import { everyOperation } from '../support/every-operation.ts';
import { strictRejections } from '../support/strict-rejections.ts';

// Some hundred thousand errors are made here, and hooks read the stack of each.
Error.stackTraceLimit = 2;

const json = { 'content-type': 'application/json' };
const sse = { 'content-type': 'text/event-stream' };
const meter = usageMeter();

/** A client that is answered by one body after the other, the last one for ever. */
function clientOf(bodies: readonly string[], headers: Record<string, string>): Client {
  let asked = 0;
  const httpClient = async (): Promise<Response> => new Response(bodies[Math.min(asked++, bodies.length - 1)], { headers });
  return newClient({ apiKey: 'test-key', maxRetries: 0, httpClient, hooks: [meter] });
}

/** Fails unless `work` gives a result or an error of this package. */
async function settles(work: () => unknown, seen: unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isModelsvcError(error)) throw new Error(`${JSON.stringify(seen)?.slice(0, 2000)} gave ${String((error as Error)?.stack)}`);
  }
}

async function drained(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* listed(items: readonly unknown[]): AsyncGenerator<never> {
  for (const item of items) yield item as never;
}

const format = outputFormat({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
const tool = defineTool({ name: 'weather', description: '', input: { type: 'object', properties: { city: { type: 'string' } } }, run: () => 'rain' });
const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const message = { model: 'glm-4.6', max_tokens: 9, messages };
const declared = [{ type: 'function' as const, function: { name: 'weather', description: '', parameters: { type: 'object' } } }];
const messageTools = [{ name: 'weather', description: '', input_schema: { type: 'object' as const } }];
const once = { maxWait: 1 };
/** Each reply after the first is the same: a third round would read it as the second did. */
const twice = { maxRounds: 2 };
const allowed = {
  ...twice,
  onRound: ({ calls }: ToolRound<unknown>) => calls.map(({ id }) => (id.length > 0 ? ('allow' as const) : undefined)),
};

/** Uses of a reply beyond the call that fetched it. */
async function readReply(reply: unknown): Promise<void> {
  const value = reply as never;
  finishError(value);
  responseInfo(value);
  const { text, thinking } = (typeof reply === 'object' && reply !== null ? reply : {}) as { text?: unknown; thinking?: unknown };
  if (typeof text === 'function') expect(typeof text.call(reply)).toBe('string');
  if (typeof thinking === 'function') expect(typeof thinking.call(reply)).toBe('string');
  await settles(() => format.parse(value), reply);
}

/** Methods that read the replies of an operation further. */
const furtherReaders: Readonly<Record<string, readonly ((client: Client) => unknown)[]>> = {
  'chat.create': [
    (c) => c.chat().runWithTools(undefined, { ...chat, tools: declared }, (name, text) => `${name.length} ${text.length}`, twice),
    (c) => c.chat().runWithTools(undefined, chat, [tool], allowed),
    (c) => c.detection().probeWithBilledChat(undefined),
  ],
  'anthropic.create': [
    (c) => c.anthropic().runWithTools(undefined, { ...message, tools: messageTools }, (name, text) => `${name.length} ${text.length}`, twice),
    (c) => c.anthropic().runWithTools(undefined, message, [tool], allowed),
  ],
  'client.getAsyncResult': [(c) => c.waitForResult(undefined, 'a', once)],
  'agents.asyncResult': [(c) => c.agents().wait(undefined, { agent_id: 'a', async_id: 'b' }, once)],
  'fileParser.result': [(c) => c.fileParser().wait(undefined, 'a', 'text', once)],
  'batch.retrieve': [
    (c) => c.batch().wait(undefined, 'a', once),
    (c) => c.batch().run(undefined, [{ custom_id: 'request-1', body: chat }], { ...once, resume: 'a' }),
  ],
  'batch.list': [(c) => drained(c.batch().listAll(undefined))],
  'files.list': [(c) => drained(c.files().listAll(undefined, { purpose: 'batch' }))],
  'files.upload': [(c) => c.batch().run(undefined, [{ custom_id: 'request-1', body: chat }], once)],
  'models.list': [
    (c) => c.models().get(undefined, 'glm-4.6'),
    (c) => c.models().getTextModels(undefined),
    (c) => c.models().getFreeModels(undefined),
    (c) => c.detection().detect(undefined),
  ],
  'quota.getLimit': [
    async (c) => (await c.quota().getLimit(undefined)).limits.map((limit) => [quotaWindow(limit), pace(limit, new Date())]),
    (c) => c.usage().summary(undefined),
  ],
  'quota.getModelUsage': [
    async (c) => {
      const usage = await c.quota().getModelUsage(undefined, { start: new Date(0), end: new Date(1000) });
      for (const { label } of stepsOf(usage, usage.tokensUsage)) label.slice(0);
    },
  ],
};

const replies = allRoutes
  .filter((route) => route.reply === 'json')
  .map((route) => [route.id, examples[route.id]?.replies['200 application/json'] ?? {}] as const);

describe.each(replies)('%s', (id, bodies) => {
  const perform = everyOperation[id]?.perform as (client: Client) => Promise<unknown>;

  test('every node of every reply confused: a result or a typed error', async () => {
    const rejections = strictRejections();
    for (const body of Object.values(bodies))
      for (const reply of sampled(confusions(body), 6)) {
        const text = wireText(reply);
        await settles(async () => readReply(await perform(clientOf([text], json))), reply);
        for (const read of furtherReaders[id] ?? []) await settles(() => read(clientOf([text], json)), reply);
      }
    expect(await rejections.settled()).toEqual([]);
  });
});

/** The payloads of a recorded stream, and how to write them down again. */
function framesOf(text: string): { name: string | undefined; payload: unknown }[] {
  return text.split('\n\n').flatMap((frame) => {
    const data = /^data: ?(.*)$/m.exec(frame)?.[1];
    if (data === undefined || data === '[DONE]') return [];
    return [{ name: /^event: ?(.*)$/m.exec(frame)?.[1], payload: JSON.parse(data) as unknown }];
  });
}

function streamOf(names: readonly (string | undefined)[], payloads: readonly unknown[], ending: string): string {
  return payloads.map((payload, index) => `${names[index] ? `event: ${names[index]}\n` : ''}data: ${wireText(payload)}\n\n`).join('') + ending;
}

type StreamReader = (client: Client, payloads: readonly unknown[]) => unknown;

const chatReaders: readonly StreamReader[] = [
  (c) => collect(c.chat().stream(undefined, chat)).then(readReply),
  async (c) => expect((await drained(textDeltas(c.chat().stream(undefined, chat)))).every((text) => typeof text === 'string')).toBe(true),
  (c) => c.chat().createStream(undefined, chat, () => undefined),
  (c) => drained(c.chat().streamWithTools(undefined, chat, [tool], twice)),
  (_c, items) => collect(listed(items)).then(readReply),
  (_c, items) => drained(textDeltas(listed(items))),
];
const messageReaders: readonly StreamReader[] = [
  (c) => collect(c.anthropic().stream(undefined, message)).then(readReply),
  async (c) => expect((await drained(textDeltas(c.anthropic().stream(undefined, message)))).every((text) => typeof text === 'string')).toBe(true),
  (c) => drained(c.anthropic().streamWithTools(undefined, message, [tool], twice)),
  (_c, items) => collect(listed(items)).then(readReply),
  (_c, items) => collect(listed(items.map((data) => ({ type: (data as { type?: unknown } | null)?.type, data })))).then(readReply),
];
const file = new TextEncoder().encode('a');
const streams: readonly [operation: string, readers: readonly StreamReader[]][] = [
  ['chat.create', chatReaders],
  ['anthropic.create', messageReaders],
  ['agents.invoke', [(c) => drained(c.agents().stream(undefined, { agent_id: 'a', messages }))]],
  ['audio.transcribe', [(c) => drained(c.audio().transcribeStream(undefined, { model: 'glm-asr-2512', file }))]],
  [
    'audio.speech',
    [
      (c) => drained(speechBytes(c.audio().speechStream(undefined, { model: 'glm-tts', input: 'a', voice: 'tongtong' }))),
      (_c, items) => drained(speechBytes(listed(items) as AsyncIterable<SpeechChunk>, 'hex')),
    ],
  ],
];

describe.each(streams)('a stream of %s', (id, readers) => {
  const recorded = Object.values(examples[id]?.replies['200 text/event-stream'] ?? {}).map((text) => framesOf(String(text)));
  const ending = id === 'anthropic.create' ? '' : 'data: [DONE]\n\n';

  async function read(names: readonly (string | undefined)[], payloads: readonly unknown[]): Promise<void> {
    const text = streamOf(names, payloads, ending);
    for (const reader of readers) await settles(() => reader(clientOf([text], sse), payloads), payloads);
  }

  test('every node of every item confused: a result or a typed error', async () => {
    expect(recorded.length).toBeGreaterThan(0);
    const rejections = strictRejections();
    const shapes = new Set<string>();
    for (const frames of recorded)
      for (const [index, { payload }] of frames.entries()) {
        const shape = shapeOf(payload);
        if (shapes.has(shape)) continue;
        shapes.add(shape);
        for (const made of sampled(confusions(payload), 6))
          await read(
            frames.map(({ name }) => name),
            frames.map((one, at) => (at === index ? made : one.payload)),
          );
      }
    expect(await rejections.settled()).toEqual([]);
  });

  test('several nodes of a stream confused: a result or a typed error', async () => {
    const rejections = strictRejections();
    for (const frames of recorded)
      await fc.assert(
        fc.asyncProperty(confused(frames.map(({ payload }) => payload)), async (payloads) => {
          await read(
            frames.map(({ name }) => name),
            Array.isArray(payloads) ? payloads : [payloads],
          );
        }),
        runs(100),
      );
    expect(await rejections.settled()).toEqual([]);
  });
});

describe('helpers take any JSON', () => {
  const samples = [
    ...Object.values(examples).flatMap(({ replies: all }) => Object.values(all).flatMap((one) => Object.values(one))),
    { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 12, nextResetTime: 1783720000000 },
    { x_time: ['2026-07-10 10:00'], granularity: 'hourly', tokensUsage: [1] },
    { request_counts: { total: 1, completed: 1, failed: 0 }, total: 1 },
  ].filter((sample) => typeof sample === 'object');

  const helpers: Readonly<Record<string, (value: never) => unknown>> = {
    finishError,
    responseInfo,
    contentText,
    batchCounts,
    quotaWindow,
    pace: (value) => pace(value, new Date()),
    parseServerTime,
    toolRun: (value) => toolRun(value),
    stepsOf: (value) => stepsOf(value, value),
    estimateCost: (value) => [estimateCost('glm-4.6', value), estimateCost(value, { prompt_tokens: 1, completion_tokens: 1 })],
    parse: (value) => format.parse(value),
    prepare: (value) => tool.prepare(value),
    collectChat: (value) => collect(listed([value]) as AsyncIterable<ChatChunk>),
    collectMessage: (value) => collect(listed([{ type: 'message_start', data: value }, value]) as AsyncIterable<AnthropicStreamEvent>),
  };

  test.each(Object.entries(helpers))('%s', async (_name, helper) => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(...samples.map(confused), fc.jsonValue()), async (value) => {
        await settles(() => helper(value as never), value);
      }),
      runs(600),
    );
  });

  const listing = {
    tools: [
      { name: 'read', title: 'Read', description: 'Reads', inputSchema: { type: 'object', properties: {} }, execution: { taskSupport: 'optional' } },
    ],
    nextCursor: 'a',
  };
  const result = {
    content: [
      { type: 'text', text: 'a' },
      { type: 'resource', resource: { uri: 'a', blob: 'b', mimeType: 'c' } },
      { type: 'resource_link', name: 'a', uri: 'b' },
      { type: 'image', data: 'a', mimeType: 'b' },
    ],
    structuredContent: { a: 1 },
    isError: false,
  };

  test('mcpTools reads what any server lists and answers', async () => {
    for (const page of sampled(confusions(listing), 3))
      await settles(() => mcpTools({ listTools: async () => page as never, callTool: async () => ({}) }, { sdk: 1 }), page);
    for (const answer of sampled(confusions(result), 3)) {
      const [read] = await mcpTools({ listTools: async () => ({ tools: listing.tools }), callTool: async () => answer as never }, { sdk: 1 });
      const work = async (): Promise<unknown> => read?.run({}, { signal: new AbortController().signal, callId: 'a', round: 1 });
      // An error of the server is an Error with its words; one of this code would be a TypeError.
      const outcome = await work().catch((error: unknown) => (error instanceof TypeError || error instanceof RangeError ? error : 'said'));
      expect(typeof outcome, `${JSON.stringify(answer)}: ${String(outcome)}`).toBe('string');
    }
  });
});

test('the results of a batch in any form', async () => {
  const ended = { id: 'b', status: 'completed', output_file_id: 'f', error_file_id: '' };
  const lines = [
    {
      custom_id: 'request-1',
      response: { status_code: 200, request_id: 'r', body: examples['chat.create']?.replies['200 application/json']?.['text'] ?? {} },
    },
    { custom_id: 'request-1', response: { status_code: 400, body: { error: { code: '1211', message: 'unknown' } } } },
    { custom_id: 'request-1', error: { code: '1', message: 'a' } },
  ];
  onTestFinished(() => meter.reset());
  for (const line of lines)
    for (const made of sampled(confusions(line), 3)) {
      const client = clientOf([JSON.stringify(ended), wireText(made)], json);
      await settles(async () => {
        const outcome = await client.batch().run(undefined, [{ custom_id: 'request-1', body: chat }], { ...once, resume: 'b' });
        for (const { error, response } of outcome.results) {
          if (error !== undefined) expect(isModelsvcError(error)).toBe(true);
          await readReply(response);
        }
      }, made);
    }
  meter.totals();
});
