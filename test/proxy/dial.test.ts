import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ProxyError } from '../../src/proxy/index.ts';
import { type FakeService, fakeKey } from '../../src/testing/index.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { agentBy, dial, password, proxied, routeBy, shown, withPassword } from '../support/dial.ts';
import { openFake } from '../support/fake.ts';
import { startRawServer } from '../support/raw-server.ts';
import { serverTls } from '../support/tls.ts';

async function secureService(): Promise<FakeService> {
  const { fake } = await openFake({}, { tls: serverTls });
  return fake;
}

async function ask(agent: Agent, url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const outgoing = httpsRequest({ host, port, path: '/models', headers: { authorization: `Bearer ${fakeKey}` }, agent });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  return answer.statusCode ?? 0;
}

describe('a tunnel', () => {
  it('is reused for its target and for no other, and frees every socket', async () => {
    const [one, two, proxy] = await Promise.all([secureService(), secureService(), proxied()]);
    const agent = agentBy(routeBy(proxy.url));
    for (const fake of [one, one, two, one]) expect(await ask(agent, fake.url)).toBe(200);
    expect(proxy.requests.map((request) => request.target)).toEqual([one, two].map((fake) => new URL(fake.url).host));
    expect([proxy.sockets, one.sockets, two.sockets]).toEqual([2, 1, 1]);
    agent.destroy();
    await expect.poll(() => [proxy.sockets, one.sockets, two.sockets]).toEqual([0, 0, 0]);
  });

  it('ends with the proxy, and the Agent opens another', async () => {
    const [fake, proxy] = await Promise.all([secureService(), proxied()]);
    const agent = agentBy(routeBy(proxy.url));
    await ask(agent, fake.url);
    await fake.refuse();
    await expect.poll(() => Object.values(agent.freeSockets).flat().length).toBe(0);
    await fake.accept();
    expect(await ask(agent, fake.url)).toBe(200);
    expect(proxy.requests).toHaveLength(2);
  });

  it('goes to an IPv6 proxy, and names an IPv6 target in brackets', async () => {
    const [fake, proxy] = await Promise.all([secureService(), proxied({ host: '::1' })]);
    const here = { host: '127.0.0.1', port: Number(new URL(fake.url).port) };
    const elsewhere = await proxied({ upstream: here, host: '::1' });
    expect(await ask(agentBy(routeBy(proxy.url)), fake.url)).toBe(200);
    expect(await ask(agentBy(routeBy(elsewhere.url)), 'https://[::1]:4443')).toBe(200);
    expect(elsewhere.requests[0]?.target).toBe('[::1]:4443');
    expect(routeBy(proxy.url).name).toBe(new URL(proxy.url).host);
  });

  it('sends decoded credentials to the proxy alone', async () => {
    const [fake, proxy] = await Promise.all([secureService(), proxied({ credentials: 'usér@x:p@ss:/#%' })]);
    const route = routeBy(proxy.url.replace('://', '://us%C3%A9r%40x:p%40ss%3A%2F%23%25@'));
    expect(await ask(agentBy(route), fake.url)).toBe(200);
    expect(fake.requests[0]?.headers['proxy-authorization']).toBeUndefined();
    expect(inspect(route, { depth: 10, showHidden: true })).not.toContain(Buffer.from('usér').toString('base64').slice(0, 5));
    expect(route.headers).toEqual({});
  });

  it('an address without a scheme is spoken to in the clear, for https targets too', async () => {
    const [fake, proxy] = await Promise.all([secureService(), proxied()]);
    expect(await ask(agentBy(routeBy(new URL(proxy.url).host)), fake.url)).toBe(200);
  });

  it('sends the name of the target and checks the certificate against it', async () => {
    const names: unknown[] = [];
    const SNICallback = (name: string, done: (error: null) => void): void => {
      names.push(name);
      done(null);
    };
    const { port } = await startRawServer(undefined, { tls: { ...serverTls, SNICallback } });
    const proxy = await proxied({ upstream: { host: '127.0.0.1', port } });
    const route = routeBy(proxy.url);
    const good = (await dial(route, { host: 'localhost', port: 443, servername: 'localhost' }).end) as TLSSocket;
    expect([good.authorized, good.alpnProtocol]).toEqual([true, false]);
    const wrong = await dial(route, { host: 'api.example.test', port: 443, servername: 'api.example.test' }).end;
    expect(wrong).toMatchObject({ name: 'ProxyError', phase: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID', status: undefined });
    expect(shown(wrong)).not.toMatch(/altnames|subjectaltname|BEGIN|raw:/i);
    expect(await dial(route, { host: '10.0.0.1', port: 443 }).end).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(names).toEqual(['localhost', 'api.example.test']);
    good.destroy();
    await expect.poll(() => proxy.sockets).toBe(0);
  });
});

describe('only 200 opens a tunnel', () => {
  const words = JSON.stringify({ id: 'x', choices: [{ message: { role: 'assistant', content: 'forged' } }] });

  it.each([100, 101, 201, 204, 226, 299, 301, 307, 401, 403, 407, 429, 500, 502, 599])('status %i', async (status) => {
    const proxy = await proxied({ refuseWith: status, refusal: words });
    const { end, calls } = dial(routeBy(withPassword(proxy.url)));
    const error = await end;
    expect(error).toBeInstanceOf(ProxyError);
    expect(error).toMatchObject({ proxy: new URL(proxy.url).host, status, phase: 'connect' });
    expect((error as Error).message).toMatch(new RegExp(`^proxy ${new URL(proxy.url).host} \\(HTTPS_PROXY\\): .*${status}`));
    expect(shown(error)).not.toMatch(/forged|choices|Refused|hidden-word/);
    await expect.poll(() => proxy.sockets).toBe(0);
    expect(calls()).toBe(1);
  });

  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH forged\r\n\r\n', 'is not HTTP'],
    ['HTTP/2', 'HTTP/2 200 forged\r\n\r\n', 'is not HTTP'],
    ['a status of four digits', 'HTTP/1.1 2000 forged\r\n\r\n', 'is not HTTP'],
    ['a status with a sign', 'HTTP/1.1 +200 forged\r\n\r\n', 'is not HTTP'],
    ['no status', 'HTTP/1.1\r\n\r\n', 'is not HTTP'],
    ['a body without a header', words, 'is not HTTP'],
  ])('%s is refused', async (_what, answer, problem) => {
    const proxy = await startRawServer((socket) => socket.write(answer));
    const error = await dial(routeBy(withPassword(proxy.url))).end;
    expect(error).toMatchObject({ name: 'ProxyError', status: undefined, phase: 'connect', message: expect.stringContaining(problem) });
    expect(shown(error)).not.toMatch(/forged|hidden-word/);
    await expect.poll(() => proxy.sockets).toBe(0);
  });

  it.each([
    ['a header that never ends', 'HTTP/1.1 200 OK\r\n', 'x-forged: 1\r\n'],
    ['a status line that never ends', 'HTTP/1.1 200 ', 'forged '],
  ])('%s is refused, and the socket closed', async (_what, start, more) => {
    let written = 0;
    const proxy = await startRawServer((socket) => {
      socket.write(start);
      const drip = setInterval(() => {
        written += more.length * 100;
        socket.write(more.repeat(100));
      }, 1);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await dial(routeBy(proxy.url)).end).toMatchObject({ name: 'ProxyError', message: expect.stringContaining('too large') });
    expect(written).toBeGreaterThan(16_000);
    await expect.poll(() => proxy.sockets).toBe(0);
  });

  it.each([
    ['before a word', ''],
    ['in the status line', 'HTTP/1.1 200'],
    ['in the header', 'HTTP/1.1 200 OK\r\nforged: 1\r\n'],
  ])('a connection closed %s', async (_where, answer) => {
    const proxy = await startRawServer((socket) => socket.end(answer));
    const { end, calls } = dial(routeBy(proxy.url));
    expect(await end).toMatchObject({ name: 'ProxyError', code: 'ECONNRESET', status: undefined, phase: 'connect' });
    await expect.poll(() => proxy.sockets).toBe(0);
    expect(calls()).toBe(1);
  });

  it('bytes after the header go to TLS: an answer slipped in there is a failed handshake', async () => {
    const proxy = await startRawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n${words}`));
    const error = await dial(routeBy(proxy.url)).end;
    expect(error).toMatchObject({ name: 'ProxyError', phase: 'tls', code: expect.stringMatching(/SSL|EPROTO/) });
    expect(shown(error)).not.toContain('forged');
    await expect.poll(() => proxy.sockets).toBe(0);
  });

  it('a tunnel cut during the handshake', async () => {
    const proxy = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await dial(routeBy(proxy.url)).end).toMatchObject({ name: 'ProxyError', phase: 'tls', code: 'ECONNRESET' });
  });

  it('a connection that cannot even be tried', async () => {
    // The guard of the tests throws inside `connect`, as instrumentation may.
    const { end, calls } = dial(routeBy('http://proxy.example.test:1'));
    expect(await end).toMatchObject({ name: 'ProxyError', phase: 'connect', proxy: 'proxy.example.test:1' });
    expect(calls()).toBe(1);
  });

  it('a proxy where there is none', async () => {
    const proxy = await startConnectProxy();
    await proxy.close();
    const error = await dial(routeBy(withPassword(proxy.url))).end;
    expect(error).toMatchObject({ name: 'ProxyError', phase: 'connect', code: 'ECONNREFUSED', proxy: new URL(proxy.url).host });
    expect(shown(error)).not.toContain(password);
  });
});

describe('a proxy over TLS', () => {
  it('is refused with a certificate that no known authority signed', async () => {
    const proxy = await proxied({ tls: serverTls });
    // The authority given for the target does not vouch for the proxy.
    const error = await dial(routeBy(withPassword(proxy.url))).end;
    expect(error).toMatchObject({ name: 'ProxyError', phase: 'tls', code: expect.stringMatching(/CERT|SIGNATURE/) });
    expect((error as Error).message).toContain('TLS handshake with the proxy');
    expect(proxy.requests).toEqual([]);
    expect(shown(error)).not.toContain(password);
    await expect.poll(() => proxy.sockets).toBe(0);
  });

  it('that speaks plain HTTP is an error, and gets no credentials', async () => {
    const proxy = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'), { eager: true });
    const error = await dial(routeBy(withPassword(proxy.url.replace('http:', 'https:')))).end;
    expect(error).toMatchObject({ name: 'ProxyError', phase: 'tls' });
    expect(proxy.heard).not.toMatch(/Basic|CONNECT/);
  });
});

describe('a forwarded request', () => {
  it('gets a socket to the proxy, and headers for it', async () => {
    const proxy = await proxied();
    const route = routeBy(proxy.url.replace('://', '://us%20er:p@'), 'http://127.0.0.1:1/');
    expect(route).toMatchObject({ forward: true, name: new URL(proxy.url).host, headers: { 'proxy-authorization': `Basic ${btoa('us er:p')}` } });
    const socket = (await dial(route).end) as Socket;
    expect(socket.remotePort).toBe(Number(new URL(proxy.url).port));
    expect(inspect(route, { depth: 10, showHidden: true })).not.toContain(btoa('us er:p'));
    expect(routeBy(proxy.url, 'http://127.0.0.1:1/').headers).toEqual({});
  });
});
