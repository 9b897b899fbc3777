import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/overlay/index.ts';
import { type AbortError, type Client, type Context, isModelsvcError, mapCalls, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { altered, expectNothingSent } from '../support/altered.ts';
import { everyOperation, everyOtherMethod } from '../support/every-operation.ts';
import { everyWay } from '../support/every-way.ts';
import { openFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';

describe('the context of every operation', () => {
  // A binding has its signal in the init of openapi-fetch.
  it.each(everyWay.filter(([way]) => way !== 'a binding'))('%s sends no request when it is canceled before', async (_way, perform) => {
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    for (const ctx of [signal, { signal }, { signal: [new AbortController().signal, signal] }]) {
      const { fake } = await openFake();
      let fired = 0;
      const fire = (): number => fired++;
      const hooks = [{ onRequest: fire, onResponse: fire, onError: fire, onChunk: fire }];
      const error = await failureOf(() => perform(altered(newClient(fake.configFor({ hooks })), ([, ...rest]) => [ctx, ...rest])));
      expect(error).toSatisfy(ofKind('abort'));
      const { operation, message, cause } = error as AbortError;
      expect([cause, message]).toEqual([reason, expect.stringContaining(operation)]);
      expectNothingSent(fake);
      expect(fired).toBe(0);
    }
  });

  it.each(Object.entries(everyOperation))('%s is torn down when it is canceled while it waits', async (_id, { perform }) => {
    const { fake } = await openFake();
    const controller = new AbortController();
    fake.fallback('*', () => {
      // The request is there, and is never answered.
      setImmediate(() => controller.abort());
      return faults.silentBeforeHeaders();
    });
    const client = altered(newClient(fake.configFor()), ([, ...rest]) => [controller.signal, ...rest]);
    expect(await failureOf(() => perform(client))).toSatisfy(ofKind('abort'));
    await fake.idle({ sockets: true });
    expect(fake.requests).toHaveLength(1);
  });
});

const everyMethod: Readonly<Record<string, (client: Client) => unknown>> = {
  ...Object.fromEntries(Object.entries(everyOperation).map(([id, { perform }]) => [id, perform])),
  ...everyOtherMethod,
};

describe('a call without a context', () => {
  it.each(Object.entries(everyMethod))('%s sends what it sends with undefined as its context', async (_id, perform) => {
    // The fake refuses every key but its own, so each call ends with its first request, and a download with none.
    const keys = { apiKey: 'main-key', chinaAPIKey: 'china-key', maxRetries: 0 };
    const outcomes = await Promise.all(
      [false, true].map(async (isLeftOut) => {
        const { fake } = await openFake();
        const client = newClient(fake.configFor(keys));
        const error = await failureOf(async () => {
          await perform(isLeftOut ? altered(client, ([, ...rest]) => rest) : client);
          throw new Error('done');
        });
        await fake.idle();
        return [(error as AbortError).operation, fake.requests.map(({ method, path, bytes }) => ({ method, path, length: bytes.length }))];
      }),
    );
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

describe('a context of no kind', () => {
  const message = { role: 'user', content: 'hi' };
  const garbage: readonly unknown[] = [
    ...[0, 42, Number.NaN, '', 'x', true, false, 10n, Symbol('s'), () => undefined, [], [undefined], [new AbortController().signal]],
    ...[{ timeoutMs: 5 }, { signal: 1 }, { signal: [1] }, { signals: [] }, { messages: [message] }, { service: 5 }, { rawBody: 'yes' }],
  ];
  const withHooks = [{ hooks: [] }, { hooks: [{ onStart: () => undefined }] }];

  it.each(Object.entries(everyMethod))('%s refuses it, and sends no request', async (_id, perform) => {
    const { fake } = await openFake();
    const taken: unknown[] = [];
    const key = 'key-0123456789.secretpart';
    for (const config of withHooks)
      for (const ctx of [...garbage, { [key]: 1 }]) {
        const error = await failureOf(() => perform(altered(newClient(fake.configFor({ ...config, apiKey: key })), ([, ...rest]) => [ctx, ...rest])));
        if (!isModelsvcError(error, 'validation') || !error.path.startsWith('ctx') || inspect(error).includes(key)) taken.push([ctx, error]);
      }
    expect(taken).toEqual([]);
    expectNothingSent(fake);
  });

  it('is refused by the methods that have an answer kept', async () => {
    const { fake } = await openFake();
    const client = newClient(fake.configFor());
    await client.models().list(null);
    for (const [id, perform] of Object.entries(everyMethod).filter(([id]) => id.startsWith('models.')))
      for (const ctx of garbage)
        expect([id, await failureOf(() => perform(altered(client, ([, ...rest]) => [ctx, ...rest])))]).toEqual([
          id,
          expect.toSatisfy(ofKind('validation')),
        ]);
    expect(fake.requests).toHaveLength(1);
  });

  it('is refused by mapCalls and by every function that extends a context', async () => {
    const extending = Object.entries(library).filter(([name]) => /^with[A-Z]/.test(name)) as [string, (...given: unknown[]) => unknown][];
    expect(extending.map(([name]) => name).sort()).toEqual(['withModel', 'withService']);
    // The names of fields may be keys, so only a client names them in an error.
    for (const ctx of garbage.filter((one) => Array.isArray(one) || typeof one !== 'object')) {
      for (const [name, extend] of extending) {
        const error = await failureOf(() => extend(ctx));
        expect([name, ctx, error]).toEqual([name, ctx, expect.objectContaining({ operation: name, kind: 'validation' })]);
      }
      const error = await failureOf(() => mapCalls([1], async () => 1, { ctx: ctx as Context }).next());
      expect([ctx, error]).toEqual([ctx, expect.objectContaining({ operation: 'mapCalls', kind: 'validation' })]);
    }
  });

  it('every method of a client is in the table, and each accessor gives one object', () => {
    const withoutContext = ['batch.inputLine', 'models.isOutsideBatches', 'client.concurrency', 'client.with', 'client.close', 'client.bindings'];
    const ownMethods = ['getAsyncResult', 'waitForResult', 'fetchFile'];
    const client = newClient({ apiKey: 'any' });
    const methodsOf = (owner: object): string[] =>
      Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(owner))).flatMap(([name, { value }]) =>
        typeof value === 'function' && name !== 'constructor' && !name.startsWith('#') ? [name] : [],
      );
    const names = methodsOf(client).flatMap((name) => {
      const accessor = client[name as 'chat'];
      if (ownMethods.includes(name) || withoutContext.includes(`client.${name}`)) return [`client.${name}`];
      expect(accessor.call(client), name).toBe(accessor.call(client));
      return methodsOf(accessor.call(client)).map((method) => `${name}.${method}`);
    });
    expect(names.filter((name) => !withoutContext.includes(name)).sort()).toEqual(Object.keys(everyMethod).sort());
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
