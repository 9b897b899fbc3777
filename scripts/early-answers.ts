/**
 * Calls a server that answers before it has read the request, and then resets. Each call must settle with that answer or with a typed
 * error, and no error may reach the process.
 *
 *     npm run early-answers                         2,000 calls: plain and TLS, the package's Agent and one of the user
 *     npm run early-answers -- --calls 200
 *     path/to/node --import tsx scripts/early-answers.ts
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fileFromPath } from '../src/node/index.ts';
import { type Client, isApiError, isConnectionError, newClient } from '../src/overlay/index.ts';
import { configFor } from '../src/testing/index.ts';
import { ca, serverTls } from '../test/support/tls.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { calls: { type: 'string', default: '2000' } } });
const [role, protocol] = positionals;
if (role === 'serve') serve(protocol === 'tls');
else await run(Number(values.calls));

/** Answers in turn with 200 and 429, and resets in turn: immediately, after some milliseconds, and after reading a part of the request. */
function serve(tls: boolean): void {
  const answers = [
    '{"id":"1","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"early"}}]}',
    '{"error":{"code":"1302","message":"busy"}}',
  ].map((body, index) => {
    const head = `HTTP/1.1 ${index === 0 ? 200 : 429} X\r\ncontent-type: application/json\r\nconnection: keep-alive`;
    return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  });
  let connections = 0;
  const answer = (socket: Socket): void => {
    const number = connections++;
    const reset = (): void => void (tls ? socket.destroy() : socket.resetAndDestroy());
    const later = (ms: number) => (): void => void setTimeout(reset, ms);
    const afterPart = (): void => {
      socket.resume();
      setTimeout(reset, 5);
    };
    const ends = [reset, () => void setImmediate(reset), later(1), later(5), later(30), afterPart];
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.pause();
      socket.write(answers[number % 2] ?? '', () => ends[(number >> 1) % ends.length]?.());
    });
  };
  const server = tls ? createTlsServer(serverTls, answer).on('tlsClientError', () => undefined) : createServer(answer);
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
  // Ends with its parent, which may be killed.
  process.stdin.on('end', () => process.exit()).resume();
}

async function run(calls: number): Promise<void> {
  let uncaught = 0;
  process.on('uncaughtException', (error) => console.error(++uncaught, error));
  const folder = await mkdtemp(join(tmpdir(), 'early-answers-'));
  const megabytes = [0.3, 1, 4, 12];
  const paths = megabytes.map((size) => join(folder, `${size}.jsonl`));
  for (const [index, path] of paths.entries()) {
    await writeFile(path, '');
    await truncate(path, (megabytes[index] ?? 0) * 1e6);
  }
  const texts = megabytes.map((size) => 'x'.repeat(size * 1e6));
  const buffers = megabytes.map((size) => new Uint8Array(size * 1e6));
  const request = (index: number): { model: string; messages: [{ role: 'user'; content: string }] } => ({
    model: 'glm-5.2',
    messages: [{ role: 'user', content: texts[index] ?? '' }],
  });
  const ways: readonly ((client: Client, index: number) => Promise<unknown>)[] = [
    (client, index) => client.chat().create(undefined, request(index)),
    (client, index) => client.chat().stream(undefined, request(index)).next(),
    (client, index) => client.files().upload(undefined, { file: new Blob([buffers[index] ?? '']), filename: 'a.jsonl', purpose: 'batch' }),
    (client, index) => client.files().upload(undefined, { file: fileFromPath(paths[index] ?? ''), purpose: 'batch' }),
  ];
  const outcomes = new Map<string, number>();
  for (const tls of [false, true]) {
    const server = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), 'serve', tls ? 'tls' : 'plain'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const port = await new Promise<string>((resolve) => createInterface(server.stdout).once('line', resolve));
    const agent = tls ? new HttpsAgent({ keepAlive: true, ca }) : new HttpAgent({ keepAlive: true });
    const agents = [tls ? { ca } : {}, { agent }];
    for (const overrides of agents) {
      const client = newClient(configFor(`http${tls ? 's' : ''}://127.0.0.1:${port}`, { ...overrides, maxRetries: 0, timeout: 60_000 }));
      let left = Math.ceil(calls / 4);
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          const number = left;
          const call = ways[number % 4]?.(client, (number >> 2) % 4) ?? Promise.resolve();
          const end = await call.then(() => 'answered', endOf);
          outcomes.set(end, (outcomes.get(end) ?? 0) + 1);
          // Block the event loop, so that the answer and the reset are read together.
          if (number % 5 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8);
        }
      };
      await Promise.all(Array.from({ length: 6 }, worker));
    }
    server.stdin.end();
  }
  // Errors of sockets can occur after the last call.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await rm(folder, { recursive: true });
  console.log(JSON.stringify({ node: process.versions.node, uncaught, outcomes: Object.fromEntries([...outcomes].sort()) }));
  if (uncaught > 0) process.exitCode = 1;
}

function endOf(error: unknown): string {
  if (isApiError(error)) return `api ${error.status} ${error.code ?? ''}`.trim();
  return isConnectionError(error) ? `${error.kind} ${error.phase} ${error.code ?? ''}`.trim() : `unexpected: ${String(error)}`;
}
