import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startFakeService } from '../../src/testing/index.ts';
import { until } from '../support/clock.ts';
import { dial, proxied, routeBy } from '../support/dial.ts';
import { startRawServer } from '../support/raw-server.ts';
import { serverTls } from '../support/tls.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** True once a TLS handshake has begun. */
function saidHello(heard: string): boolean {
  return heard.includes('\u0016\u0003');
}

describe('bounds and aborts', () => {
  const silences: [string, string, RegExp, 'connect' | 'tls'][] = [
    ['CONNECT', '', /reply to CONNECT took longer than 1000 ms/, 'connect'],
    ['TLS with the target', 'HTTP/1.1 200 OK\r\n\r\n', /TLS handshake with the service .* took longer than 1000 ms/, 'tls'],
  ];

  it.each(silences)('silence at %s runs into the bound', async (_where, answer, message, phase) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let connected = 0;
    const proxy = await startRawServer((socket) => {
      connected++;
      socket.write(answer);
    });
    const { end, calls } = dial(routeBy(proxy.url), { timeoutMs: 1000 });
    await until(() => connected === 1 && (phase === 'connect' || saidHello(proxy.heard)));
    vi.advanceTimersByTime(999);
    expect(calls()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await end).toMatchObject({ name: 'ProxyError', phase, timeoutMs: 1000, message: expect.stringMatching(message) });
    // The client's side of the socket may close after the server's.
    await until(() => proxy.sockets === 0 && vi.getTimerCount() === 0);
  });

  it('silence at TLS with the proxy runs into the bound', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const proxy = await startRawServer(() => undefined);
    const { end } = dial(routeBy(proxy.url.replace('http:', 'https:')), { timeoutMs: 1000 });
    await until(() => proxy.heard !== '');
    vi.advanceTimersByTime(1000);
    expect(await end).toMatchObject({ phase: 'tls', timeoutMs: 1000, message: expect.stringContaining('TLS handshake with the proxy') });
  });

  it('each phase has the whole bound', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const sockets: Socket[] = [];
    const proxy = await startRawServer((socket) => sockets.push(socket));
    const { end, calls } = dial(routeBy(proxy.url), { timeoutMs: 1000 });
    await until(() => sockets.length === 1);
    vi.advanceTimersByTime(900);
    sockets[0]?.write('HTTP/1.1 200 OK\r\n\r\n');
    await until(() => saidHello(proxy.heard));
    vi.advanceTimersByTime(900);
    expect(calls()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(await end).toMatchObject({ phase: 'tls', timeoutMs: 1000 });
  });

  it('0 is not a bound', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const proxy = await startRawServer(() => undefined);
    const controller = new AbortController();
    const { end, calls } = dial(routeBy(proxy.url), { timeoutMs: 0, dialSignal: controller.signal });
    await until(() => proxy.heard.includes('\r\n\r\n'));
    expect([vi.getTimerCount(), calls()]).toEqual([0, 0]);
    controller.abort();
    await end;
  });

  it.each(silences)('an abort during %s ends it at once, with its reason', async (_where, answer, _message, phase) => {
    const proxy = await startRawServer((socket) => socket.write(answer));
    const controller = new AbortController();
    const { end, calls } = dial(routeBy(proxy.url), { dialSignal: controller.signal });
    await until(() => (phase === 'connect' ? proxy.heard.includes('\r\n\r\n') : saidHello(proxy.heard)));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await end).toBe(reason);
    await expect.poll(() => proxy.sockets).toBe(0);
    expect(calls()).toBe(1);
  });

  it('an abort before or during the dial opens no tunnel', async () => {
    const proxy = await proxied();
    const reason = new Error('enough');
    expect(await dial(routeBy(proxy.url), { dialSignal: AbortSignal.abort(reason) }).end).toBe(reason);
    const controller = new AbortController();
    const { end } = dial(routeBy(proxy.url), { dialSignal: controller.signal });
    controller.abort(reason);
    expect(await end).toBe(reason);
    await expect.poll(() => proxy.sockets).toBe(0);
    expect(proxy.requests).toEqual([]);
  });

  it('an abort after the tunnel is open is the business of the one who has it', async () => {
    const [fake, proxy] = await Promise.all([startFakeService({ tls: serverTls }), proxied()]);
    onTestFinished(() => fake.close());
    const controller = new AbortController();
    const { end, calls } = dial(routeBy(proxy.url), { port: new URL(fake.url).port, dialSignal: controller.signal });
    const socket = (await end) as TLSSocket;
    controller.abort();
    expect([socket.destroyed, calls()]).toEqual([false, 1]);
  });
});
