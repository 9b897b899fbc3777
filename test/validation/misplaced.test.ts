import { describe, expect, it } from 'vitest';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { type Client, type Config, newClient, RegionChina } from '../../src/overlay/index.ts';
import { fakeKey } from '../../src/testing/index.ts';
import { altered } from '../support/altered.ts';
import { everyOperation } from '../support/every-operation.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

const values = {
  signal: new AbortController().signal,
  timeout: 1,
  maxRetries: 0,
  retryFor: 1,
  headers: { 'x-a': '1' },
  queueTimeout: 1,
  rawBody: true,
  wholeReplies: true,
};
const words = (name: string): string => `${name} is an option of the call: pass { ${name} } as the first argument`;

/** Operations with a body, then those whose method takes a filter. */
const withBody = allRoutes.filter((route) => route.request !== undefined);
const withQuery = allRoutes.filter((route) => ['files.list', 'batch.list', 'voice.list'].includes(route.id));
const own = ({ rules }: Route): object => ({ ...rules?.body?.properties, ...rules?.parameters?.properties });
const rows = [...withBody, ...withQuery].flatMap((route) =>
  Object.entries(values).flatMap(([name, value]) => (name in own(route) ? [] : [[route.id, name, value] as const])),
);

/** Performs an operation with a field more in its request, with the context and without it. */
function forms(client: Client, id: string, field: object): (() => Promise<unknown>)[] {
  const more = (request: unknown): object => ({ ...(request as object), ...field });
  const long = altered(client, ([ctx, request, ...rest]) => [ctx, more(request), ...rest]);
  const short = altered(client, ([, request, ...rest]) => [more(request), ...rest]);
  return [long, short].map((one) => () => everyOperation[id]?.perform(one) as Promise<unknown>);
}

describe('an option of a call inside of a request', () => {
  const fields = rows.map(([id]) => id);
  it('is tried in every operation', () => expect(new Set(fields).size).toBe(withBody.length + withQuery.length));

  it.each(rows)('of %s, %s, is refused on the hosts of the service, before a request', async (id, name, value) => {
    for (const config of [{}, { region: RegionChina }, { baseURL: 'https://api.z.ai/api/coding/paas/v4' }] satisfies Partial<Config>[]) {
      const urls: string[] = [];
      const httpClient: NonNullable<Config['httpClient']> = async (url) => {
        urls.push(url);
        throw new Error('no network');
      };
      const client = newClient({ apiKey: 'any', httpClient, maxRetries: 0, ...config });
      const [long, short] = forms(client, id, { [name]: value });
      expect(await failureOf(() => long?.())).toMatchObject({ kind: 'validation', path: name, message: `${id}: ${words(name)}` });
      // The filter of `list` is a context then.
      const isQuery = id.endsWith('.list') && id !== 'files.list';
      expect(await failureOf(() => short?.())).toMatchObject({ kind: 'validation', path: isQuery ? 'ctx' : name });
      expect(urls).toEqual([]);
    }
  });

  it('is sent to a gateway, except a signal', async () => {
    const { fake } = await openFake({}, { validate: false });
    const client = newClient(fake.configFor({ serviceRules: false }));
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const { signal, ...others } = values;
    await client.chat().create({ model: 'm', messages, ...(others as object) });
    expect(fake.requests[0]?.body).toMatchObject(others);
    for (const call of [
      () => client.chat().create({ model: 'm', messages, ...({ signal } as object) }),
      () => client.files().list({ purpose: 'batch', ...{ signal } }),
    ])
      expect(await failureOf(call)).toMatchObject({ kind: 'validation', path: 'signal', problem: expect.stringContaining('first argument') });
    expect(fake.requests).toHaveLength(1);
  });

  it('is sent if the operation has such a field, or none has a value', async () => {
    const { client, fake } = await openFake();
    await client.tools().webReader({ url: 'https://example.com', timeout: 20 });
    const absent = Object.fromEntries(Object.keys(values).map((name, at) => [name, at % 2 ? null : undefined]));
    await client.chat().create({ model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], ...absent });
    await client.chat().create({ model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], ...({ priority: 1, service: 'a' } as object) });
    expect(fake.requests.map(({ body }) => (body as { timeout?: number }).timeout)).toEqual([20, null, undefined]);
  });

  it('cannot be read, which is said', async () => {
    const { client } = await openFake();
    const request = Object.defineProperty({ model: 'm', messages: [] }, 'timeout', {
      enumerable: true,
      get: () => {
        throw new Error('secret');
      },
    });
    const error = await failureOf(() => client.embeddings().create(request as never));
    expect((error as Error).message).toBe('embeddings.create: the request cannot be checked: it is nested too deep, or one of its getters throws');
  });
});

describe('the fake', () => {
  const shared = sharedFake();
  const posted = withBody.filter(({ request, surface }) => request === 'json' && surface === 'chat');

  it.each(posted.map((route) => [route.id, route] as const))('refuses it on %s with the same words', async (_id, route) => {
    const fake = await shared;
    const { maxRetries } = values;
    const response = await fetch(fake.url + route.path, {
      method: route.method,
      headers: { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ maxRetries }),
    });
    expect([response.status, await response.json()]).toEqual([400, { error: { code: '1210', message: words('maxRetries') } }]);
  });

  it('refuses it in a query', async () => {
    const fake = await shared;
    const response = await fetch(`${fake.url}/files?purpose=batch&timeout=1`, { headers: { authorization: `Bearer ${fakeKey}` } });
    expect([response.status, await response.json()]).toEqual([400, { error: { code: '1210', message: words('timeout') } }]);
  });
});
