/**
 * A `Limiter` that shares the places of a model among processes through Redis, for `Config.concurrency.limiter`.
 *
 * The places are the members of one sorted set. The score of a member is the end of its lease, so a crashed process frees its places.
 * The example works with any Redis client:
 *
 *     import { createClient } from 'redis';
 *     const redis = await createClient().connect();
 *     const evaluate: Evaluate = (script, key, ...values) => redis.eval(script, { keys: [key], arguments: values });
 *     const client = newClient({ apiKey, concurrency: { limiter: redisLimiter(evaluate, { name: 'my-account', places: 4 }) } });
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Limiter } from 'modelsvc';

/** Runs a Lua script with one key and its arguments. */
export type Evaluate = (script: string, key: string, ...values: string[]) => Promise<unknown>;

export interface RedisLimiterOptions {
  /** Part of the Redis key: a name for the account, because the gate's name does not contain the API key. */
  readonly name: string;
  /** Calls at once of all processes, for each model. */
  readonly places: number;
  /** Milliseconds after which the place of a crashed process is free. Default: 10,000. */
  readonly leaseMs?: number;
  /** Milliseconds between two asks while all places are taken. Default: 100. */
  readonly pollMs?: number;
}

// The clock of Redis: those of the processes differ.
const take = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1
end
return 0`;
const giveBack = `return redis.call('ZREM', KEYS[1], ARGV[1])`;

export function redisLimiter(evaluate: Evaluate, { name, places, leaseMs = 10_000, pollMs = 100 }: RedisLimiterOptions): Limiter {
  return {
    async acquire({ gate, signal }) {
      const key = `modelsvc:${name}:${gate}`;
      const member = randomUUID();
      const ask = async (): Promise<boolean> => (await evaluate(take, key, member, String(places), String(leaseMs))) === 1;
      // The jitter keeps processes from asking in step.
      while (!(await ask())) await wait(pollMs * (0.5 + Math.random()), undefined, { signal });
      // A long answer keeps its place.
      const renewal = setInterval(() => void ask().catch(() => undefined), leaseMs / 3).unref();
      return () => {
        clearInterval(renewal);
        // If Redis is away, the lease ends by itself.
        void evaluate(giveBack, key, member).catch(() => undefined);
      };
    },
  };
}
