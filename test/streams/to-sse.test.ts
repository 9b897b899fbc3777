// A stream on its way to a browser: the bytes that `toSSE` makes of it.
import { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { type ChatChunk, isApiError, newClient, toSSE } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import type { SSEOptions } from '../../src/types/index.ts';
import { collectedOf, surfaces, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const reply = { turn: { reasoning: 'so then', text: ['one\n', 'two ', '三'] } };
const headers = { 'content-type': 'text/event-stream' };

interface Event {
  readonly event: string | undefined;
  readonly data: string;
}

/** The events that a page would get. */
async function eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Event[]> {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => void events.push({ event, data }) });
  parser.feed(await new Response(body).text());
  return events;
}

describe.each(surfaces)('$surface', (driver) => {
  test('a client of the surface reads the same items from it', async () => {
    fake.answer(driver.operation, reply, reply);
    const { items } = await taken(driver.stream(newClient(fake.configFor())));
    const middle = toSSE(driver.stream(newClient(fake.configFor())));
    const page = newClient({ apiKey: 'page', httpClient: () => Promise.resolve(new Response(middle, { headers })) });
    const read = await taken(driver.stream(page));
    expect([read.error, textIn(read.items), read.items.length]).toEqual([undefined, textIn(items), items.length]);
  });

  test('a reader of the surface gets that error as an error, and no part of an answer as a whole one', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply });
    const middle = toSSE(driver.stream(newClient(fake.configFor())));
    const page = newClient({ apiKey: 'page', httpClient: () => Promise.resolve(new Response(middle, { headers })) });
    expect(await failure(collectedOf(driver.stream(page)))).toSatisfy(isApiError);
  });
});

describe('heartbeats', () => {
  /** A source whose items the test gives. */
  function source(): { items: AsyncGenerator<string>; give(item: string): void } {
    const given: string[] = [];
    let wake = (): void => undefined;
    async function* items(): AsyncGenerator<string> {
      while (true) {
        for (const item of given.splice(0)) yield item;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    return {
      items: items(),
      give(item) {
        given.push(item);
        wake();
      },
    };
  }

  async function read(options: SSEOptions, act: (clock: { pass(ms: number): void }, give: (item: string) => void) => Promise<void>): Promise<string> {
    const clock = stoppedClock();
    const { items, give } = source();
    let text = '';
    const decoder = new TextDecoder();
    const reader = toSSE(items, options).getReader();
    const all = (async () => {
      for (let one = await reader.read(); !one.done; one = await reader.read()) text += decoder.decode(one.value);
    })();
    await turns();
    await act(clock, give);
    void reader.cancel();
    give('end');
    await all;
    return text;
  }

  test('are comments, only while no item comes', async () => {
    const text = await read({ heartbeat: 1000 }, async (clock, give) => {
      for (const step of ['give', 999, 'give', 999, 1, 1000, 'give', 1000] as const) {
        if (step === 'give') give('item');
        else clock.pass(step);
        await turns();
      }
    });
    expect(text).toBe('data: "item"\n\ndata: "item"\n\n:\n\n:\n\ndata: "item"\n\n:\n\n');
  });

  test('come after 15 s by default, and never with 0', async () => {
    const silent = async (clock: { pass(ms: number): void }): Promise<void> => {
      for (const ms of [14_999, 1]) {
        clock.pass(ms);
        await turns();
      }
    };
    expect(await read({}, silent)).toBe(':\n\n');
    expect(await read({ heartbeat: 0 }, silent)).toBe('');
  });
});

test('a failure while no one reads is not an unhandled rejection', async () => {
  let fail = (_error: Error): void => undefined;
  const broken = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<string>>((_, reject) => (fail = reject)) }) };
  const reader = toSSE(broken, { heartbeat: 1 }).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(':\n\n');
  fail(new Error('late'));
  await turns();
  expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^event: error\ndata: /);
  expect((await reader.read()).done).toBe(true);
});

test('the official client reads a chat stream through it', async () => {
  fake.answer('chat.create', reply);
  const stream = newClient(fake.configFor())
    .chat()
    .stream(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  const page = new OpenAI({ apiKey: 'page', baseURL: 'http://page.example', fetch: () => Promise.resolve(new Response(toSSE(stream), { headers })) });
  let text = '';
  for await (const chunk of await page.chat.completions.create({ model: 'x', messages: [], stream: true }))
    text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('one\ntwo 三');
  await until(() => fake.exchanges === 0);
});

test('a choice has its role once, and the chunks of the stream keep it', async () => {
  fake.answer('chat.create', reply, reply);
  const ask = () =>
    newClient(fake.configFor())
      .chat()
      .stream(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  const { items } = await taken(ask());
  const rolesOf = (chunks: readonly unknown[]) => chunks.map((chunk) => (chunk as ChatChunk).choices[0]?.delta.role);
  const events = (await eventsOf(toSSE(ask()))).slice(0, -1).map(({ data }): unknown => JSON.parse(data));
  expect(rolesOf(items)).toEqual(items.map(() => 'assistant'));
  expect(rolesOf(events)).toEqual(items.map((_, index) => (index === 0 ? 'assistant' : undefined)));
  expect(textIn(events as object[])).toBe(textIn(items));
});

test('choices of a stream have their own roles, and a chunk of another form is as it was', async () => {
  const chunk = (...choices: unknown[]): object => ({ id: '1', choices });
  const given = [
    chunk({ index: 0, delta: { role: 'assistant', content: 'a' } }, { index: 1, delta: { role: 'assistant' }, own: 1 }),
    chunk({ index: 1, delta: { role: 'assistant', content: 'b' }, own: 1 }, { index: 0, delta: { content: 'c' } }),
    chunk({ index: 0, delta: { role: 'tool', content: 'd' } }, { index: 0, delta: null }, null, 5),
    { id: '1', choices: null, usage: {} },
  ];
  const events = await eventsOf(toSSE(Readable.from(given)));
  const second = chunk({ index: 1, delta: { content: 'b' }, own: 1 }, { index: 0, delta: { content: 'c' } });
  expect(events.slice(0, -1).map(({ data }): unknown => JSON.parse(data))).toEqual([given[0], second, given[2], given[3]]);
});

test.each([
  ['stream', 'text', {}],
  ['stream', undefined, {}],
  ['options.heartbeat', [], { heartbeat: -1 }],
  ['options.heartbeat', [], { heartbeat: '5' }],
  ['options.onError', [], { onError: 'log' }],
  ['options.heartBeat', [], { heartBeat: 5 }],
])('%s is refused: %j', (path, stream, options) => {
  const items = Array.isArray(stream) ? (async function* () {})() : stream;
  expect(() => toSSE(items as never, options as never)).toThrow(expect.objectContaining({ kind: 'validation', operation: 'toSSE', path }));
});
