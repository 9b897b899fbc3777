import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** True if Debian's `redis-server` is installed. */
export function hasRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Just enough of a Redis client to run scripts that return integers. */
export class ScriptClient {
  readonly #socket: Socket;
  readonly #waiting: ((reply: unknown) => void)[] = [];

  constructor(path: string) {
    let text = '';
    this.#socket = createConnection(path);
    this.#socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        this.#waiting.shift()?.(line.startsWith(':') ? Number(line.slice(1)) : line);
      }
    });
    this.#socket.unref();
  }

  evaluate = (script: string, key: string, ...values: string[]): Promise<unknown> => this.command('EVAL', script, '1', key, ...values);

  async command(...parts: string[]): Promise<unknown> {
    const lines = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    this.#socket.ref();
    const reply = await new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(`*${parts.length}\r\n${lines.join('')}`);
    });
    if (this.#waiting.length === 0) this.#socket.unref();
    if (typeof reply === 'string' && reply.startsWith('-')) throw new Error(`Redis: ${reply.slice(1)}`);
    return reply;
  }

  close(): void {
    this.#socket.destroy();
  }
}

export interface RedisServer {
  /** Its socket. */
  readonly path: string;
  stop(): Promise<void>;
}

/** A Redis server of its own on a socket in a folder of its own, without any file. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'modelsvc-redis-'));
  const path = join(folder, 'redis.sock');
  const server: ChildProcess = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  for (;;) {
    if (server.exitCode !== null) throw new Error('redis-server does not start');
    const isUp = await new Promise<boolean>((resolve) => {
      const probe = createConnection(path, () => resolve(true)).on('error', () => resolve(false));
      probe.unref();
    });
    if (isUp) break;
    await wait(20);
  }
  return {
    path,
    async stop() {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
