import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
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

export interface RedisServer {
  /** Its socket. */
  readonly path: string;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis server of its own on a socket in a folder of its own. It writes its data to a file, so that they survive `kill`. */
export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'modelsvc-redis-'));
  const path = join(folder, 'redis.sock');
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'yes', '--dir', folder];
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
