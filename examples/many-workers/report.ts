/**
 * Progress, dead letters by category, tokens and cost.
 *
 *     npx tsx many-workers/report.ts
 *     npx tsx many-workers/report.ts --answers answers.jsonl    write the answers to a file
 *     npx tsx many-workers/report.ts --retry content            put dead letters of a category back
 *     npx tsx many-workers/report.ts --resume                   go on after a pause
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { estimateCost } from 'modelsvc';
import { Answers, connect, limit, queueOn } from './rows.ts';

const { values } = parseArgs({
  options: {
    answers: { type: 'string' },
    retry: { type: 'string' },
    resume: { type: 'boolean' },
  },
});
const redis = connect('gives up');
const queue = queueOn(redis);
const answers = new Answers(redis);

async function* linesOfAnswers(): AsyncGenerator<string> {
  const seen = new Set<string>();
  // A scan can return an entry twice.
  for await (const [id, answer] of answers.all())
    if (seen.size < seen.add(id).size)
      yield `${JSON.stringify({ id, answer })}\n`;
}

try {
  if (values.resume) await queue.resume();
  const dead: Record<string, number> = {};
  for (const job of await queue.getFailed()) {
    const category = job.failedReason.split(':')[0] ?? '';
    if (category === values.retry)
      await job.retry('failed', { resetAttemptsMade: true });
    else dead[category] = (dead[category] ?? 0) + 1;
  }
  let [answered, tokens, cost] = [0, 0, 0];
  for await (const line of linesOfAnswers()) {
    const { answer } = JSON.parse(line);
    answered++;
    tokens += answer.usage?.total_tokens ?? 0;
    cost += estimateCost(answer.model, answer.usage ?? {}) ?? 0;
  }
  const { prioritized, active, delayed } = await queue.getJobCounts(
    'prioritized',
    'active',
    'delayed',
  );
  const state = (await queue.isPaused())
    ? 'paused'
    : `next row in ${Math.max(0, await queue.getRateLimitTtl(limit.max))} ms`;
  console.log(
    `${answered} answered, ${active} in work, ${prioritized} waiting, ${delayed} to retry, dead: ${JSON.stringify(dead)}, ${state}`,
  );
  console.log(`${tokens} tokens, about $${cost.toFixed(4)}`);
  if (values.answers)
    await pipeline(linesOfAnswers(), createWriteStream(values.answers));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  redis.disconnect();
}
