import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { schemas, schemasReport } from '../../scripts/service/corpus/schemas.ts';

describe('tool schemas of real MCP servers', () => {
  const figures = schemas(fileURLToPath(new URL('../corpus', import.meta.url)));

  it('come out without a forbidden keyword and accept all that they accepted', () => {
    console.log(schemasReport(figures));
    expect(figures.tools).toBe(338);
    expect(figures.rewritten).toBe(52);
    expect(figures.violations).toEqual([]);
    expect(figures.aboveBound).toEqual([]);
    expect(figures.pairs).toBeGreaterThan(1_800);
  });

  // A rewriter that keeps more raises these figures. One that keeps less is refused.
  it.each([
    ['names', 571, 845],
    ['descriptions', 518, 580],
    ['enums', 101, 321],
  ] as const)('keep their %s: %i of %i', (fact, floor, total) => {
    expect(figures[fact].total).toBe(total);
    expect(figures[fact].kept).toBeGreaterThanOrEqual(floor);
  });

  it('lose meaning in at most 31 of 52, and grow at most to twice their size', () => {
    expect(figures.lossy).toBeLessThanOrEqual(31);
    expect(figures.growth.aboveTwice).toBe(0);
  });
});
