import { expect } from 'vitest';

/** What is timed: built for a size before the clock starts. */
export type Work = () => unknown;

/**
 * Fails when work grows faster than its input: from one size to the next the input is four times as large, and linear work takes four times as
 * long, quadratic sixteen, cubic sixty-four. Judged by the CPU time of this process, so that a busy machine does not count, and by the best of
 * several rounds. Sizes go up, so that a fault ends the test before it takes hours.
 */
export async function expectLinear(workOf: (size: number) => Work, sizes: readonly number[]): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (const size of sizes) {
    const work = workOf(size);
    const limit = 10 * before + smallMs;
    let best = await timed(work);
    for (let round = 1; round < 5 && (round < 2 || best > limit); round++) best = Math.min(best, await timed(work));
    expect(best, `CPU milliseconds for size ${size}; the size before took ${before.toFixed(1)}`).toBeLessThanOrEqual(limit);
    before = best;
  }
}

/** Below this, growth is lost among compilers and collectors. */
const smallMs = 60;

async function timed(work: Work): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Each four times the one before. */
export function sizesUpTo(most: number): readonly number[] {
  return [most / 64, most / 16, most / 4, most].map(Math.round);
}
