import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headingsOf } from '../../scripts/site/headings.ts';
import { englishOf, followed, isTranslation, markOf } from '../../scripts/site/translations.ts';
import { cellsOf, pages, textOf } from './snippets.ts';

const translations = pages().filter(isTranslation);

/** The ids in a cell: code, and names and numbers such as `glm-5.3` and `1113`. Words are translated. */
function idsIn(cell: string): string {
  const text = cell.replace(/\]\([^)]*\)/g, ']');
  return [...text.matchAll(/`[^`]+`|[\w.-]*\d[\w-]*(?:\.\d[\w-]*)*|\w+_\w+/g)].map(([id]) => id).join(' ');
}

/** Everything that a translation has in common with its original: of a table the number of rows, and the ids in its first column. */
function frameOf(page: string): { fences: string[]; headings: number[]; tableIds: string[][]; links: string[] } {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
  const tables = [...prose.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) => table.trim().split('\n').slice(2));
  return {
    fences: [...page.matchAll(/^```[\s\S]*?^```$/gm)].map(([fence]) => fence),
    headings: headingsOf(page).map((heading) => heading.level),
    tableIds: tables.map((rows) => rows.map((row) => idsIn(cellsOf(row)[0] ?? ''))),
    // Anchors are translated with their headings; the link to the other language differs.
    links: [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target.replace('.zh-CN.md', '.md')),
  };
}

describe('a translation', () => {
  it.each(translations)('%s has the programs, headings, rows, ids and links of the English page', (file) => {
    const english = textOf(englishOf(file));
    const { date = '', mark, page } = followed(textOf(file)) ?? {};
    expect(page && join(file, '..', page)).toBe(englishOf(file));
    expect(new Date(date).getTime()).toBeLessThan(Date.now());
    // A page that lags is not compared: the site has a line in its head.
    if (mark !== markOf(english)) return;
    const [translated, original] = [frameOf(textOf(file)), frameOf(english)];
    const ownLink = basename(englishOf(file));
    const links = (page: typeof original): string[] => page.links.filter((link) => link !== ownLink).sort();
    expect({ ...translated, links: links(translated) }).toEqual({ ...original, links: links(original) });
  });

  it('exists of the pages that half of the readers need', () => {
    const needed = [
      'README',
      'docs/README',
      'docs/guides/chat',
      'docs/guides/errors',
      'docs/guides/error-codes',
      'docs/hosts',
      'docs/guides/coding-tools',
      'docs/cli',
    ];
    expect(translations.sort()).toEqual(needed.map((name) => `${name}.zh-CN.md`).sort());
  });

  it('has first columns in Chinese, and no sentence that explains an English one', () => {
    for (const file of translations) {
      expect(textOf(file), file).not.toContain('首列');
      const cells = [
        ...textOf(file)
          .replace(/^```[\s\S]*?^```$/gm, '')
          .matchAll(/(?:^\|.*\n?)+/gm),
      ].flatMap(([table]) =>
        table
          .trim()
          .split('\n')
          .slice(2)
          .map((row) => cellsOf(row)[0] ?? ''),
      );
      const plain = cells.map((cell) => cell.replace(/`[^`]*`|\]\([^)]*\)/g, ''));
      expect(
        plain.filter((cell) => /\b(the|of|and|in|a|that|or)\b/.test(cell)),
        file,
      ).toEqual([]);
    }
  });

  it.each(['docs/README.zh-CN.md'])('%s marks each link to a page without a translation', (file) => {
    const list = textOf(file)
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .join('\n');
    for (const [, target = '', after = ''] of list.matchAll(/\]\(([^)\s#]+\.md)\)(.{0,4})/g))
      expect([target, after.startsWith('（英文）')]).toEqual([target, !isTranslation(target)]);
  });

  it('uses the terms of the vendor, and full-width punctuation after Chinese words', () => {
    const wrong =
      /根地址|(?<!错误)业务码|内容审核|语音合成|据报告|频率限制|守卫函数|API 密钥|再次询问|作答的模型|选择哪个接口|[\u4e00-\u9fff][:;,](?: |$)/;
    for (const file of translations)
      expect(
        textOf(file)
          .replace(/^```[\s\S]*?^```$/gm, '')
          .split('\n')
          .filter((line) => wrong.test(line)),
        file,
      ).toEqual([]);
  });

  it('a page that lost a fence, a heading, a row or a link would not pass', () => {
    const page = '# A\n\n## B\n\n```sh\nnpm ci\n```\n\n| key | text |\n|---|---|\n| `a` | one |\n\n[more](docs/hosts.md)\n';
    expect(frameOf(page)).toEqual({ fences: ['```sh\nnpm ci\n```'], headings: [1, 2], tableIds: [['`a`']], links: ['docs/hosts.md'] });
    expect(idsIn('glm-5.1, 5, 5-turbo; `a b` on 429, invalid_key')).toBe('glm-5.1 5 5-turbo `a b` 429 invalid_key');
    expect(frameOf(page.replace('one', '一').replace('# A', '# 甲'))).toEqual(frameOf(page));
    for (const part of ['npm ci', '## B', '| `a` | one |', '[more](docs/hosts.md)'])
      expect(frameOf(page.replace(part, ''))).not.toEqual(frameOf(page));
  });
});
