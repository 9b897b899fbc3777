/**
 * Put rows into the queue. Run it again after any failure: rows that are in the queue or have an answer are not asked twice.
 *
 *     REDIS_URL=redis://localhost:6379 npx tsx many-workers/add.ts rows.jsonl
 */
import { open } from 'node:fs/promises';
import { Answers, connect, queueOn, type Row } from './rows.ts';

const [path = ''] = process.argv.slice(2);
const redis = connect('gives up');
const queue = queueOn(redis);
const answers = new Answers(redis);
// BullMQ's priorities: 1 is the first, 2,097,152 the last.
const classOfRows = 1_000_000;

async function jobOf(
  text: string,
  line: number,
): Promise<Parameters<typeof queue.addBulk>[0][number]> {
  const data = parsed(text) as Row | undefined;
  if (typeof data?.id !== 'string' || data.id === '')
    throw new Error(`${path}: line ${line} must be a JSON object with an id`);
  // The n-th row of a tenant comes after the rows before n of all others.
  const turn = Math.min(await answers.join(data), classOfRows);
  const priority = data.urgent ? turn : classOfRows + turn;
  const retries = {
    attempts: 10,
    backoff: { type: 'exponential', delay: 5000, jitter: 0.5 },
  };
  // BullMQ ignores a job whose id it has. Its ids contain no colon.
  return {
    name: data.tenant ?? '',
    data,
    opts: {
      jobId: `row-${encodeURIComponent(data.id)}`,
      priority,
      ...retries,
      removeOnComplete: true,
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let lines = 0;
try {
  let jobs: Parameters<typeof queue.addBulk>[0] = [];
  for await (const text of (await open(path)).readLines()) {
    jobs.push(await jobOf(text, ++lines));
    if (jobs.length < 500) continue;
    await queue.addBulk(jobs);
    jobs = [];
  }
  await queue.addBulk(jobs);
  console.log(`${lines} rows are in the queue or answered`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  redis.disconnect();
}
