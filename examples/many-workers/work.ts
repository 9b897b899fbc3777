/**
 * Answer the rows of the queue. Start as many of these as you like, on any machine; all of them share the places of one key.
 *
 *     SVC_API_KEY=... REDIS_URL=redis://localhost:6379 PLACES=4 npx tsx many-workers/work.ts
 *
 * SIGTERM or Ctrl-C: the worker takes no more rows, finishes its calls for up to 30 s, and gives the others back.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { newClient } from 'modelsvc';
import { redisLimiter } from '../redis-limiter.ts';
import { answering, noRepeat } from './answer.ts';
import { Answers, connect, limit, queueName, queueOn } from './rows.ts';

// The limit of the key. Every worker must have the same.
const places = Number(process.env.PLACES ?? 4);
const lockMs = Number(process.env.LOCK_MS ?? 30_000);
const graceMs = Number(process.env.GRACE_MS ?? 30_000);

const redis = connect('waits');
const limiter = redisLimiter((script, key, ...values) => redis.eval(script, 1, key, ...values), {
  name: 'my-account',
  places,
  leaseMs: Number(process.env.LEASE_MS ?? 10_000),
  pollMs: Number(process.env.POLL_MS ?? 100),
});
const client = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  // A refusal is cheaper here than as a failed job.
  maxRetries: 8,
  retryDelay: Number(process.env.RETRY_MS ?? 200),
  concurrency: { max: places, limiter },
  hooks: [noRepeat],
});

const worker = new Worker(queueName, answering({ client, queue: queueOn(redis), answers: new Answers(redis) }), {
  connection: redis,
  concurrency: places,
  limiter: limit,
  // The row of a killed worker is free after its lock, at the next look.
  lockDuration: lockMs,
  stalledInterval: lockMs / 2,
  // A row that kills its worker each time is a dead letter in the end.
  maxStalledCount: 10,
});
worker.on('error', (error) => console.error('Worker:', error.message));
worker.on('failed', (job, error) => console.error(`${job?.data?.id}: attempt ${job?.attemptsMade}: ${error.message}`));

let stopping: Promise<void> | undefined;
async function stop(): Promise<void> {
  const closed = worker.close();
  const late = AbortSignal.timeout(graceMs);
  late.addEventListener('abort', () => worker.cancelAllJobs('the worker stops'));
  await Promise.race([closed, wait(2 * graceMs, undefined, { ref: false })]);
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (stopping ??= stop()));
