import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FakeService, faults, startFakeService } from '../../src/testing/index.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { caPath, serverTls } from '../support/tls.ts';

const program = fileURLToPath(new URL('call-once.mjs', import.meta.url));

const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(https?|all|no)_proxy$|^node_(debug|options)$|^debug$/i.test(name)),
);

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Run one call in a process of its own: CA and proxy variables are read at its start. */
function run(url: string, env: Record<string, string>, timeout = 30_000, prompt = 'hi'): Promise<Output> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...clean, ...env }, timeout: 240_000, maxBuffer: 50_000_000 };
    execFile(process.execPath, [program, url, String(timeout), prompt], options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || error.message));
      else resolve({ stdout, stderr });
    });
  });
}

async function callOnce(...values: Parameters<typeof run>): Promise<Record<string, string>> {
  const { stdout } = await run(...values);
  const { read: _, ...result } = JSON.parse(stdout) as Record<string, string>;
  return result;
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

test('a certificate without a trusted issuer is refused, with the platform code', async () => {
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

test('a proxy that is spoken to by TLS, with TLS to the service inside', async () => {
  const outer = await startConnectProxy({ tls: serverTls, credentials: 'user:pass' });
  const url = outer.url.replace('https://127.0.0.1', 'https://user:pass@localhost');
  const env = { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: url, HTTP_PROXY: url };
  expect(await callOnce(secure.url, env)).toEqual(content);
  expect(await callOnce(plain.url, env)).toEqual(content);
  expect(outer.requests.map((one) => one.method)).toEqual(['CONNECT', 'POST']);
  await outer.close();
});

test('a service at the end of a tunnel needs a certificate that Node trusts', async () => {
  const error = await callOnce(secure.url, { HTTPS_PROXY: proxy.url });
  expect(error).toMatchObject({ kind: 'connection', phase: 'tls', code: expect.stringMatching(/CERT|SIGNATURE/) });
  expect(error['message']).toContain(new URL(proxy.url).host);
  expect(secure.requests).toHaveLength(0);
});

test('a proxy that refuses is an error, and the proxy password is not in it', async () => {
  const refusing = await startConnectProxy({ refuseWith: 403 });
  const url = refusing.url.replace('http://', 'http://user:hidden-word@');
  const error = await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: url });
  expect(error).toMatchObject({ kind: 'connection', phase: 'connect', message: expect.stringContaining(`${new URL(refusing.url).host}`) });
  expect(error['message']).toContain('403');
  expect(error['causes']).toEqual([expect.stringContaining('has status 403')]);
  expect(JSON.stringify(error)).not.toContain('hidden-word');
  await refusing.close();
});

test.each(['tunnel', 'forward'])('a proxy that asks for a password is named with its phase, without credentials: %s', async (way) => {
  const refusing = await startConnectProxy({ credentials: 'user:other-word', refusal: 'REFUSAL-TEXT' });
  const { host } = new URL(refusing.url);
  const url = refusing.url.replace('http://', 'http://user:hidden-word@');
  const service = way === 'tunnel' ? secure : plain;
  const error = await callOnce(service.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: url, HTTP_PROXY: url });
  expect(error).toMatchObject({ kind: 'connection', phase: 'connect' });
  expect(error['message']).toContain(`proxy ${host}`);
  expect(error['message']).toContain('407');
  // A forwarded request gets a reply: there is no error below.
  expect(error['causes']).toEqual(way === 'tunnel' ? [expect.stringContaining('has status 407')] : []);
  for (const text of ['hidden-word', 'REFUSAL-TEXT', 'no connection']) expect(JSON.stringify(error)).not.toContain(text);
  expect(service.requests).toHaveLength(0);
  await refusing.close();
});

test.each(['tunnel', 'forward'])('a proxy that is down is named with its phase, and the cause is kept: %s', async (way) => {
  const down = await startConnectProxy();
  await down.close();
  const { host } = new URL(down.url);
  const url = down.url.replace('http://', 'http://user:hidden-word@');
  const error = await callOnce((way === 'tunnel' ? secure : plain).url, { HTTPS_PROXY: url, HTTP_PROXY: url });
  expect(error).toMatchObject({ kind: 'connection', phase: 'connect', code: 'ECONNREFUSED' });
  expect(error['message']).toContain(`proxy ${host}`);
  expect(error['causes']).toEqual([expect.stringContaining(`ProxyError: proxy ${host}`), expect.stringContaining(`connect ECONNREFUSED ${host}`)]);
  expect(JSON.stringify(error)).not.toContain('hidden-word');
});

test('a proxy that never answers runs into the bound for the connection', async () => {
  const silent = await startConnectProxy({ silent: true });
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath, HTTPS_PROXY: silent.url }, 1000)).toMatchObject({
    kind: 'timeout',
    phase: 'connect',
  });
  await silent.close();
});

test('the bound for the header holds after the TLS handshake', async () => {
  secure.answer('chat.create', faults.silentBeforeHeaders());
  expect(await callOnce(secure.url, { NODE_EXTRA_CA_CERTS: caPath }, 5000)).toMatchObject({ kind: 'timeout', phase: 'headers' });
});

// With `stream` Node prints the buffers of every stream in hex: the one log of Node's own that shows a body.
const debug = { DEBUG: '*', NODE_DEBUG: 'http,https,net,tls,timer,undici', NODE_ENV: 'development' };

test.each(['tunneled', 'forwarded', 'direct', 'refused'])('no variable for debugging prints a key, a password or a prompt: %s', async (way) => {
  const guarded = await startConnectProxy(way === 'refused' ? { refuseWith: 407 } : { credentials: 'user:hidden-word' });
  const url = guarded.url.replace('://', '://user:hidden-word@');
  const { url: service } = way === 'forwarded' || way === 'direct' ? plain : secure;
  const env = { ...debug, NODE_EXTRA_CA_CERTS: caPath, ...(way === 'direct' ? {} : { HTTPS_PROXY: url, HTTP_PROXY: url }) };
  const { stdout, stderr } = await run(service, env, 30_000, 'hidden-prompt');
  await guarded.close();
  expect(stdout).toContain(way === 'refused' ? '"kind":"connection"' : '"content"');
  expect(stderr).toMatch(/^(HTTP|NET|TLS) \d+:/m);
  const secrets = ['fake-secret', 'hidden-word', 'hidden-prompt', btoa('user:hidden-word')];
  expect(secrets.filter((secret) => (stdout + stderr).includes(secret))).toEqual([]);
});

test('no other variable is read than the proxy variables', async () => {
  // Node itself reads these, when it first loads a module or opens a TLS connection.
  const ofNode = /^(NODE_|WATCH_)/;
  for (const env of [{}, { HTTPS_PROXY: proxy.url, NO_PROXY: 'other.test' }]) {
    const { stdout } = await run(secure.url, { ...env, NODE_EXTRA_CA_CERTS: caPath });
    const { read } = JSON.parse(stdout) as { read: string[] };
    expect(read.filter((name) => !/^(https?|all|no)_proxy$/i.test(name) && !ofNode.test(name))).toEqual([]);
  }
});
