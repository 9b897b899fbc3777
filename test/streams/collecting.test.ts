import { describe, expect, test } from 'vitest';
import {
  type AnthropicReply,
  type ChatChunk,
  type ChatResponse,
  type Client,
  type CollectingStream,
  collecting,
  isApiError,
  isModelsvcError,
  responseInfo,
  textDeltas,
  toReadableStream,
} from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken, textIn } from '../support/both-ways.ts';
import { turns } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

const calls = [{ id: 'call_1', name: 'save', arguments: { text: 'once' } }];
const reply = { turn: { reasoning: 'so then', text: ['one ', 'two ', 'three'], toolCalls: calls, usage: { input: 7, output: 3 } } };

type Collecting = CollectingStream<object, ChatResponse | AnthropicReply>;

function collectingOf(driver: SurfaceDriver, client: Client, ctx?: AbortSignal): Collecting {
  return collecting(driver.stream(client, ctx) as AsyncIterable<ChatChunk>) as unknown as Collecting;
}

/** The text of a whole or partial response of any surface. */
function textOf(response: object | undefined): string | undefined {
  const { choices, content, output, text } = (response ?? {}) as {
    choices?: { message: { content: string } }[];
    content?: { text?: string }[];
    output?: object[];
    text?: () => string;
  };
  if (output) return text?.call(response);
  return choices?.[0]?.message.content ?? content?.map(({ text: one }) => one ?? '').join('');
}

function same(response: object): unknown {
  const text = JSON.stringify(response).replace('"index":0,"id":"call_1"', '"id":"call_1"');
  // Items of a response have ids that contain the request's.
  const {
    id: _a,
    created: _b,
    created_at: _d,
    request_id: _c,
    ...rest
  } = JSON.parse(text.replaceAll(/"id":"(rs|msg)_\w+"/g, '"id":""')) as Record<string, unknown>;
  return rest;
}

onBothWays((driver, clientFor) => {
  test('prints while it streams, and then has what create returns, with usage and tool calls', async () => {
    fake.answer(driver.operation, reply, reply);
    const stream = collectingOf(driver, clientFor(fake));
    const pieces: string[] = [];
    for await (const piece of textDeltas(stream as AsyncIterable<ChatChunk>)) pieces.push(piece);
    expect(pieces).toEqual(['one ', 'two ', 'three']);
    const response = await stream.response();
    expect(same(response)).toEqual(same(await driver.create(clientFor(fake))));
    expect(response.usage).toMatchObject(driver.surface === 'chat' ? { prompt_tokens: 7 } : { input_tokens: 7 });
    expect(stream.response()).toBe(stream.response());
    expect(fake.requests).toHaveLength(2);
  });

  test('passes the same objects through, also to toReadableStream, and has the facts of the reply', async () => {
    fake.answer(driver.operation, reply, reply);
    const items: object[] = [];
    const source = driver.stream(clientFor(fake));
    const noted = { [Symbol.asyncIterator]: () => ({ next: async () => note(await source.next()) }) } as unknown as AsyncIterable<ChatChunk>;
    const note = (result: IteratorResult<object>): IteratorResult<object> => {
      if (!result.done) items.push(result.value);
      return result;
    };
    const passed = await taken(collecting(noted));
    expect(passed.items).toHaveLength(items.length);
    for (const [index, item] of passed.items.entries()) expect(item).toBe(items[index]);
    const stream = collectingOf(driver, clientFor(fake));
    expect(responseInfo(stream)).toBeUndefined();
    expect(textIn((await taken(toReadableStream(stream))).items)).toBe('one two three');
    expect(responseInfo(stream)).toMatchObject({ status: 200, attempts: 1 });
    expect(textOf(await stream.response())).toBe('one two three');
  });

  test('response() alone reads the stream; no request is sent before', async () => {
    fake.answer(driver.operation, reply);
    const stream = collectingOf(driver, clientFor(fake));
    await turns();
    expect(fake.requests).toHaveLength(0);
    expect(textOf(await stream.response())).toBe('one two three');
  });

  test.each(['before the loop, and awaited', 'before the loop', 'in the loop, and awaited', 'in the loop'])(
    'response() called %s takes no item from the loop',
    async (when) => {
      fake.answer(driver.operation, { ...faults.slowDrip(64, 1), reply });
      const stream = collectingOf(driver, clientFor(fake));
      const asked: Promise<object>[] = [];
      const ask = async (): Promise<void> => {
        asked.push(stream.response());
        if (when.endsWith('awaited')) await asked[0];
      };
      if (when.startsWith('before')) await ask();
      const items: object[] = [];
      for await (const item of stream) {
        items.push(item);
        if (items.length === 2 && when.startsWith('in')) await ask();
      }
      expect(textIn(items)).toBe('one two three');
      expect(textOf(await asked[0])).toBe('one two three');
      expect(textOf(await stream.response())).toBe('one two three');
    },
  );

  test('response() reads the rest when the loop has stopped without leaving', async () => {
    fake.answer(driver.operation, reply);
    const stream = collectingOf(driver, clientFor(fake));
    await stream.next();
    await stream.next();
    expect(textOf(await stream.response())).toBe('one two three');
    expect((await stream.next()).done).toBe(false);
  });

  test.each(['break', 'return', 'throw', 'textDeltas', 'cancel'])(
    'leaving by %s closes the socket; response() then rejects with the response so far',
    async (how) => {
      fake.answer(driver.operation, { ...faults.keepAliveOnly(5, { chat: 4, messages: 9, responses: 14 }[driver.surface]), reply });
      const rejections = strictRejections();
      const stream = collectingOf(driver, clientFor(fake));
      // A response() that waits already must end as well.
      const asked = how === 'break' ? stream.response() : undefined;
      let seen = '';
      if (how === 'textDeltas') {
        for await (const piece of textDeltas(stream as AsyncIterable<ChatChunk>)) {
          seen += piece;
          break;
        }
      } else if (how === 'cancel') {
        const reader = toReadableStream(stream).getReader();
        while (seen === '') seen = textIn([(await reader.read()).value as object]);
        await reader.cancel();
      } else {
        const left = new Error('enough');
        const reading = async (): Promise<void> => {
          while (seen === '') seen = textIn([(await stream.next()).value as object]);
          if (how === 'return') expect(await stream.return()).toEqual({ value: undefined, done: true });
          else if (how === 'throw') await expect(stream.throw(left)).rejects.toBe(left);
          else for await (const _ of stream) break;
        };
        await reading();
      }
      await fake.idle();
      expect(fake.requests[0]?.outcome).toBe('left');
      expect(await stream.next()).toEqual({ value: undefined, done: true });
      const error = await failureOf(() => asked ?? stream.response());
      if (!isModelsvcError(error, 'stream')) throw error;
      expect([error.problem, error.message.includes('left before its end'), error.requestId]).toEqual([
        'truncated',
        true,
        responseInfo(stream)?.requestId,
      ]);
      expect('one two three'.startsWith(textOf(error.partial) ?? 'none')).toBe(true);
      expect(textOf(error.partial)).toContain(seen);
      expect(await failureOf(() => stream.response())).toBe(error);
      expect(await rejections.settled()).toEqual([]);
    },
  );

  test('leaving before the request sends no request, and leaves no response', async () => {
    const stream = collectingOf(driver, clientFor(fake));
    await stream.return();
    const error = await failureOf(() => stream.response());
    expect(isModelsvcError(error, 'stream') && [error.problem, error.partial]).toEqual(['truncated', undefined]);
    expect(fake.requests).toHaveLength(0);
  });

  test('is iterated once, and has its response after it was left at its end', async () => {
    fake.answer(driver.operation, reply);
    const stream = collectingOf(driver, clientFor(fake));
    await taken(stream);
    const { error } = await taken(stream);
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('used');
    await stream.return();
    expect(textOf(await stream.response())).toBe('one two three');
  });

  test.each(['never', 'before', 'after'])('the loop throws the error of the stream; response(), called %s, has the same', async (when) => {
    fake.answer(driver.operation, { ...faults.inBandError('1234', 'broken', 6), reply });
    const rejections = strictRejections();
    const stream = collectingOf(driver, clientFor(fake));
    const asked = when === 'before' ? stream.response() : undefined;
    const { items, error } = await taken(stream);
    expect(isApiError(error) && error.code).toBe('1234');
    expect(items.length).toBeGreaterThan(0);
    if (when !== 'never') expect(await failureOf(() => asked ?? stream.response())).toBe(error);
    expect(await rejections.settled()).toEqual([]);
  });
});

async function* given(items: readonly unknown[]): AsyncGenerator<never, void, undefined> {
  for (const item of items) yield item as never;
}

describe('a stream of other code', () => {
  test.each([
    ['not an object', [{ choices: [{ index: 0, delta: { content: 'a' } }] }, 5]],
    ['a block without its start', [{ type: 'content_block_delta', data: { type: 'content_block_delta', index: 0, delta: {} } }]],
  ])('with %s: the loop sees it, and response() rejects', async (_what, items) => {
    const stream = collecting(given([...items, items[0]]));
    expect((await taken(stream)).items).toEqual([...items, items[0]]);
    const error = await failureOf(() => stream.response());
    expect(isModelsvcError(error, 'stream') && error.problem).toBe('malformed');
  });

  test('a malformed tool call rejects with the response so far', async () => {
    const chunk = { choices: [{ index: 0, delta: { content: 'hi', tool_calls: [{ index: 0, id: 'a' }] }, finish_reason: 'tool_calls' }] };
    const error = await failureOf(() => collecting(given([chunk])).response());
    expect(isModelsvcError(error, 'stream') && [error.problem, textOf(error.partial)]).toEqual(['malformed', 'hi']);
  });

  test('keeps its own errors', async () => {
    const own = new TypeError('of the user');
    const failing = async function* (): AsyncGenerator<ChatChunk> {
      yield { choices: [{ index: 0, delta: { content: 'a' } }] };
      throw own;
    };
    const stream = collecting(failing());
    expect(await failureOf(() => stream.response())).toBe(own);
    expect(Object.getOwnPropertyNames(own)).not.toContain('partial');
  });

  test.each<[string, (stream: AsyncIterable<ChatChunk>) => AsyncIterable<object>]>([
    ['collecting', collecting],
    ['toReadableStream', toReadableStream],
  ])('%s refuses a result of next() that is not an object, like a loop', async (name, over) => {
    let count = 0;
    const next = (): unknown => (count++ < 3 ? 7 : { done: true });
    const { items, error } = await taken(over({ [Symbol.asyncIterator]: () => ({ next }) } as never));
    expect(items).toEqual([]);
    expect(error).toEqual(new TypeError(`${name}: stream: Iterator result 7 is not an object`));
  });

  test('50,000 items read ahead by response() reach the loop in order', async () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ choices: [{ index: 0, delta: { content: `${index} ` } }] }));
    const stream = collecting(given(items));
    const response = await stream.response();
    const got = (await taken(stream)).items;
    expect(got.length).toBe(items.length);
    expect(got.findIndex((item, index) => item !== items[index])).toBe(-1);
    expect(textOf(response)).toBe(items.map((_, index) => `${index} `).join(''));
  });
});
