import { describe, expect, test } from 'vitest';
import { isApiError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

describe.each(transports)('bindings over $transport', ({ overrides }) => {
  test.each([204, 205, 304])('status %i, which has no body, is a response without data', async (status) => {
    fake.answer('models.list', { body: '', status });
    const { data, response } = await newClient(fake.configFor(overrides)).bindings('chat').GET('/models');
    expect([response.status, data]).toEqual([status, undefined]);
  });

  test.each([{}, { concurrency: 'auto' } as const])('a refusal for too many calls is a response too, with %j', async (more) => {
    fake.answer('models.list', faults.rateLimit({ seconds: 0 })).answer('chat.create', faults.rateLimit({ seconds: 0 }));
    const chat = newClient(fake.configFor({ ...overrides, ...more, maxRetries: 0 })).bindings('chat');
    expect((await chat.GET('/models')).response.status).toBe(429);
    const { response, error } = await chat.POST('/chat/completions', { body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } });
    expect([response.status, error]).toMatchObject([429, { error: { code: '1302' } }]);
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
