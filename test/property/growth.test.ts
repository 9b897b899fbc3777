import { describe, expect, it } from 'vitest';
import { expectLinear, sizesUpTo } from './linear-time/growth.ts';

/** Judges work that takes `msOf(size)` milliseconds of CPU. Returns the sizes that were measured. */
async function measured(msOf: (size: number) => number): Promise<number[]> {
  const seen = new Set<number>();
  await expectLinear(
    (size) => () => size,
    sizesUpTo(64_000),
    async (work) => {
      const size = (await work()) as number;
      seen.add(size);
      return msOf(size);
    },
  );
  return [...seen];
}

const sizes = [1000, 4000, 16_000, 64_000];

describe('expectLinear', () => {
  it.each<[string, (size: number) => number]>([
    ['linear', (size) => size / 100],
    ['linear times a logarithm', (size) => (size * Math.log2(size)) / 1000],
    ['too short to judge', (size) => size ** 2 / 1e9],
  ])('accepts work that is %s, and needs no spare size', async (_what, msOf) => {
    expect(await measured(msOf)).toEqual(sizes);
  });

  it.each([4000, 16_000, 64_000])('accepts one jump at %i, with the next size as proof', async (jump) => {
    const seen = await measured((size) => (size / 100) * (size < jump ? 1 : 20));
    expect(seen).toEqual(jump === 64_000 ? [...sizes, 256_000] : sizes);
  });

  it.each<[string, (size: number) => number]>([
    ['quadratic', (size) => size ** 2 / 1e5],
    ['quadratic from the last size on', (size) => size / 100 + size ** 2 / 5e5],
    ['cubic', (size) => size ** 3 / 1e9],
    ['exponential', (size) => 2 ** (size / 1000)],
  ])('refuses work that is %s', async (_what, msOf) => {
    await expect(measured(msOf)).rejects.toThrow(/CPU milliseconds for size/);
  });
});
