import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { schemas } from '../../scripts/corpus/schemas.ts';

describe('tool schemas of real MCP servers', () => {
  it('come out without a forbidden keyword and accept all that they accepted', () => {
    const { violations, aboveBound, ...figures } = schemas(fileURLToPath(new URL('../corpus', import.meta.url)));
    console.log('corpus', { ...figures, violations: violations.length });
    expect(figures.tools).toBeGreaterThan(300);
    expect(violations).toEqual([]);
    expect(aboveBound).toEqual([]);
  });
});
