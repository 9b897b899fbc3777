import { describe, expect, test } from 'vitest';
import { isApiError, newClient } from '../../src/overlay/index.ts';
import { transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

describe.each(transports)('bindings over $transport', ({ overrides }) => {
  test.each([204, 205, 304])('status %i, which has no body, is a response without data', async (status) => {
    fake.answer('models.list', { body: '', status });
    const { data, response } = await newClient(fake.configFor(overrides)).bindings('chat').GET('/models');
    expect([response.status, data]).toEqual([status, undefined]);
  });

  test.each([600, 999])('status %i, which no Response can have, is a typed error', async (status) => {
    fake.answer('models.list', { body: 'odd', status });
    const error = await newClient(fake.configFor({ ...overrides, maxRetries: 0 }))
      .bindings('chat')
      .GET('/models')
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(isApiError(error) && error.status).toBe(status);
  });
});
