import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOf } from '../docs/snippets.ts';

const packed = textOf('test/package/packed-files.txt').split('\n');
const pages = packed.filter((path) => path.endsWith('.md'));

/** Links of a page of the package to files that the package does not have. A folder counts as its README.md. */
function deadLinks(page: string, text: string, files: readonly string[]): string[] {
  const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    const path = join(page, '..', target).replaceAll('\\', '/');
    return !files.includes(path) && !files.includes(join(path, 'README.md').replaceAll('\\', '/'));
  });
}

it('finds links to files outside of the package', () => {
  const text = 'See [a](b.md), [c](../README.md#x), [d](#here), [e](https://example.com/f.md), [g](g.md "G"), [h](sub/).';
  expect(deadLinks('docs/a.md', text, ['README.md', 'docs/b.md', 'docs/sub/README.md'])).toEqual(['g.md']);
});

it('the package has pages', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/versions.md']));
});

// A reader of node_modules or of the registry's page has only the packed files: pack the target, link to its URL, or name it without a link.
it.each(pages)('%s links only to files of the package', (page) => {
  expect(deadLinks(page, textOf(page), packed)).toEqual([]);
});
