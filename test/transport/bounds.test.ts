import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, faults, startFakeService } from '../../src/testing/index.ts';

let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
});
afterAll(() => fake.close());

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

async function listening(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { server, port: (server.address() as { port: number }).port, close };
}

// fetch on Node 20 cannot tell the phases apart: there `timeout` is one bound, and these are node:http's alone.
test('a server that takes the connection and never speaks TLS runs into the bound for the handshake', async () => {
  const mute = await listening(() => undefined);
  const client = newClient({ apiKey: 'test-key', baseURL: `https://127.0.0.1:${mute.port}`, timeout: 60, maxRetries: 0 });
  await expect(client.chat().create(undefined, request)).rejects.toMatchObject({ kind: 'timeout', phase: 'tls', timeoutMs: 60 });
  mute.close();
});

test('header wait starts when the request has been sent, not when the call began', async () => {
  // A relay that is slow to let the first bytes through takes its time from nobody else.
  const slow = await listening((socket) => {
    const upstream = connect(Number(new URL(fake.url).port), '127.0.0.1');
    upstream.on('error', () => socket.destroy());
    setTimeout(() => socket.pipe(upstream).pipe(socket), 5);
  });
  fake.answer('chat.create', faults.slowHeaders(60));
  const client = newClient(fake.configFor({ baseURL: `http://127.0.0.1:${slow.port}`, timeout: 120, maxRetries: 0 }));
  await expect(client.chat().create(undefined, request)).resolves.toBeDefined();
  slow.close();
});

test('timeout 0 is no bound', async () => {
  fake.answer('chat.create', faults.slowHeaders(80));
  await expect(
    newClient(fake.configFor({ timeout: 0 }))
      .chat()
      .create(undefined, request),
  ).resolves.toBeDefined();
});

test('an upload may take longer than the bound, as long as it moves', async () => {
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 6; count++) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      yield new Uint8Array(10);
    }
  }
  const client = newClient(fake.configFor({ timeout: 100, maxRetries: 0 }));
  await expect(client.files().upload(undefined, { file: slowly(), purpose: 'batch' })).resolves.toBeDefined();
});

test('a source that pauses longer than the bound is not the service being silent', async () => {
  async function* pausing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await new Promise((resolve) => setTimeout(resolve, 150));
    yield new Uint8Array(10);
  }
  const client = newClient(fake.configFor({ timeout: 60, maxRetries: 0 }));
  await expect(client.files().upload(undefined, { file: pausing(), purpose: 'batch' })).resolves.toBeDefined();
});

test('a service that takes no more of an upload runs into the bound', async () => {
  fake.answer('files.upload', faults.stallUpload());
  const client = newClient(fake.configFor({ timeout: 100, maxRetries: 0 }));
  await expect(client.files().upload(undefined, { file: new Uint8Array(40_000_000), purpose: 'batch' })).rejects.toMatchObject({
    kind: 'timeout',
    phase: 'request',
  });
});
