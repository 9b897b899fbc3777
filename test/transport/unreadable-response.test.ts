import { describe, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import type { FetchLike } from '../../src/types/index.ts';
import { surfaces, taken } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { ofKind } from '../support/of-kind.ts';

const json = { 'content-type': 'application/json' };
const bodyOf = (block: unknown): ReadableStream =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(block);
      controller.close();
    },
  });

/** Results that a wrapper or a mock may give instead of a Response, and the words for each. */
const answers: Readonly<Record<string, readonly [answer: () => unknown, words: string]>> = {
  undefined: [() => undefined, 'resolved with undefined'],
  null: [() => null, 'resolved with null'],
  'a text': [() => '{}', 'resolved with a string'],
  'an object without headers': [() => ({ ok: true, status: 200, json: () => Promise.resolve({}) }), 'an object of another kind'],
  'an object with plain headers': [() => ({ status: 200, headers: json, body: null }), 'an object of another kind'],
  'an object without a status': [() => ({ headers: new Headers(json), body: null }), 'an object of another kind'],
  'a body of texts': [() => ({ status: 200, headers: new Headers(json), body: bodyOf('{"id":"1"}') }), 'a body with a string'],
  'a body of buffers': [
    () => ({ status: 200, headers: new Headers(json), body: bodyOf(new TextEncoder().encode('{"id":"1"}').buffer) }),
    'a body with an object',
  ],
  'a body of another kind': [() => ({ status: 200, headers: new Headers(json), body: { pipe() {} } }), 'a body that is an object'],
};

describe.each(surfaces)('$surface', (driver) => {
  test.each(Object.entries(answers))(
    'an httpClient that resolves with %s is named, and a billed call is not sent again',
    async (_what, [answer, words]) => {
      let sent = 0;
      const httpClient = (() => {
        sent++;
        return Promise.resolve(answer());
      }) as unknown as FetchLike;
      const client = newClient({ apiKey: 'test-key', httpClient, retryDelay: 1 });
      for (const error of [await failure(driver.create(client)), (await taken(driver.stream(client))).error]) {
        expect(error).toSatisfy(ofKind('connection', 'timeout'));
        expect(error).toMatchObject({ replied: true, attempts: 1, cause: expect.any(TypeError) });
        expect(error).toMatchObject({ message: expect.stringMatching(`^${driver.operation.split('.')[0]}[.]\\w+: httpClient .*${words}.*Response`) });
      }
      expect(sent).toBe(2);
    },
  );
});
