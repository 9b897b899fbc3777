import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
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

/**
 * A minimal client like that of the package `redis` with its option `disableOfflineQueue`, for scripts that return integers. When it loses its
 * connection, it emits `error`, rejects the commands in flight, and connects again.
 */
export class ScriptClient extends EventEmitter {
  readonly #path: string;
  #socket: Socket;
  #waiting: { resolve(reply: unknown): void; reject(error: Error): void }[] = [];
  #isClosed = false;

  constructor(path: string) {
    super();
    this.#path = path;
    this.#socket = this.#connect();
  }

  eval(script: string, { keys, arguments: values }: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown> {
    return this.command('EVAL', script, String(keys.length), ...keys, ...values);
  }

  async command(...parts: string[]): Promise<unknown> {
    if (this.#socket.destroyed) throw new Error('The client is offline');
    const lines = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
    this.#socket.ref();
    const reply = await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`*${parts.length}\r\n${lines.join('')}`);
    });
    if (this.#waiting.length === 0) this.#socket.unref();
    if (typeof reply === 'string' && reply.startsWith('-')) throw new Error(`Redis: ${reply.slice(1)}`);
    return reply;
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #connect(): Socket {
    let text = '';
    const socket = createConnection(this.#path).setEncoding('utf8').unref();
    socket.on('data', (part: string) => {
      text += part;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        this.#waiting.shift()?.resolve(line.startsWith(':') ? Number(line.slice(1)) : line);
      }
    });
    let failure = new Error('Socket closed unexpectedly');
    socket.on('error', (error) => (failure = error));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(failure);
      if (this.#isClosed) return;
      setTimeout(() => (this.#socket = this.#connect()), 20).unref();
      this.emit('error', failure);
    });
    return socket;
  }
}

export interface RedisServer {
  /** Its socket. */
  readonly path: string;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again: empty, or with its data if it keeps them. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis server of its own on a socket in a folder of its own. `keeps`: it writes its data to a file, so that they survive `kill`. */
export async function startRedis(keeps = false): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'modelsvc-redis-'));
  const path = join(folder, 'redis.sock');
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', keeps ? 'yes' : 'no', '--dir', folder];
  let server: ChildProcess;
  let ended: Promise<void>;
  const restart = async (): Promise<void> => {
    server = spawn('redis-server', options, { stdio: 'ignore' });
    ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    for (;;) {
      if (server.exitCode !== null) throw new Error('redis-server does not start');
      const isUp = await new Promise<boolean>((resolve) => {
        const probe = createConnection(path, () => resolve(true)).on('error', () => resolve(false));
        probe.unref();
      });
      if (isUp) return;
      await wait(20);
    }
  };
  const kill = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> => {
    server.kill(signal);
    await ended;
  };
  await restart();
  return {
    path,
    kill,
    restart,
    async stop() {
      await kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
