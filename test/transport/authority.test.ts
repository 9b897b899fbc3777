import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { connect, type NetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, rootCertificates } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';
import { Chat, newService } from '../../src/services/index.ts';
import type { FakeService } from '../../src/testing/index.ts';
import { surfaces, taken } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { routeBy } from '../support/dial.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { ca, serverTls } from '../support/tls.ts';

const chat = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

async function secureFake(): Promise<FakeService> {
  const { fake } = await openFake({}, { tls: serverTls });
  return fake;
}

function clientOf(fake: FakeService, config: Partial<Config> = {}): Client {
  const client = newClient(fake.configFor({ maxRetries: 0, ...config }));
  onTestFinished(() => client.close());
  return client;
}

const create = (client: Client): Promise<unknown> => client.chat().create(undefined, chat);

function refusal(config: unknown): Promise<unknown> {
  return failure(Promise.resolve().then(() => newClient(config as Config)));
}

describe('ca', () => {
  test('without it a private authority is refused, with the cause', async () => {
    const fake = await secureFake();
    const error = await failure(create(clientOf(fake)));
    expect(error).toMatchObject({ kind: 'connection', phase: 'tls', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(error).toMatchObject({ cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', message: expect.stringContaining('verify') } });
    expect(fake.requests).toEqual([]);
  });

  test.each<[string, NonNullable<Config['ca']>]>([
    ['text', ca],
    ['bytes', new TextEncoder().encode(ca)],
    ['a Buffer', Buffer.from(ca)],
    ['a list', [rootCertificates[0] ?? '', new TextEncoder().encode(ca)]],
    ['a bundle with comments and CRLF', `# ours\r\n${rootCertificates[0]}\r\n\r\n# theirs\r\n${ca.replaceAll('\n', '\r\n')}`],
  ])('as %s, all surfaces, streams and uploads reach the service', async (_name, authority) => {
    const fake = await secureFake();
    const client = clientOf(fake, { ca: authority });
    for (const { create: whole, stream } of surfaces) {
      await whole(client);
      expect((await taken(stream(client))).error).toBeUndefined();
    }
    await client.files().upload(undefined, { purpose: 'batch', file: new File(['{}'], 'a.jsonl') });
    expect(await newService(Chat, fake.configFor({ ca: authority })).create(undefined, chat)).toBeDefined();
    expect(fake.requests).toHaveLength(2 + 2 * surfaces.length);
  });

  test('clients with and without it do not share sockets; clients with the same one do', async () => {
    const fake = await secureFake();
    const trusting = clientOf(fake, { ca });
    await create(trusting);
    expect(await failure(create(clientOf(fake)))).toMatchObject({ kind: 'connection' });
    expect(await failure(create(trusting.with({ ca: undefined })))).toMatchObject({ kind: 'connection' });
    await create(clientOf(fake, { ca: [Buffer.from(ca)] }));
    await turns();
    await create(trusting.with({ headers: { 'x-team': 'one' } }));
    expect(fake.requests).toHaveLength(3);
    expect(fake.sockets).toBe(1);
  });

  test('is added to the certificates that Node trusts', async () => {
    const tls = process.getBuiltinModule('node:tls');
    const made = vi.spyOn(tls, 'createSecureContext');
    onTestFinished(() => made.mockRestore());
    newClient({ apiKey: 'any', ca: [ca, ca, ca] });
    const given = made.mock.calls[0]?.[0]?.ca as string[];
    expect(given).toEqual(expect.arrayContaining([rootCertificates[0]]));
    expect(given.at(-1)).toContain(ca.trim());
  });

  test('holds through the tunnel of a proxy', async () => {
    const fake = await secureFake();
    const proxy = await startConnectProxy();
    onTestFinished(() => proxy.close());
    routeBy(proxy.url);
    expect(await failure(create(clientOf(fake, { maxSockets: 100 })))).toMatchObject({ kind: 'connection', phase: 'tls' });
    await create(clientOf(fake, { maxSockets: 100, ca }));
    expect(proxy.requests.map(({ method }) => method)).toEqual(['CONNECT', 'CONNECT']);
    expect(fake.requests).toHaveLength(1);
  });

  test('is for the service: a proxy that itself speaks TLS needs a certificate that Node trusts', async () => {
    const fake = await secureFake();
    const proxy = await startConnectProxy({ tls: serverTls });
    onTestFinished(() => proxy.close());
    routeBy(proxy.url);
    expect(await failure(create(clientOf(fake, { ca })))).toMatchObject({
      kind: 'connection',
      message: expect.stringContaining('handshake with the proxy'),
    });
    expect(proxy.requests).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a path', '/etc/ssl/ca.pem'],
    ['a private key', serverTls.key],
    ['a certificate cut off', ca.slice(0, -60)],
    ['a certificate with other content', ca.replace(/\n.{30}/, `\n${'A'.repeat(30)}`)],
    ['a list with a wrong one', [ca, 'none']],
    ['a number', 5],
  ])('%s is a ConfigError that quotes none of it', async (_name, authority) => {
    const error = await refusal({ apiKey: 'any', ca: authority });
    expect(error).toMatchObject({ kind: 'config', message: 'ca must be certificates in PEM: the text or bytes of the file, not its path' });
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toMatch(/BEGIN|MII/);
  });
});

describe('agent', () => {
  function agentOf(options: ConstructorParameters<typeof Agent>[0] = {}): Agent {
    const agent = new Agent({ keepAlive: true, ...options });
    onTestFinished(() => agent.destroy());
    return agent;
  }

  test('opens every socket of its clients, which share them, and keeps them when a client closes', async () => {
    const fake = await secureFake();
    const agent = agentOf({ ca, maxSockets: 1 });
    const opened = vi.spyOn(agent, 'createConnection');
    const client = clientOf(fake, { agent });
    await Promise.all([create(client), create(client.with({ timeout: 5000 })), create(clientOf(fake, { agent }))]);
    for (const { stream } of surfaces) expect((await taken(stream(client))).error).toBeUndefined();
    expect(opened).toHaveBeenCalledTimes(1);
    const idle = (): number => Object.values(agent.freeSockets).flat().length;
    await until(() => idle() === 1);
    await client.close();
    expect([idle(), fake.sockets]).toEqual([1, 1]);
    expect(await failure(create(clientOf(fake)))).toMatchObject({ kind: 'connection' });
  });

  test('is used instead of the proxies of the environment', async () => {
    const fake = await secureFake();
    const proxy = await startConnectProxy();
    onTestFinished(() => proxy.close());
    routeBy(proxy.url);
    await create(clientOf(fake, { agent: agentOf({ ca }) }));
    expect(proxy.requests).toEqual([]);
  });

  test('of node:http serves plain roots', async () => {
    const { fake } = await openFake();
    const agent = new HttpAgent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await create(clientOf(fake, { agent }));
    expect(fake.requests).toHaveLength(1);
  });

  test('an Agent for another protocol than every root is a ConfigError', async () => {
    expect(await refusal({ apiKey: 'any', agent: new HttpAgent() })).toMatchObject({ kind: 'config', message: 'agent is for http: only' });
    expect(await refusal({ apiKey: 'any', endpoints: 'http://127.0.0.1:1', agent: agentOf() })).toMatchObject({
      message: 'agent is for https: only',
    });
    expect(newClient({ apiKey: 'any', baseURL: 'http://127.0.0.1:1', agent: new HttpAgent() })).toBeDefined();
  });

  test("with a protocol that depends on the request, like proxy-agent's and socks-proxy-agent's, serves both", async () => {
    // Like `agent-base`: a plain Agent whose `protocol` is a getter that looks for `node:https` in the stack.
    class ProxyLikeAgent extends HttpAgent {
      get protocol(): string {
        return new Error().stack?.includes('node:https') ? 'https:' : 'http:';
      }
      set protocol(_: string) {}
      override createConnection(options: ConnectionOptions & NetConnectOpts): Duplex {
        opened.push(this.protocol);
        return this.protocol === 'https:' ? connectTls({ ...options, ca }) : connect(options);
      }
    }
    const opened: string[] = [];
    const agent = new ProxyLikeAgent();
    onTestFinished(() => agent.destroy());
    const { fake: plain } = await openFake();
    for (const fake of [plain, await secureFake()]) await create(clientOf(fake, { agent }));
    expect(opened).toEqual(['http:', 'https:']);
  });

  test('with maxSockets or ca with it is a ConfigError: they belong to the agent', async () => {
    const agent = agentOf();
    expect(await refusal({ apiKey: 'any', agent, maxSockets: 5 })).toMatchObject({ kind: 'config', message: 'maxSockets must be set on the agent' });
    expect(await refusal({ apiKey: 'any', agent, ca })).toMatchObject({ kind: 'config', message: 'ca must be set on the agent' });
  });
});

test.each<[string, Partial<Config>]>([
  ['ca', { ca }],
  ['agent', { agent: new Agent() }],
])('%s with httpClient, or outside Node, is a ConfigError', async (name, config) => {
  const message = `${name} needs the transport of Node: set it in your own httpClient`;
  expect(await refusal({ apiKey: 'any', ...config, httpClient: fetch })).toMatchObject({ kind: 'config', message });
  vi.stubGlobal('EdgeRuntime', 'edge');
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await refusal({ apiKey: 'any', ...config })).toMatchObject({ kind: 'config', message });
});
