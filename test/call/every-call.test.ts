import { describe, expect, it } from 'vitest';
import { type AbortError, isAbortError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { altered, expectNothingSent } from '../support/altered.ts';
import { everyOperation } from '../support/every-operation.ts';
import { everyWay } from '../support/every-way.ts';
import { openFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

const _hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('the context of every operation', () => {
  // A binding has its signal in the init of openapi-fetch.
  it.each(everyWay.filter(([way]) => way !== 'a binding'))('%s sends nothing when it is cancelled before', async (_way, perform) => {
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    for (const ctx of [signal, { signal }, { signal: [new AbortController().signal, signal] }]) {
      const { fake } = await openFake();
      let fired = 0;
      const fire = (): number => fired++;
      const hooks = [{ onRequest: fire, onResponse: fire, onError: fire, onChunk: fire }];
      const error = await failureOf(() => perform(altered(newClient(fake.configFor({ hooks })), ([, ...rest]) => [ctx, ...rest])));
      expect(error).toSatisfy(isAbortError);
      const { operation, message, cause } = error as AbortError;
      expect([cause, message]).toEqual([reason, expect.stringContaining(operation)]);
      expectNothingSent(fake);
      expect(fired).toBe(0);
    }
  });

  it.each(Object.entries(everyOperation))('%s is torn down when it is cancelled while it waits', async (_id, { perform }) => {
    const { fake } = await openFake();
    const controller = new AbortController();
    fake.fallback('*', () => {
      // The request is there, and is never answered.
      setImmediate(() => controller.abort());
      return faults.silentBeforeHeaders();
    });
    const client = altered(newClient(fake.configFor()), ([, ...rest]) => [controller.signal, ...rest]);
    expect(await failureOf(() => perform(client))).toSatisfy(isAbortError);
    await fake.idle({ sockets: true });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('what every request has', () => {
  it.each(Object.entries(everyOperation))('%s has key, User-Agent and one pair of hook firings', async (_id, { surface, perform }) => {
    const { fake } = await openFake();
    const fired: string[] = [];
    const hook = {
      onRequest: () => void fired.push('request'),
      onResponse: () => void fired.push('response'),
      onError: () => void fired.push('error'),
    };
    const keys = { apiKey: 'main-key', chinaAPIKey: 'china-key' };
    const client = newClient(fake.configFor({ ...keys, userAgent: 'My Tool/1.0 (+https://example.com; x86)', hooks: [hook] }));
    // The fake refuses every key but its own.
    expect(await failureOf(() => perform(client))).toMatchObject({ name: 'ApiError', category: 'auth' });
    const [request, ...more] = fake.requests;
    expect(more).toEqual([]);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${surface === 'china' ? 'china-key' : 'main-key'}`,
      'user-agent': 'My Tool/1.0 (+https://example.com; x86)',
    });
    expect(request?.headers).not.toHaveProperty('x-api-key');
    expect('anthropic-version' in (request?.headers ?? {})).toBe(surface === 'messages');
    expect(fired).toEqual(['request', 'error']);
  });
});
