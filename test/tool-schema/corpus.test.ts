import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { schemas, schemasReport } from '../../scripts/corpus/schemas.ts';

describe('tool schemas of real MCP servers', () => {
  it('come out without a forbidden keyword and accept all that they accepted', () => {
    const figures = schemas(fileURLToPath(new URL('../corpus', import.meta.url)));
    console.log(schemasReport(figures));
    expect(figures.tools).toBeGreaterThan(300);
    expect(figures.violations).toEqual([]);
    expect(figures.aboveBound).toEqual([]);
  });
});
