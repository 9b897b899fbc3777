import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../scripts/site/headings.ts';
import { englishOf, followed, isTranslation, markOf } from '../../scripts/site/translations.ts';
import { cellsOf, pages, textOf } from './snippets.ts';

const translations = pages().filter(isTranslation);

/** Everything that a translation has in common with its original. */
function frameOf(page: string): { fences: string[]; headings: number[]; tableKeys: string[][]; links: string[] } {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
  const tables = [...prose.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => table.trim().split('\n').slice(2));
  return {
    fences: [...page.matchAll(/^```[\s\S]*?^```$/gm)].map(([fence]) => fence),
    headings: headingsOf(page).map((heading) => heading.level),
    tableKeys: tables.map((rows) => rows.map((row) => cellsOf(row)[0] ?? '')),
    // Anchors are translated with their headings; the link to the other language differs.
    links: [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target.replace('.zh-CN.md', '.md')),
  };
}

describe('a translation', () => {
  it.each(translations)('%s has the programs, headings, table keys and links of the English page', (file) => {
    const english = textOf(englishOf(file));
    const { date = '', mark, page } = followed(textOf(file)) ?? {};
    expect(page && join(file, '..', page)).toBe(englishOf(file));
    expect(new Date(date).getTime()).toBeLessThan(Date.now());
    // A page that lags fails nothing: the site has a line in its head.
    if (mark !== markOf(english)) return;
    const [translated, original] = [frameOf(textOf(file)), frameOf(english)];
    const ownLink = basename(englishOf(file));
    const links = (page: typeof original): string[] => page.links.filter((link) => link !== ownLink).sort();
    expect({ ...translated, links: links(translated) }).toEqual({ ...original, links: links(original) });
  });

  it('exists of the pages that half of the readers need', () => {
    const needed = ['README', 'docs/README', 'docs/guides/chat', 'docs/guides/errors', 'docs/hosts', 'docs/guides/coding-tools', 'docs/cli'];
    expect(translations.sort()).toEqual(needed.map((name) => `${name}.zh-CN.md`).sort());
  });

  it('a page that lost a fence, a heading, a row or a link would not pass', () => {
    const page = '# A\n\n## B\n\n```sh\nnpm ci\n```\n\n| key | text |\n|---|---|\n| `a` | one |\n\n[more](docs/hosts.md)\n';
    expect(frameOf(page)).toEqual({ fences: ['```sh\nnpm ci\n```'], headings: [1, 2], tableKeys: [['`a`']], links: ['docs/hosts.md'] });
    expect(frameOf(page.replace('one', '一').replace('# A', '# 甲'))).toEqual(frameOf(page));
    for (const part of ['npm ci', '## B', '| `a` | one |', '[more](docs/hosts.md)'])
      expect(frameOf(page.replace(part, ''))).not.toEqual(frameOf(page));
  });
});
