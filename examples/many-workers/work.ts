/**
 * Answer the rows of the queue. Start as many of these as you like, on any machine; BullMQ shares the places of one key among them.
 *
 *     SVC_API_KEY=... REDIS_URL=redis://localhost:6379 PLACES=4 npx tsx many-workers/work.ts
 *
 * SIGTERM or Ctrl-C: the worker takes no more rows, finishes its calls for up to 30 s, and gives the others back.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { newClient } from 'modelsvc';
import { answering } from './answer.ts';
import { Answers, connect, limit, queueName, queueOn } from './rows.ts';

// The limit of the key. It is stored in Redis: the worker that started last has set it for all.
const places = Number(process.env.PLACES ?? 4);
const lockMs = Number(process.env.LOCK_MS ?? 30_000);
const graceMs = Number(process.env.GRACE_MS ?? 30_000);

const redis = connect('waits');
const queue = queueOn(redis);
await queue.setGlobalConcurrency(places);
// BullMQ repeats the rows and orders the pauses.
const client = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  maxRetries: 0,
});

const worker = new Worker(
  queueName,
  answering({ client, queue, answers: new Answers(redis) }),
  {
    connection: redis,
    concurrency: places,
    limiter: limit,
    // The row and the place of a killed worker are free after its lock, at the next look.
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    // A row that kills its worker each time is a dead letter in the end.
    maxStalledCount: 10,
  },
);
worker.on('error', (error) => console.error('Worker:', error.message));
worker.on('failed', (job, error) =>
  console.error(
    `${job?.data?.id}: attempt ${job?.attemptsMade}: ${error.message}`,
  ),
);

let stopping: Promise<void> | undefined;
async function stop(): Promise<void> {
  const closed = worker.close();
  const late = AbortSignal.timeout(graceMs);
  late.addEventListener('abort', () =>
    worker.cancelAllJobs('the worker stops'),
  );
  await Promise.race([closed, wait(2 * graceMs, undefined, { ref: false })]);
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => (stopping ??= stop()));
