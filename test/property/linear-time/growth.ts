import { expect } from 'vitest';

/** The timed work: built for a size before the clock starts. */
export type Work = () => unknown;

/**
 * Fails when work grows faster than its input. From one size to the next the input is four times as large. Linear work takes four times as
 * long, quadratic sixteen, cubic sixty-four. Judged by the CPU time of this process, so that a busy machine does not count, and by the best of
 * several rounds. One step alone is not a proof: an input that no longer fits a cache takes it too. So two steps in a row must be too large, and
 * the last size is a spare one, for a doubt about the one before. Sizes go up, so that a fault ends the test before it takes hours.
 */
export async function expectLinear(workOf: (size: number) => Work, sizes: readonly number[], costOf = cpuMs): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  let isDoubtful = false;
  for (const [index, size] of sizes.entries()) {
    if (index === sizes.length - 1 && !isDoubtful) return;
    const work = workOf(size);
    const limit = 10 * before + smallMs;
    let best = await costOf(work);
    // A second round sharpens the limit of the next size. The last but one has a next size only if it is in doubt.
    const rounds = index < sizes.length - 2 ? 2 : 1;
    for (let round = 1; round < 5 && (round < rounds || best > limit); round++) best = Math.min(best, await costOf(work));
    if (isDoubtful) expect(best, `CPU milliseconds for size ${size}; the size before took ${before.toFixed(1)}`).toBeLessThanOrEqual(limit);
    isDoubtful = best > limit;
    before = best;
  }
}

/** Below this, growth is lost among compilers and collectors. */
const smallMs = 60;

async function cpuMs(work: Work): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Each four times the one before, and a spare one. */
export function sizesUpTo(most: number): readonly number[] {
  return [most / 64, most / 16, most / 4, most, most * 4].map(Math.round);
}
