import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { ApiError, type ConnectionError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';

const overlay = new URL('../../src/overlay/', import.meta.url);
const body = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

test('the error of an attempt is made in one place', () => {
  const places = readdirSync(overlay, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /new (ApiError|ConnectionError|TimeoutError)\(/.test(readFileSync(new URL(file, overlay), 'utf8')));
  // Lines of a batch and events that a caller passes belong to no attempt. The attempt of a key without a personal plan has succeeded.
  expect(places.sort()).toEqual(['call/attempt/failure.ts', 'errors/failure.ts', 'services/quota.ts']);
});

test('attempts, waits and request ids cannot be changed', () => {
  const change = (api: ApiError, connection: ConnectionError): void => {
    // @ts-expect-error
    api.attempts = 99;
    // @ts-expect-error
    api.waitedMs = 99;
    // @ts-expect-error
    connection.attempts = 99;
    // @ts-expect-error
    connection.requestId = '99';
  };
  expect(change).toBeTypeOf('function');
});

test.for(transports)('$transport: the bindings return only the refused reply that ends their call', async ({ overrides }, { fake }) => {
  let answer: ((fault: ReturnType<typeof faults.error>) => void) | undefined;
  let other: Promise<unknown> | undefined;
  fake.answer('chat.create', faults.error(500, '1234', 'network error'), () => new Promise((resolve) => (answer = resolve)));
  const client = newClient(
    fake.configFor({
      ...overrides,
      concurrency: 1,
      retryDelay: 1,
      // The other call takes the place before the second attempt, so that the first call waits for it.
      hooks: [{ onRetry: (_meta, _error, delayMs) => delayMs !== undefined && (other ??= failure(client.chat().create(undefined, body))) }],
    }),
  );
  const call = failure(client.bindings('chat').POST('/chat/completions', { body }));
  await until(() => answer !== undefined && client.concurrency('glm-5.2')?.waiting === 1);
  answer?.(faults.error(429, '1308', 'used up'));
  const error = await call;
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: '1308', attempts: 1, previous: { code: '1234', attempts: 1 } });
  expect(((await other) as ApiError).code).toBe('1308');
  // The next one is refused itself.
  fake.answer('chat.create', faults.error(400, '1214', 'no such parameter'));
  const { response, error: said } = await client.bindings('chat').POST('/chat/completions', { body });
  expect(response.status).toBe(400);
  expect(said).toMatchObject({ error: { code: '1214' } });
});
