import { describe, expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { serviceOf } from '../../src/overlay/call/request/call.ts';
import { type Client, type Config, type Hook, newClient } from '../../src/overlay/index.ts';
import { type FakeFile, type FakeRequest, fakeKey, faults } from '../../src/testing/index.ts';
import { settled, stoppedClock, until } from '../support/clock.ts';
import { everyOperation } from '../support/every-operation.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { startRawServer } from '../support/raw-server.ts';

const fake = await sharedFake({ validate: false });

/** The facts that a call derives from its operation and its body. */
interface Derived {
  readonly route: string;
  readonly surface: string | undefined;
  readonly method: string;
  readonly endpoint: string;
  readonly origin: string;
  readonly service: string;
  readonly model: string;
  /** Why the call is not sent again after a reply that broke off: `billed` if it bills. */
  readonly why: string;
}

type Watched = Required<Pick<Config, 'hooks' | 'maxRetries'>>;

/** Facts of the one call that `perform` makes. Its reply breaks off in the middle of the header. */
async function derived(perform: (watched: Watched) => Promise<unknown>): Promise<Derived> {
  const seen: { -readonly [Name in keyof Derived]?: Derived[Name] } = {};
  const hook: Hook = {
    onStart: ({ route, surface, method, endpoint, origin, service, model }) =>
      void Object.assign(seen, { route, surface, method, endpoint, origin, service, model }),
    onRetry: (_meta, _error, _delayMs, why) => void (seen.why = why),
  };
  fake.fallback('*', faults.halfHeader());
  await perform({ hooks: [hook], maxRetries: 0 }).catch(() => undefined);
  return seen as Derived;
}

/** The body of a request as its sender had it. */
function bodyOf({ body }: FakeRequest, { request }: Route): string | FormData | undefined {
  if (request !== 'multipart') return body === undefined ? undefined : JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body as Record<string, string | FakeFile>))
    form.set(name, typeof value === 'string' ? value : new Blob([value.bytes as Uint8Array<ArrayBuffer>]));
  return form;
}

function throughBindings(client: Client, route: Route, sent: FakeRequest): Promise<unknown> {
  const bindings = client.bindings(route.surface as 'chat');
  const body = bodyOf(sent, route);
  const path = Object.fromEntries(route.pathParameters.map((name) => [name, 'id']));
  const init = {
    params: { path, query: sent.method === 'GET' ? sent.parameters : {} },
    ...(body !== undefined && { body, bodySerializer: (given: unknown) => given }),
  };
  return bindings.request(route.method.toLowerCase() as 'get', route.path as '/models', init as Record<string, unknown>);
}

describe('a call has the same facts through a service, the bindings and modelsvc/fetch', () => {
  test.each(allRoutes.map((route) => [route.id, route] as const))('%s', async (id, route) => {
    const service = await derived((watched) => everyOperation[id]?.perform(newClient(fake.configFor(watched))) ?? Promise.reject(id));
    const [sent] = fake.requests as [FakeRequest];
    expect(service).toMatchObject({ route: id, endpoint: route.path, why: route.bills ? 'billed' : 'off' });
    const bindings = await derived((watched) => throughBindings(newClient(fake.configFor(watched)), route, sent));
    const fetched = await derived(({ maxRetries: _, ...watched }) =>
      serviceFetch({ baseURL: fake.url, ...watched })(new URL(sent.target, fake.url), {
        method: sent.method,
        headers: {
          authorization: `Bearer ${fakeKey}`,
          ...(route.surface === 'messages' && { 'anthropic-version': '2023-06-01' }),
          ...(route.request === 'json' && { 'content-type': 'application/json' }),
        },
        body: bodyOf(sent, route) ?? null,
      }),
    );
    expect({ bindings, fetched }).toEqual({ bindings: service, fetched: service });
    expect(fake.requests).toHaveLength(3);
  });
});

test.each([
  ['GET', 'off'],
  ['POST', 'billed'],
  ['DELETE', 'billed'],
] as const)('a %s of a path outside the spec has no service, and its failure is %s', async (method, why) => {
  const { url } = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'));
  const bindings = await derived((watched) =>
    newClient({ apiKey: fakeKey, baseURL: url, ...watched })
      .bindings('chat')
      .request(method.toLowerCase() as 'get', '/tool/v2' as '/models', {}),
  );
  const fetched = await derived(({ maxRetries: _, ...watched }) =>
    serviceFetch({ baseURL: url, ...watched })(`${url}/tool/v2`, { method, headers: { authorization: `Bearer ${fakeKey}` } }),
  );
  expect(bindings).toEqual({
    route: '',
    surface: 'chat',
    method,
    endpoint: '',
    origin: url,
    service: '',
    model: '',
    why,
  });
  expect(fetched).toEqual(bindings);
});

test('a service and the bindings of its path share one gate', async () => {
  const { fake: own, client } = await openFake({ concurrency: 1 });
  const waiting: (() => void)[] = [];
  own.fallback('tools.webSearch', () => new Promise((resolve) => waiting.push(() => resolve({ body: { search_result: [] } }))));
  const body = { search_query: 'a', search_engine: 'search_std' } as const;
  const calls = [client.tools().webSearch(undefined, body), client.bindings('chat').POST('/web_search', { body })];
  for (const _call of calls) {
    await until(() => waiting.length > 0);
    expect(await settled(() => waiting.length)).toBe(1);
    waiting.pop()?.();
  }
  await Promise.all(calls);
});

test('a poll of an agent, which is a POST that is free, is sent again by the bindings after a timeout of its header', async () => {
  const client = newClient(fake.configFor());
  fake.answer('agents.asyncResult', faults.silentBeforeHeaders());
  const clock = stoppedClock();
  const reply = client.bindings('agents').POST('/v1/agents/async-result', { body: { agent_id: 'a', async_id: 'b' } });
  await clock.until(() => fake.requests.length === 1);
  expect((await clock.run(reply, 1000)).data).toBeDefined();
  expect(fake.requests.map(({ operation }) => operation)).toEqual(['agents.asyncResult', 'agents.asyncResult']);
});

test('the service of an operation is the first word of its name', () => {
  expect(['chat.create', 'download', undefined].map((id) => serviceOf(id === undefined ? {} : { id }))).toEqual(['chat', 'download', '']);
});
