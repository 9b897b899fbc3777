import { describe, expect, test } from 'vitest';
import { type FetchLike, isConnectionError, newClient } from '../../src/overlay/index.ts';
import { surfaces, taken } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';

const json = { 'content-type': 'application/json' };
const bodyOf = (block: unknown): ReadableStream =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(block);
      controller.close();
    },
  });

/** Results that a wrapper or a mock may give in place of a Response. */
const answers: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  'a text': () => '{}',
  'an object without headers': () => ({ ok: true, status: 200, json: () => Promise.resolve({}) }),
  'an object with plain headers': () => ({ status: 200, headers: json, body: null }),
  'an object without a status': () => ({ headers: new Headers(json), body: null }),
  'a body of texts': () => ({ status: 200, headers: new Headers(json), body: bodyOf('{"id":"1"}') }),
  'a body of buffers': () => ({ status: 200, headers: new Headers(json), body: bodyOf(new TextEncoder().encode('{"id":"1"}').buffer) }),
  'a body of another kind': () => ({ status: 200, headers: new Headers(json), body: { pipe() {} } }),
};

describe.each(surfaces)('$surface', (driver) => {
  test.each(Object.entries(answers))('a billed call whose httpClient resolves with %s is not sent again', async (_what, answer) => {
    let sent = 0;
    const httpClient = (() => {
      sent++;
      return Promise.resolve(answer());
    }) as unknown as FetchLike;
    const client = newClient({ apiKey: 'test-key', httpClient, retryDelay: 1 });
    for (const error of [await failure(driver.create(client)), (await taken(driver.stream(client))).error]) {
      expect(error).toSatisfy(isConnectionError);
      expect(error).toMatchObject({ replied: true, attempts: 1, cause: expect.any(TypeError) });
    }
    expect(sent).toBe(2);
  });
});
