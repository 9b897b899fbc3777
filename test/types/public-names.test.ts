import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { entryNames } from '../../scripts/entries.ts';

/** The names of an entry that exist at run time, as its report lists them. A name that goes is a breaking change; one that comes is a promise. */
function reported(entry: string): string[] {
  const report = readFileSync(new URL(`../../docs/internals/api-report/${entry}.api.md`, import.meta.url), 'utf8');
  const names = report.matchAll(/^export (?:(?:abstract )?(?:class|function|const|let|enum) (\w+)|\{ \w+ as (\w+) \})/gm);
  return [...new Set([...names].map(([, name, alias]) => name ?? alias ?? ''))].sort();
}

it.each(entryNames)('the public names are these and no others: %s', async (entry) => {
  const names = (await import(`../../src/${entry === 'index' ? 'overlay' : entry}/index.ts`)) as object;
  expect(Object.keys(names).sort()).toEqual(reported(entry));
  expect(Object.entries(names).filter(([, value]) => value === undefined)).toEqual([]);
});
