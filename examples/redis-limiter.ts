/**
 * A `Limiter` that shares the places of a model among processes through Redis, for `Config.concurrency.limiter`.
 *
 * The places are the members of one sorted set. The score of a member is the end of its lease, so a crashed process frees its places.
 * While Redis is away, refuses writes or does not answer, calls in flight go on. New ones wait for `awayMs`, then they fail with a QueueError.
 * If Redis has lost its data, or its clock has jumped forward, places are given out anew: for a third of a lease, twice as many calls can run.
 * After a jump back, the places of a crashed process are free one lease later. The clocks of the other machines do not count.
 *
 *     import { createClient } from 'redis';
 *     const redis = createClient({ url: 'redis://localhost:6379', disableOfflineQueue: true });
 *     const limiter = redisLimiter(evaluateWith(redis), { name: 'my-account', places: 4 });
 *     await redis.connect();
 *     const client = newClient({ apiKey, concurrency: { limiter } });
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Limiter } from 'modelsvc';

/** Runs a Lua script with one key and its arguments. It rejects while Redis is away, and must not end the process. */
export type Evaluate = (script: string, key: string, ...values: string[]) => Promise<unknown>;

/** The part of a client of the package `redis` that is needed here. It connects again by itself. */
export interface RedisClient {
  on(event: 'error', listener: (error: Error) => void): unknown;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

/** Runs scripts with a client of the package `redis`. Without a listener for its errors, a lost connection would end the process. */
export function evaluateWith(redis: RedisClient, onError = (error: Error): void => console.error('Redis:', error.message)): Evaluate {
  redis.on('error', onError);
  return (script, key, ...values) => redis.eval(script, { keys: [key], arguments: values });
}

export interface RedisLimiterOptions {
  /** Part of the Redis key: a name for the account, because the gate's name does not contain the API key. */
  readonly name: string;
  /** Calls at once of all processes, for each model. */
  readonly places: number;
  /** Milliseconds after which the place of a crashed process is free. Default: 10,000. */
  readonly leaseMs?: number;
  /** Milliseconds between two asks while all places are taken. Default: 100. */
  readonly pollMs?: number;
  /** Milliseconds that a call waits for a Redis that fails or does not answer. Default: 10,000. */
  readonly awayMs?: number;
}

// The clock of Redis: those of the processes differ. It can jump back: no lease ends later than one that begins now.
// The first command frees memory, so that a full Redis runs the others too.
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now + ARGV[3] + 1, '+inf')) do
  redis.call('ZADD', KEYS[1], now + ARGV[3], member)
end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1
end
return 0`;
const giveBack = `return redis.call('ZREM', KEYS[1], ARGV[1])`;

export function redisLimiter(evaluate: Evaluate, { name, places, leaseMs = 10_000, pollMs = 100, awayMs = 10_000 }: RedisLimiterOptions): Limiter {
  return {
    async acquire({ gate, signal }) {
      const key = `modelsvc:${name}:${gate}`;
      const member = randomUUID();
      const ask = (most: number, ms: number): Promise<unknown> => within(ms, evaluate(take, key, member, String(most), String(leaseMs)));
      // If Redis is away, the lease ends by itself.
      const release = (): void => void evaluate(giveBack, key, member).catch(() => undefined);
      const taken = async (): Promise<void> => {
        for (let away = performance.now() + awayMs; ; ) {
          const reply = await ask(places, away - performance.now()).catch((cause: unknown) => {
            if (performance.now() >= away) throw new Error(`Redis has been away for ${awayMs} ms`, { cause });
          });
          if (reply === 1) return;
          if (reply === 0) away = performance.now() + awayMs;
          // The jitter keeps processes from asking in step.
          await wait(pollMs * (0.5 + Math.random()), undefined, { signal });
        }
      };
      await taken().catch((error: unknown) => {
        // The reply to an ask that took a place can be lost.
        release();
        throw error;
      });
      const over = new AbortController();
      const renew = async (): Promise<never> => {
        for (;;) {
          await wait(leaseMs / 3, undefined, { signal: over.signal, ref: false });
          // A long answer keeps its place, and takes it again from a Redis that has lost it.
          await ask(Number.MAX_SAFE_INTEGER, leaseMs / 3).catch(() => undefined);
        }
      };
      void renew().catch(() => undefined);
      return () => {
        over.abort();
        release();
      };
    },
  };
}

/** The result of the work. Rejects if it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = wait(Math.max(0, ms), undefined, { signal: timer.signal }).then(() => Promise.reject(new Error('no answer in time')));
  return Promise.race([work, late]).finally(() => timer.abort());
}
