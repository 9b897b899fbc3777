import { describe, expect, test } from 'vitest';
import { isApiError, isModelsvcError, type OperationOutcome } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { sharedFake } from '../support/fake.ts';
import { ask, askings, read, transports } from './support.ts';

const fake = await sharedFake();
const body = { stream: true };

describe.each(transports)('$transport', ({ options }) => {
  describe.each(askings)('$surface', (asking) => {
    const { ending } = asking;

    test('a stream is passed on whole, as an event stream with the request id', async () => {
      fake.answer(asking.operation, { turn: { text: ['Grüße ', 'aus ', '北京'] } });
      const response = await ask(fake, asking, options, { body });
      const { text, error } = await read(response);
      expect(error).toBeUndefined();
      for (const part of ['Grüße ', 'aus ', '北京']) expect(text).toContain(part);
      expect(text).toMatch(ending);
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(response.headers.get('x-request-id')).toBe(fake.requests[0]?.requestId);
    });

    test.each([
      ['CR line ends', faults.cr()],
      ['a byte order mark', faults.byteOrderMark()],
    ])('%s: the client gets plain frames and the end', async (_title, fault) => {
      fake.answer(asking.operation, { ...fault, reply: { turn: { text: ['a', 'b'] } } });
      const { text, error } = await read(await ask(fake, asking, options, { body }));
      expect(error).toBeUndefined();
      expect(text).toMatch(ending);
      expect(text).not.toMatch(/\r|\uFEFF/);
    });

    test.each([
      ['a clean end', faults.truncatedStream('frame', 'end')],
      ['half a frame', faults.truncatedStream('midFrame', 'end')],
      ['a malformed frame', faults.malformedFrame(2)],
    ])('a stream that is cut by %s errors the body with a StreamError', async (_title, fault) => {
      fake.answer(asking.operation, fault);
      const { text, error } = await read(await ask(fake, asking, options, { body }));
      expect(isModelsvcError(error, 'stream')).toBe(true);
      expect(text).toContain('data: {');
      expect(text).not.toMatch(ending);
    });

    test.each([
      ['a reset', faults.resetMidBody()],
      ['a closed connection', faults.truncatedStream('frame', 'close')],
    ])('a stream that is cut by %s errors the body with a ConnectionError', async (_title, fault) => {
      fake.answer(asking.operation, fault);
      const { error } = await read(await ask(fake, asking, options, { body }));
      expect(error).toMatchObject({ name: 'ConnectionError', phase: 'body' });
    });

    test('a stream that falls silent errors the body with a TimeoutError', async () => {
      fake.answer(asking.operation, faults.silentAfterHeaders(2));
      const { text, error } = await read(await ask(fake, asking, { ...options, streamIdleTimeout: 300 }, { body }));
      expect(isModelsvcError(error, 'timeout')).toBe(true);
      expect(text).toContain('data: {');
    });

    test('a stream that is silent from the start is a status that no client retries', async () => {
      fake.answer(asking.operation, faults.silentAfterHeaders(0));
      const response = await ask(fake, asking, { ...options, streamIdleTimeout: 300 }, { body });
      expect([response.status, response.headers.get('x-modelsvc-status')]).toEqual([400, '504']);
    });

    test('an error in the middle errors the body with an ApiError that has the code', async () => {
      fake.answer(asking.operation, faults.inBandError('1305', 'busy', 2));
      const { text, error } = await read(await ask(fake, asking, options, { body }));
      expect(isApiError(error) && error.code).toBe('1305');
      expect(text).toContain('data: {');
    });

    // Like with the platform's fetch, also where the reason is unusual.
    test.each([new Error('enough'), null, 0])("aborting errors the body with the caller's reason %s and closes the socket", async (reason) => {
      fake.answer(asking.operation, faults.silentAfterHeaders(2));
      const controller = new AbortController();
      const response = await ask(fake, asking, options, { body, signal: controller.signal });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      const rest = (async () => {
        for (;;) if ((await reader.read()).done) return;
      })();
      controller.abort(reason);
      await expect(rest).rejects.toBe(reason);
      await fake.idle();
      expect(fake.requests[0]?.outcome).toBe('left');
    });

    test.each([undefined, null, 0])("aborting before the headers rejects with the caller's reason %s", async (reason) => {
      fake.answer(asking.operation, faults.silentBeforeHeaders());
      const controller = new AbortController();
      const pending = ask(fake, asking, options, { body, signal: controller.signal });
      await expect.poll(() => fake.requests.length).toBe(1);
      controller.abort(reason);
      await expect(pending).rejects.toBe(controller.signal.reason);
    });

    test('canceling the body closes the socket and ends the operation', async () => {
      fake.answer(asking.operation, faults.silentAfterHeaders(2));
      const ends: string[] = [];
      const hooks = [{ onEnd: (_meta: unknown, { kind }: OperationOutcome) => void ends.push(kind) }];
      const response = await ask(fake, asking, { ...options, hooks }, { body });
      await response.body?.cancel();
      await fake.idle();
      expect(ends).toEqual(['cancelled']);
    });
  });
});
