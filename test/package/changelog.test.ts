import { describe, expect, it } from 'vitest';
import { changelogProblems, releasesOf } from '../../scripts/release/changelog.ts';

describe('the form of a changelog', () => {
  const good = `# Changelog

## [Unreleased]

## [0.10.0] - 2026-05-02

### Added

- One [thing](a.md),
  over two lines.
- **Breaking:** [another](b.md).

### Fixed

- A [third](c.md).

## [0.9.0] - 2026-05-01
`;

  it('is read as releases with their entries', () => {
    expect(releasesOf(good)).toEqual([
      { name: 'Unreleased', date: undefined, changes: [] },
      {
        name: '0.10.0',
        date: '2026-05-02',
        changes: [
          ['Added', ['One [thing](a.md),\n  over two lines.', '**Breaking:** [another](b.md).']],
          ['Fixed', ['A [third](c.md).']],
        ],
      },
      { name: '0.9.0', date: '2026-05-01', changes: [] },
    ]);
    expect(changelogProblems(good, '0.10.0')).toEqual([]);
  });

  it('needs no Unreleased before the first release', () => {
    expect(changelogProblems('## [0.1.0] - unpublished\n\n### Added\n\n- A [thing](a.md).\n', '0.1.0')).toEqual([]);
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
    ['an empty kind', good.replace('- A [third](c.md).', ''), '0.10.0', '0.10.0: "Fixed" is empty'],
    ['an entry of 26 words', good.replace('third', 'w '.repeat(24)), '0.10.0', `0.10.0: "A [${'w '.repeat(13)}w…" has 26 words (at most 25)`],
    [
      'a breaking change that is told late',
      good.replace('A [third', 'A breaking [third'),
      '0.10.0',
      '0.10.0: "A breaking [third](c.md).…" does not begin with **Breaking:**',
    ],
    ['an entry without a link', good.replace('[third](c.md)', 'third'), '0.10.0', '0.10.0: "A third.…" has no link'],
  ])('refuses %s', (_case, text, wanted, problem) => {
    expect(changelogProblems(text, wanted)).toContain(problem);
  });
});
