import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FakeService, faults, startFakeService } from '../../src/testing/index.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { caPath, serverTls } from '../support/tls.ts';

const program = fileURLToPath(new URL('call-once.mjs', import.meta.url));

/** Run one call in a process of its own: CA and proxy variables are read at its start. */
function callOnce(url: string, env: Record<string, string>, timeout = 5000): Promise<Record<string, string>> {
  const { HTTP_PROXY: _a, HTTPS_PROXY: _b, http_proxy: _c, https_proxy: _d, NO_PROXY: _e, no_proxy: _f, ...clean } = process.env;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, url, String(timeout)], { env: { ...clean, ...env }, timeout: 15_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || error.message));
      else resolve(JSON.parse(stdout) as Record<string, string>);
    });
  });
}

let secure: FakeService;
let plain: FakeService;
let proxy: ConnectProxy;
beforeAll(async () => {
  secure = await startFakeService({ tls: serverTls });
  plain = await startFakeService();
  proxy = await startConnectProxy();
});
afterEach(() => {
  secure.reset();
  plain.reset();
  (proxy.requests as unknown[]).length = 0;
});
afterAll(() => Promise.all([secure.close(), plain.close(), proxy.close()]));

const content = { content: expect.any(String) };

test('a private CA that Node trusts is trusted', async () => {
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath })).toEqual(content);
});

test('a certificate that nobody vouches for is refused, with the platform code', async () => {
  const error = await callOnce(secure.url, {});
  expect(error).toMatchObject({ kind: 'connection' });
  expect(error['code']).toMatch(/CERT|SIGNATURE/);
  expect(secure.requests).toHaveLength(0);
});

test('HTTPS_PROXY: the call goes through a CONNECT tunnel, and the proxy never sees the key', async () => {
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: proxy.url })).toEqual(content);
  expect(proxy.requests.map((one) => `${one.method} ${one.target}`)).toEqual([`CONNECT ${new URL(secure.url).host}`]);
  expect(JSON.stringify(proxy.requests)).not.toContain('fake-secret');
});

test('HTTP_PROXY: a plain call is forwarded', async () => {
  expect(await callOnce(plain.url, { HTTP_PROXY: proxy.url })).toEqual(content);
  expect(proxy.requests[0]?.target).toContain('/chat/completions');
});

test('NO_PROXY goes around the proxy', async () => {
  expect(await callOnce(plain.url, { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' })).toEqual(content);
  expect(proxy.requests).toHaveLength(0);
});

test('a proxy with credentials gets them', async () => {
  const guarded = await startConnectProxy({ credentials: 'user:pass' });
  const url = guarded.url.replace('http://', 'http://user:pass@');
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: url })).toEqual(content);
  await guarded.close();
});

test('a proxy that refuses is an error, and the proxy password is not in it', async () => {
  const refusing = await startConnectProxy({ refuseWith: 403 });
  const url = refusing.url.replace('http://', 'http://user:hidden-word@');
  const error = await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: url });
  expect(error['kind']).toMatch(/connection|api/);
  expect(JSON.stringify(error)).not.toContain('hidden-word');
  await refusing.close();
});

test('a proxy that never answers runs into the bound for the connection', async () => {
  const silent = await startConnectProxy({ silent: true });
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: silent.url }, 300)).toMatchObject({
    kind: 'timeout',
    phase: 'connect',
  });
  await silent.close();
});

test('the bound for the header holds behind TLS', async () => {
  secure.answer('chat.create', faults.silentBeforeHeaders());
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath }, 300)).toMatchObject({ kind: 'timeout', phase: 'headers' });
});
