import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configFor } from '../../src/testing/index.ts';
import { built, startChild } from '../support/child.ts';
import { bodyOf, responseOf } from '../support/kept-server.ts';
import { startRawServer } from '../support/raw-server.ts';
import { ca, serverTls } from '../support/tls.ts';

/** Megabytes of a request: more than the platform buffers, except the first. */
const sizes = [0.3, 4, 20];
const ways = ['create', 'stream', 'upload', 'uploadPath'] as const;
const answers = [responseOf(bodyOf('chat', false, 'early')), responseOf('{"error":{"code":"1302","message":"busy"}}', 'content-length', 429)];

/** The process of the client while the reset arrives: its event loop is blocked, or turns. */
const waits = {
  busy: 'readSync(0, new Uint8Array(1));',
  idle: "await new Promise((resolve) => process.stdin.once('data', resolve));",
};

test.each([
  ['busy', 'the Agent of the package', false],
  ['idle', 'the Agent of the package', false],
  ['busy', 'the Agent of the package, TLS', true],
  ['idle', 'the Agent of the package, TLS', true],
  ['busy', 'an Agent of the user', false],
  ['idle', 'an Agent of the user, TLS', true],
] as const)('%s process, %s: a call that is answered early has that answer, and the reset after it ends no call', async (wait, name, isTls) => {
  const folder = await mkdtemp(join(tmpdir(), 'early-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'large.jsonl');
  await writeFile(path, '');
  await truncate(path, 20e6);
  let last: Socket | undefined;
  let connections = 0;
  const answer = (socket: Socket): void => {
    socket.once('data', () => {
      last = socket;
      // The rest of the request is not read.
      socket.pause();
      socket.write(answers[connections++ % 2] ?? '');
    });
  };
  const server = await startRawServer(answer, { eager: true, ...(isTls ? { tls: serverTls } : {}) });
  const config = configFor(isTls ? server.url.replace('http:', 'https:') : server.url, { maxRetries: 0, ...(isTls ? { ca } : {}) });
  const child = startChild(`
    import { readSync } from 'node:fs';
    import { Agent as HttpAgent } from 'node:http';
    import { Agent as HttpsAgent } from 'node:https';
    import { fileFromPath } from '${built('node')}';
    const { ca, ...config } = ${JSON.stringify(config)};
    const own = ${name.startsWith('the')};
    const client = newClient({ ...config, ...(own ? { ca } : { agent: new (ca ? HttpsAgent : HttpAgent)({ keepAlive: true, ca }) }) });
    const request = (bytes) => ({ model: 'glm-5.2', messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });
    const ways = {
      create: (bytes) => client.chat().create(undefined, request(bytes)),
      stream: (bytes) => client.chat().stream(undefined, request(bytes)).next(),
      upload: (bytes) => client.files().upload(undefined, { file: new Blob([new Uint8Array(bytes)]), filename: 'a.jsonl', purpose: 'batch' }),
      uploadPath: () => client.files().upload(undefined, { file: fileFromPath(${JSON.stringify(path)}), purpose: 'batch' }),
    };
    for (const bytes of ${JSON.stringify(sizes.map((size) => size * 1e6))}) {
      for (const way of ${JSON.stringify(ways)}) {
        console.log(await ways[way](bytes).then(() => 200, (error) => error.status ?? error.message));
        ${waits[wait]}
      }
    }
    console.log('alive');
  `);
  for (let index = 0; index < sizes.length * ways.length; index++) {
    expect(await child.line()).toBe(index % 2 === 0 ? '200' : '429');
    if (isTls) last?.destroy();
    else last?.resetAndDestroy();
    child.write('\n');
  }
  expect(await child.line()).toBe('alive');
  // No request follows one that was not sent completely on its socket.
  expect(connections).toBe(sizes.length * ways.length);
});
