// Every async iterable that a public name returns, left while an item is awaited: it ends at once, and so does its socket.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  answerDeltas,
  type Client,
  collecting,
  defineTool,
  mapCalls,
  newClient,
  opened,
  speechBytes,
  textDeltas,
  toReadableStream,
  toResponse,
  toSSE,
} from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { surfaces, transports } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { strictRejections } from '../support/strict-rejections.ts';

const fake = await sharedFake();

type Iterator = AsyncIterableIterator<unknown>;

const messages = [{ role: 'user' as const, content: 'hi' }];
const speech = { model: 'glm-tts', input: 'a', voice: 'tongtong' };
const tools = [defineTool({ name: 'f', description: 'F.', input: {}, run: () => 'done' })];

const streams: Readonly<Record<string, (client: Client) => Iterator>> = {
  ...Object.fromEntries(
    surfaces.flatMap((driver) => {
      const withTools = (c: Client): Iterator => driver.service(c).streamWithTools(undefined, driver.request('hi'), tools as never);
      const ways = {
        stream: driver.stream,
        collecting: (c: Client) => collecting(driver.stream(c) as never) as Iterator,
        streamWithTools: withTools,
      };
      return Object.entries(ways).flatMap(([name, open]) => [
        [`${name} of ${driver.surface}`, open],
        [`textDeltas of ${name} of ${driver.surface}`, (c: Client) => textDeltas(open(c) as never)],
        [`answerDeltas of ${name} of ${driver.surface}`, (c: Client) => answerDeltas(open(c) as never)],
      ]);
    }),
  ),
  'stream of agents': (c) => c.agents().stream(undefined, { agent_id: 'a', messages }),
  transcribeStream: (c) => c.audio().transcribeStream(undefined, { model: 'glm-asr-2512', file: new Uint8Array([1]) }),
  speechStream: (c) => c.audio().speechStream(undefined, speech),
  speechBytes: (c) => speechBytes(c.audio().speechStream(undefined, speech)),
};
const others: Readonly<Record<string, (client: Client) => Iterator>> = {
  'listAll of files': (c) => c.files().listAll(undefined, { purpose: 'batch' }),
  'listAll of batch': (c) => c.batch().listAll(undefined),
  mapCalls: (c) => mapCalls(['a', 'b'], (_, ctx) => c.models().refreshCache(ctx)),
  'mapCalls in order': (c) => mapCalls(['a', 'b'], (text, ctx) => c.chat().createSimple(ctx, 'glm-5.2', text), { ordered: true }),
};

describe.each(transports)('$transport', ({ transport, overrides }) => {
  // Helpers for a stream of the client work the same over both.
  const own = Object.entries({ ...streams, ...others }).filter(
    ([name]) => transport === 'node:http' || /^(?:stream|transcribe|speechStream|listAll)/.test(name),
  );

  describe.each(own)('%s', (name, open) => {
    const moments = name in streams ? ['before the reply', 'between two items'] : ['before the reply'];

    test.each(moments.flatMap((moment) => (['return', 'throw'] as const).map((way) => [way, moment] as const)))('%s %s', async (way, moment) => {
      fake.fallback('*', moment === 'before the reply' ? faults.silentBeforeHeaders() : faults.silentAfterHeaders(8));
      const rejections = strictRejections();
      const iterator = open(newClient(fake.configFor(overrides)));
      const waiting = Array.from({ length: 30 }, () => iterator.next());
      await until(() => fake.requests.length > 0);
      if (moment !== 'before the reply' && !/speech|transcribe/i.test(name)) await waiting[0];
      await turns();
      const reason = new Error('mine');
      if (way === 'return') expect(await iterator.return?.()).toEqual({ value: undefined, done: true });
      else expect(await iterator.throw?.(reason).catch((error: unknown) => error)).toBe(reason);
      expect(await waiting.at(-1)).toEqual({ value: undefined, done: true });
      await Promise.all(waiting);
      expect(await iterator.next()).toEqual({ value: undefined, done: true });
      await fake.idle();
      expect(fake.requests.map(({ outcome }) => outcome)).toEqual(fake.requests.map(() => 'left'));
      expect(await rejections.settled()).toEqual([]);
    });

    test.each([
      ['toReadableStream', toReadableStream as (stream: Iterator) => ReadableStream<unknown>],
      ['toSSE', toSSE as (stream: Iterator) => ReadableStream<unknown>],
    ])('%s over it sends no request before it is read, and its cancel closes the socket', async (_name, convert) => {
      fake.fallback('*', faults.silentBeforeHeaders());
      const reader = convert(open(newClient(fake.configFor(overrides)))).getReader();
      await turns();
      expect(fake.requests).toEqual([]);
      const waiting = reader.read();
      await until(() => fake.requests.length > 0);
      await reader.cancel();
      expect((await waiting).done).toBe(true);
      await fake.idle();
    });

    test.each<[string, (stream: Iterator) => Promise<unknown>]>([
      ['opened', async (stream) => (await opened(stream)).late],
      ['toResponse', async (stream) => (await (await toResponse(stream, { onError: false })).text()) !== 'data: [DONE]\n\n'],
    ])('return while %s waits for its first part', async (_name, wait) => {
      fake.fallback('*', faults.silentBeforeHeaders());
      const iterator = open(newClient(fake.configFor(overrides)));
      const waiting = wait(iterator);
      await until(() => fake.requests.length > 0);
      await iterator.return?.();
      expect(await waiting).toBe(false);
      await fake.idle();
      expect(fake.requests.map(({ outcome }) => outcome)).toEqual(fake.requests.map(() => 'left'));
    });

    test('cancel of the body of toResponse, after the time to wait', async () => {
      fake.fallback('*', faults.silentBeforeHeaders());
      const { status, body } = await toResponse(open(newClient(fake.configFor(overrides))), { onError: false, within: 1 });
      await until(() => fake.requests.length > 0);
      await body?.cancel();
      await fake.idle();
      expect([status, ...fake.requests.map(({ outcome }) => outcome)]).toEqual([200, ...fake.requests.map(() => 'left')]);
    });
  });
});

test('an iterable of the caller that never settles ends the wait too', async () => {
  const never = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined), return: () => new Promise<never>(() => undefined) }),
  };
  for (const iterator of [textDeltas(never), speechBytes(never), mapCalls(never, async () => 1)]) {
    const waiting = iterator.next();
    await turns();
    expect(await iterator.return()).toEqual({ value: undefined, done: true });
    expect(await waiting).toEqual({ value: undefined, done: true });
  }
});

test('left before the first item, it sends no request', async () => {
  const client = newClient(fake.configFor());
  for (const open of Object.values({ ...streams, ...others })) {
    const iterator = open(client);
    expect(await iterator.return?.()).toEqual({ value: undefined, done: true });
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  }
  expect(fake.requests).toEqual([]);
  const wrong = textDeltas(undefined as never);
  expect(await wrong.next().catch(ofKind('validation'))).toBe(true);
  expect(await wrong.next()).toEqual({ value: undefined, done: true });
});

test('every public name that returns one is in the table', () => {
  const page = readFileSync('docs/api.md', 'utf8');
  const names = [...page.matchAll(/^\| `(\w+)(?:<.*?>)?\(.*?\): (?:AsyncGenerator|EventStream|ToolStream|CollectingStream|AsyncIterable)/gm)].map(
    ([, name]) => name,
  );
  const tested = Object.keys({ ...streams, ...others }).flatMap((name) => name.split(' '));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !tested.includes(name as string))).toEqual([]);
});
