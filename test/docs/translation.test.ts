import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../scripts/site/headings.ts';
import { cellsOf, root, textOf } from './snippets.ts';

const english = textOf('README.md');

/** Everything that a translation has in common with its original. */
function frameOf(page: string): { fences: string[]; headings: number[]; tableKeys: string[][]; links: string[] } {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
  const tables = [...prose.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => table.trim().split('\n').slice(2));
  return {
    fences: [...page.matchAll(/^```[\s\S]*?^```$/gm)].map(([fence]) => fence),
    headings: headingsOf(page).map((heading) => heading.level),
    tableKeys: tables.map((rows) => rows.map((row) => cellsOf(row)[0] ?? '')),
    // Anchors are translated with their headings; the link to the other language differs.
    links: [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target).filter((target) => !/^README/.test(target)),
  };
}

describe('README.zh-CN.md', () => {
  const file = 'README.zh-CN.md';

  it.runIf(existsSync(root + file))('has the fences, headings, table keys and links of README.md', () => {
    const translated = frameOf(textOf(file));
    const original = frameOf(english);
    expect(translated.fences).toEqual(original.fences);
    expect(translated.headings).toEqual(original.headings);
    expect(translated.tableKeys).toEqual(original.tableKeys);
    expect(translated.links.sort()).toEqual(original.links.sort());
  });

  it('a page that lost a fence, a heading, a row or a link would not pass', () => {
    const page = '# A\n\n## B\n\n```sh\nnpm ci\n```\n\n| key | text |\n|---|---|\n| `a` | one |\n\n[more](docs/hosts.md)\n';
    expect(frameOf(page)).toEqual({ fences: ['```sh\nnpm ci\n```'], headings: [1, 2], tableKeys: [['`a`']], links: ['docs/hosts.md'] });
    expect(frameOf(page.replace('one', '一').replace('# A', '# 甲'))).toEqual(frameOf(page));
    for (const part of ['npm ci', '## B', '| `a` | one |', '[more](docs/hosts.md)'])
      expect(frameOf(page.replace(part, ''))).not.toEqual(frameOf(page));
  });
});
