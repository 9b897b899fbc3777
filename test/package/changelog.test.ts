import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changelogProblems, releasesOf } from '../../scripts/release/changelog.ts';
import ts from '../../scripts/typescript.mjs';
import { version } from '../../src/overlay/version.ts';
import { root, textOf } from '../docs/snippets.ts';

const changelog = textOf('CHANGELOG.md');

/** Every `@deprecated` declaration of the sources, as `Class.method`, with the words of its tag. */
function deprecations(): { readonly name: string; readonly words: string }[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = textOf(`src/${file}`);
    if (!text.includes('@deprecated')) return [];
    const found: { name: string; words: string }[] = [];
    const visit = (node: ts.Node): void => {
      const tag = ts.getJSDocDeprecatedTag(node);
      const parts = [node.parent, node].map((one) => one && (one as ts.NamedDeclaration).name?.getText());
      if (tag) found.push({ name: parts.filter((part) => part !== undefined).join('.'), words: ts.getTextOfJSDocComment(tag.comment) ?? '' });
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
    return found;
  });
}

describe('CHANGELOG.md', () => {
  it('has Unreleased on top, then the version of the package, and the form of Keep a Changelog', () => {
    expect(changelogProblems(changelog, version)).toEqual([]);
  });

  it('has a newest entry that fits a screen', () => {
    const [, newest = ''] = changelog.split(/^## /m);
    expect(newest.trim().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('lists every deprecation of the sources with the version that removes it', () => {
    const listed = releasesOf(changelog).flatMap(({ changes }) => changes.flatMap(([kind, entries]) => (kind === 'Deprecated' ? entries : [])));
    // A mark that only puts a member at the end of completions.
    const found = deprecations().filter(({ name }) => name !== 'AbortSignalLike.throwIfAborted');
    expect(found.map((one) => one.name)).toEqual(expect.arrayContaining(['Chat.createStream', 'Anthropic.createStream']));
    const missing = found.filter(({ name, words }) => {
      const removal = /removed in (\d+\.\d+)/i.exec(words)?.[1];
      return removal === undefined || !listed.some((entry) => entry.includes(`\`${name}\``) && entry.includes(`Removed in ${removal}`));
    });
    expect(missing).toEqual([]);
  });
});

describe('the form of a changelog', () => {
  const good = `# Changelog

## [Unreleased]

## [0.10.0] - 2026-05-02

### Added

- One thing,
  over two lines.
- Another.

### Fixed

- A third.

## [0.9.0] - 2026-05-01
`;

  it('is read as releases with their entries', () => {
    expect(releasesOf(good)).toEqual([
      { name: 'Unreleased', date: undefined, changes: [] },
      {
        name: '0.10.0',
        date: '2026-05-02',
        changes: [
          ['Added', ['One thing,\n  over two lines.', 'Another.']],
          ['Fixed', ['A third.']],
        ],
      },
      { name: '0.9.0', date: '2026-05-01', changes: [] },
    ]);
    expect(changelogProblems(good, '0.10.0')).toEqual([]);
  });

  it.each([
    ['a version without a section', good, '0.11.0', 'no section for version 0.11.0'],
    ['no Unreleased', good.replace('Unreleased', '0.11.0'), '0.10.0', 'the first section is not Unreleased'],
    ['an older version on top', good.replace('0.9.0', '0.11.0'), '0.10.0', '0.11.0 comes after 0.10.0, and is not older'],
    ['a version twice', good.replace('0.9.0', '0.10.0'), '0.10.0', '0.10.0 comes after 0.10.0, and is not older'],
    [
      'no date',
      good.replace(' - 2026-05-01', ''),
      '0.10.0',
      '0.9.0: no date; write "## [0.9.0] - 2026-05-01", or "unpublished" in place of the date',
    ],
    [
      'an unknown kind',
      good.replace('### Fixed', '### Repaired'),
      '0.10.0',
      '0.10.0: "Repaired" is not one of Added, Changed, Deprecated, Removed, Fixed, Security',
    ],
    ['kinds out of order', good.replace('### Added', '### Security'), '0.10.0', '0.10.0: "Fixed" is out of order'],
    ['an empty kind', good.replace('- A third.', ''), '0.10.0', '0.10.0: "Fixed" is empty'],
  ])('refuses %s', (_case, text, wanted, problem) => {
    expect(changelogProblems(text, wanted)).toContain(problem);
  });
});
