/**
 * `npx tsx bench/transfer.ts`: a 200 MB upload from a file and a 200 MB download, on both transports, each in a separate process.
 * Prints the CPU time and the added peak memory. Fails above 64 MB.
 */
import { spawn } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileFromPath } from '../src/node/index.ts';
import { newClient } from '../src/overlay/index.ts';

const megabyte = 1024 * 1024;
const size = 200 * megabyte;
const budget = 64 * megabyte;

async function transfer(kind: string, transport: string, url: string, path: string): Promise<void> {
  const client = newClient({
    apiKey: 'bench-key',
    baseURL: url,
    ...(transport === 'fetch' ? { httpClient: (target, init) => fetch(target, init) } : {}),
  });
  // A small transfer first, so that loading code and opening sockets is not measured.
  await client.files().upload(undefined, { file: new Uint8Array(100_000), purpose: 'agent' });
  for await (const _ of await client.files().content(undefined, 'small'));
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  const started = process.cpuUsage();
  let moved = 0;
  if (kind === 'upload') {
    // A purpose without a size limit: batch files are limited to 100 MB.
    await client.files().upload(undefined, { file: fileFromPath(path), purpose: 'user_data', onProgress: ({ bytes }) => (moved = bytes) });
  } else for await (const block of await client.files().content(undefined, 'large')) moved += block.length;
  const { user, system } = process.cpuUsage(started);
  clearInterval(watch);
  if (moved !== size) throw new Error(`${moved} bytes moved, not ${size}`);
  process.send?.({ added: Math.max(0, peak - before), cpuMs: (user + system) / 1000 });
}

function serve(): Promise<{ url: string; close: () => void }> {
  const block = Buffer.alloc(megabyte, 'x');
  const server = createServer(async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method === 'POST') {
      for await (const _ of incoming);
      outgoing.setHeader('content-type', 'application/json').end('{"id":"file-1","object":"file"}');
      return;
    }
    outgoing.setHeader('content-type', 'application/octet-stream');
    for (let left = incoming.url?.includes('large') ? size / megabyte : 1; left > 0; left--)
      if (!outgoing.write(block)) await new Promise((resolve) => outgoing.once('drain', resolve));
    outgoing.end();
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() })),
  );
}

async function main(): Promise<void> {
  const path = join(tmpdir(), `modelsvc-transfer-${process.pid}.bin`);
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.close();
  const { url, close } = await serve();
  for (const kind of ['upload', 'download'])
    for (const transport of ['node:http', 'fetch']) {
      const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', import.meta.filename, kind, transport, url, path], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const { added, cpuMs } = await new Promise<{ added: number; cpuMs: number }>((resolve, reject) => {
        child.on('message', resolve as (message: unknown) => void);
        child.on('exit', (code) => code !== 0 && reject(new Error(`${kind} over ${transport} failed`)));
      });
      const over = added > budget;
      console.log(
        `${kind.padEnd(9)} ${transport.padEnd(10)} +${(added / megabyte).toFixed(1)} MB peak, ${cpuMs.toFixed(0)} ms CPU${over ? '  OVER 64 MB' : ''}`,
      );
      if (over) process.exitCode = 1;
    }
  close();
  await rm(path);
}

const [kind, transport, url, path] = process.argv.slice(2);
if (kind && transport && url && path) await transfer(kind, transport, url, path);
else await main();
