// The errors that end a collected stream have the response so far, and show it to no one who only looks at the error.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  type AnthropicReply,
  type ChatChunk,
  type ChatResponse,
  type Client,
  collecting,
  type Hook,
  isModelsvcError,
  type ModelsvcError,
  newFunctionTool,
  type ResponsesReply,
} from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import type { AnthropicResponseToolUse } from '../../src/types/index.ts';
import { collectedOf, onBothWays, type SurfaceDriver, taken, textIn } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

const fake = await sharedFake();
const reply = { turn: { text: ['whisper ', 'on ', 'and ', 'on'], toolCalls: [{ id: 'call_1', name: 'save', arguments: { text: 'later' } }] } };

type Reading = (driver: SurfaceDriver, client: Client, ctx?: AbortSignal) => Promise<unknown>;

const chunksOf = (stream: AsyncIterable<object>): AsyncIterable<ChatChunk> => stream as AsyncIterable<ChatChunk>;

/** Each way to read a stream that collects. */
const readings: Readonly<Record<string, Reading>> = {
  'collecting, in the loop': async (driver, client, ctx) => {
    const { error } = await taken(collecting(chunksOf(driver.stream(client, ctx))));
    throw error;
  },
  'collecting, by response()': (driver, client, ctx) => collecting(chunksOf(driver.stream(client, ctx))).response(),
  collect: (driver, client, ctx) => collectedOf(driver.stream(client, ctx)),
  streamWithTools: async (driver, client, ctx) => {
    const tools = async (): Promise<string> => 'done';
    const declared = {
      chat: newFunctionTool('save', 'Save.', { type: 'object' }),
      messages: { name: 'save', input_schema: { type: 'object' } },
      responses: { type: 'function', name: 'save' },
    };
    const request = driver.request('hi', { tools: [declared[driver.surface]] });
    const { error } = await taken(driver.service(client).streamWithTools(ctx, request, tools as never));
    throw error;
  },
};

const endings: readonly [string, Fault, string][] = [
  ['a stream that is cut off', faults.truncatedStream(), 'stream'],
  ['a reset', faults.resetMidBody(), 'connection'],
  ['an error in the stream', faults.inBandError('1234', 'broken', 5), 'api'],
  ['a malformed frame', faults.malformedFrame(5), 'stream'],
  ['silence', faults.silentAfterHeaders(5), 'timeout'],
];

function textOf(response: ModelsvcError['partial']): string {
  if (!response) return '';
  return 'choices' in response ? String(response.choices[0]?.message.content) : response.text();
}

async function failed(work: () => Promise<unknown>): Promise<ModelsvcError> {
  const error = await failureOf(work);
  if (!isModelsvcError(error)) throw error;
  return error;
}

onBothWays((driver, clientFor) => {
  describe.each(Object.entries(readings))('%s', (_name, read) => {
    test.each(endings)('%s leaves the response so far on the error', async (_ending, fault, kind) => {
      fake.answer(driver.operation, { ...fault, reply });
      const error = await failed(() => read(driver, clientFor(fake, { streamIdleTimeout: 200, maxRetries: 0 })));
      expect(error.kind).toBe(kind);
      expect(textOf(error.partial)).toMatch(/^whisper /);
    });

    test('a failure before the first item has no partial response', async () => {
      fake.answer(driver.operation, faults.error(400, '1210'));
      expect((await failed(() => read(driver, clientFor(fake)))).partial).toBeUndefined();
      fake.answer(driver.operation, faults.emptyStream());
      expect((await failed(() => read(driver, clientFor(fake)))).partial).toBeUndefined();
    });

    test('the partial response is in no message, inspection or JSON of the error', async () => {
      const seen: string[] = [];
      const note = (error: unknown): void => void seen.push(inspect(error, { depth: 9 }), JSON.stringify(error));
      const hook: Hook = { onError: (_meta, error) => note(error), onEnd: (_meta, outcome) => note(outcome) };
      fake.answer(driver.operation, { ...faults.truncatedStream(), reply });
      const error = await failed(() => read(driver, clientFor(fake, { hooks: [hook] })));
      note(error);
      expect(textOf(error.partial)).toContain('whisper');
      expect(seen.length).toBeGreaterThan(2);
      expect([String(error), error.stack, ...seen, JSON.stringify({ ...error })].join(' ')).not.toContain('whisper');
      expect(Object.keys(error)).not.toContain('partial');
    });
  });

  test('a reader who aborts has exactly the text that was read', async () => {
    fake.answer(driver.operation, { ...faults.keepAliveOnly(5, { chat: 3, messages: 5, responses: 6 }[driver.surface]), reply });
    const controller = new AbortController();
    let seen = '';
    const { error } = await taken(
      (async function* () {
        for await (const item of collecting(chunksOf(driver.stream(clientFor(fake), controller.signal)))) {
          seen += textIn([item]);
          if (seen !== '') controller.abort();
          yield item;
        }
      })(),
    );
    expect(isModelsvcError(error, 'abort') && [textOf(error.partial), seen]).toEqual(['whisper ', 'whisper ']);
  });

  test('a stream that is not collected has no partial response', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply });
    const { error } = await taken(driver.stream(clientFor(fake)));
    expect(error).not.toHaveProperty('partial');
  });

  test('a tool call that was cut off keeps what arrived', async () => {
    const frames = {
      chat: [
        'data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"save","arguments":"{\\"te"}}]}}]}\n\n',
      ],
      messages: [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"1","content":[],"usage":{}}}\n\n',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"save","input":{}}}\n\n',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"te"}}\n\n',
      ],
      responses: [
        'data: {"type":"response.created","response":{"id":"1"}}\n\n',
        'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"save","arguments":""}}\n\n',
        'data: {"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\\"te"}\n\n',
      ],
    };
    for (const read of Object.values(readings)) {
      fake.answer(driver.operation, { frames: frames[driver.surface] });
      const { partial } = await failed(() => read(driver, clientFor(fake)));
      const calls = {
        chat: () => (partial as ChatResponse).choices[0]?.message.tool_calls?.[0]?.function?.arguments,
        messages: () => ((partial as AnthropicReply).content[0] as AnthropicResponseToolUse).input,
        responses: () => (partial as ResponsesReply).toolCalls()[0]?.arguments,
      };
      expect(calls[driver.surface]()).toBe('{"te');
    }
  });
});
