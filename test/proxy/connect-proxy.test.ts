import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { type FakeService, fakeKey, startFakeService } from '../../src/testing/index.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from '../support/connect-proxy.ts';
import { ca, serverTls } from '../support/tls.ts';

const authorization = `Bearer ${fakeKey}`;

async function startBoth(options?: ConnectProxyOptions, tls?: typeof serverTls): Promise<{ fake: FakeService; proxy: ConnectProxy }> {
  const fake = await startFakeService(tls ? { tls } : {});
  const proxy = await startConnectProxy(options);
  onTestFinished(async () => {
    await proxy.close();
    await fake.close();
  });
  return { fake, proxy };
}

/** Ask the proxy for a tunnel. */
async function tunnel(proxy: ConnectProxy, target: string, headers: Record<string, string> = {}): Promise<{ status: number; socket: Socket }> {
  const { hostname, port } = new URL(proxy.url);
  const outgoing = httpRequest({ host: hostname, port, method: 'CONNECT', path: target, headers, agent: false });
  outgoing.end();
  const [answer, socket] = (await once(outgoing, 'connect')) as [IncomingMessage, Socket];
  socket.on('error', () => undefined);
  return { status: answer.statusCode ?? 0, socket };
}

it('the test certificate is good for localhost and 127.0.0.1 under its own authority, and under no other', async () => {
  const { fake } = await startBoth({}, serverTls);
  const statusOf = async (host: string, authority?: string): Promise<number> => {
    const outgoing = httpsRequest({
      host,
      port: new URL(fake.url).port,
      path: '/models',
      headers: { authorization },
      agent: false,
      family: 4,
      ...(authority ? { ca: authority } : {}),
    });
    outgoing.end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  };
  expect(fake.url).toMatch(/^https:/);
  expect([await statusOf('127.0.0.1', ca), await statusOf('localhost', ca)]).toEqual([200, 200]);
  await expect(statusOf('127.0.0.1')).rejects.toMatchObject({ code: expect.stringMatching(/UNABLE_TO|SELF_SIGNED/) });
});

it('a tunnel carries TLS that the proxy cannot read', async () => {
  const { fake, proxy } = await startBoth({}, serverTls);
  const target = `127.0.0.1:${new URL(fake.url).port}`;
  const { status, socket } = await tunnel(proxy, target);
  expect(status).toBe(200);
  const secure = tlsConnect({ socket, ca, host: '127.0.0.1' });
  await once(secure, 'secureConnect');
  secure.write(`GET /models HTTP/1.1\r\nHost: ${target}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const block of secure) text += String(block);
  expect(text).toMatch(/^HTTP\/1.1 200 OK/);
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target }]);
  expect(JSON.stringify(proxy.requests)).not.toContain(fakeKey);
});

it('a tunnel can name a host that does not exist, and end somewhere else', async () => {
  const fake = await startFakeService();
  const { proxy } = await startBoth({ upstream: { host: '127.0.0.1', port: Number(new URL(fake.url).port) } });
  onTestFinished(() => fake.close());
  const { socket } = await tunnel(proxy, 'api.example.test:443');
  socket.write(`GET /models HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`);
  const [block] = await once(socket, 'data');
  expect(String(block)).toMatch(/^HTTP\/1.1 200/);
  expect(proxy.requests[0]?.target).toBe('api.example.test:443');
});

it('plain requests are forwarded, without the headers meant for the proxy', async () => {
  const { fake, proxy } = await startBoth({ credentials: 'user:pass' });
  const { hostname, port } = new URL(proxy.url);
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const outgoing = httpRequest({ host: hostname, port, path: `${fake.url}/models`, headers: { authorization, ...headers }, agent: false });
    outgoing.end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  };
  expect(await ask({})).toBe(407);
  expect(fake.requests).toHaveLength(0);
  expect(await ask({ 'proxy-authorization': `Basic ${btoa('user:pass')}` })).toBe(200);
  expect(fake.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  expect(proxy.requests.map(({ method, target }) => [method, target])).toEqual(Array(2).fill(['GET', `${fake.url}/models`]));
});

it('a proxy can refuse, or stay silent until it is closed', async () => {
  const { proxy } = await startBoth({ refuseWith: 403 });
  expect((await tunnel(proxy, '127.0.0.1:1')).status).toBe(403);
  const silent = await startConnectProxy({ silent: true });
  const call = tunnel(silent, '127.0.0.1:1').catch((error: unknown) => error);
  await expect.poll(() => silent.requests.length).toBe(1);
  await silent.close();
  expect(await call).toBeInstanceOf(Error);
  expect(silent.sockets).toBe(0);
});
