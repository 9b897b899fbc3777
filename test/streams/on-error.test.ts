// `onError` of what goes to a page: one table over its forms and over every function that takes it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pipeToResponse } from '../../src/node/index.ts';
import { StreamError, toResponse, toSSE } from '../../src/overlay/index.ts';
import { stoppedClock, turns } from '../support/clock.ts';

type OnError = (error: unknown) => unknown;

const circular: Record<string, unknown> = {};
circular['self'] = circular;

const log = new Error('the log is full');

/** A promise of another library. */
function thenable(then: (done: (value: unknown) => void) => void): object {
  return Object.defineProperty({}, 'then', { value: then });
}

function fails(): never {
  throw log;
}

/** Results of a caller's function, and the words for the page; undefined for our own. */
const forms: readonly [name: string, onError: OnError, shown?: unknown][] = [
  ['a value', () => ({ code: 7 }), { code: 7 }],
  ['a promise of a value', () => Promise.resolve({ code: 7 }), { code: 7 }],
  ['a promise of a later value', () => new Promise((resolve) => setImmediate(resolve, { code: 7 })), { code: 7 }],
  ['a thenable', () => thenable((done) => done({ code: 7 })), { code: 7 }],
  ['undefined', () => undefined],
  ['a promise of undefined', () => Promise.resolve(undefined)],
  ['an error', fails],
  ['a rejection', () => Promise.reject(log)],
  ['a thenable that throws', () => thenable(fails)],
  ['a value that is no JSON', () => Promise.resolve(circular)],
  ['a function', () => Promise.resolve(() => 1)],
];

async function* failing(items: readonly string[], error: unknown): AsyncGenerator<string> {
  yield* items;
  throw error;
}

/** The text of the page, for a stream that fails at once or after its first item. */
type Way = (stream: AsyncIterable<unknown>, onError: OnError) => Promise<string>;

const ways: Readonly<Record<string, Way>> = {
  toSSE: (stream, onError) => new Response(toSSE(stream, { onError })).text(),
  toResponse: async (stream, onError) => (await toResponse(stream, { onError })).text(),
  pipeToResponse: async (stream, onError) => {
    const server = createServer((_request, reply) => void pipeToResponse(stream, reply, { onError }));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  },
};

/** The data of the failure: of the last event, or of a complete response. */
function shownIn(text: string): unknown {
  return JSON.parse(text.match(/data: (.*)\n\n$/)?.[1] ?? text);
}

const error = new StreamError('chat.stream', 'truncated', 'cut off');
const own = (message: string, type = 'stream') => ({ error: { type, message } });

describe.each(Object.entries(ways))('%s', (_name, page) => {
  test.each(forms)('onError may return %s', async (_form, onError, shown) => {
    expect(shownIn(await page(failing([], error), onError))).toEqual(shown ?? own('No answer came.'));
    expect(shownIn(await page(failing(['one'], error), onError))).toEqual(shown ?? own('The answer ended early.'));
  });

  test('the kind of a foreign error does not reach the page', async () => {
    const foreign = Object.assign(new Error('x'), { kind: 'secret-table' });
    for (const thrown of [foreign, { kind: 'secret-table' }, 'secret-table'])
      expect(shownIn(await page(failing(['one'], thrown), () => undefined))).toEqual(own('The answer ended early.', 'unknown'));
  });
});

test('a page waits one second for onError, then it gets our own words', async () => {
  const clock = stoppedClock();
  const text = ways['toSSE']?.(failing(['one'], error), () => new Promise(() => undefined));
  let isOver = false;
  void text?.then(() => (isOver = true));
  await turns();
  clock.pass(999);
  await turns();
  expect(isOver).toBe(false);
  clock.pass(1);
  expect(shownIn((await text) ?? '')).toEqual(own('The answer ended early.'));
});
