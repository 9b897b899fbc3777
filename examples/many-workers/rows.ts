/** The rows of the queue, their answers in Redis, and the connections to it. */
import { setTimeout as wait } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { ChatRequest, ChatResponse } from 'modelsvc';

export interface Row {
  /** Names the row in the queue and in the answers. The first row of an id counts. */
  readonly id: string;
  /** Rows of different tenants take turns. */
  readonly tenant?: string;
  /** Before all rows that are not urgent. */
  readonly urgent?: boolean;
  readonly request: ChatRequest;
}

export const queueName: string = process.env.QUEUE ?? 'rows';

/** Rows that all workers start in a minute. BullMQ looks for a pause of all workers only if there is such a limit; the default is never reached. */
export const limit: { readonly max: number; readonly duration: number } = {
  max: Number(process.env.PER_MINUTE ?? 1_000_000),
  duration: 60_000,
};

/** A connection that reports its errors. Workers wait for a Redis that is away; a program that someone watches should give up. */
export function connect(gives: 'waits' | 'gives up'): Redis {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', {
    maxRetriesPerRequest: gives === 'waits' ? null : 3,
  });
  return redis.on('error', (error) => console.error('Redis:', error.message));
}

export function queueOn(connection: Redis): Queue<Row> {
  return new Queue(queueName, { connection }).on('error', (error) =>
    console.error('Queue:', error.message),
  );
}

/** Answers by id, and the rows of each tenant that wait for one. Use the table of a database with a unique id instead. */
export class Answers {
  readonly #redis: Redis;
  readonly #key = `${queueName}:answers`;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async has(id: string): Promise<boolean> {
    return (await this.#redis.hexists(this.#key, id)) === 1;
  }

  /** Keeps the first answer of a row. It is paid for: while Redis is full or read-only, this waits and prints the reason. */
  async keep(row: Row, answer: ChatResponse): Promise<void> {
    for (;;)
      try {
        await this.#redis.hsetnx(this.#key, row.id, JSON.stringify(answer));
        return await this.leave(row);
      } catch (error) {
        console.error(
          `${row.id}: the answer waits for Redis:`,
          error instanceof Error ? error.message : error,
        );
        await wait(1000);
      }
  }

  /** Number of the tenant's rows without an answer, with this one. */
  async join({ tenant = '', id }: Row): Promise<number> {
    const key = `${queueName}:tenant:${tenant}`;
    await this.#redis.sadd(key, id);
    return this.#redis.scard(key);
  }

  async leave({ tenant = '', id }: Row): Promise<void> {
    await this.#redis.srem(`${queueName}:tenant:${tenant}`, id);
  }

  async *all(): AsyncGenerator<[id: string, answer: ChatResponse]> {
    for await (const entries of this.#redis.hscanStream(this.#key))
      for (let at = 0; at < entries.length; at += 2)
        yield [entries[at], JSON.parse(entries[at + 1])];
  }
}
