import { describe, expect, it } from 'vitest';
import { fileProblems, lineOf, ownerProblems, treeProblems, type Versions, versionProblems } from '../../scripts/release/checks.ts';
import { floorOf } from '../../scripts/release/installed.ts';
import { ownerFields } from '../../scripts/release/owner.ts';
import { programs } from '../../scripts/release/programs.ts';
import { textOf } from '../docs/snippets.ts';

const changelog = '## [Unreleased]\n\n## [0.2.0] - 2026-05-01\n';
const ready: Versions = { manifest: '0.2.0', source: '0.2.0', tags: ['v0.2.0', 'newest'], changelog };

describe('release:check', () => {
  it('accepts a tagged commit with one version everywhere', () => {
    expect(versionProblems(ready)).toEqual([]);
  });

  it.each<[string, Partial<Versions>, string]>([
    ['no tag', { tags: [] }, 'the commit has no tag v0.2.0'],
    ['another tag', { tags: ['v0.2.0-rc.1', '0.2.0'] }, 'the commit has no tag v0.2.0'],
    ['another version in the sources', { source: '0.1.0' }, 'src/generated/version.ts has 0.1.0, package.json has 0.2.0'],
    ['no section', { changelog: '## [Unreleased]\n' }, 'CHANGELOG.md: no section for version 0.2.0'],
    ['a section without a date of release', { changelog: changelog.replace('2026-05-01', 'unpublished') }, 'CHANGELOG.md: write the date of 0.2.0'],
  ])('refuses %s', (_case, change, problem) => {
    expect(versionProblems({ ...ready, ...change })).toEqual([problem]);
  });

  it('refuses a tree with changes, and names them', () => {
    expect(treeProblems('')).toEqual([]);
    expect(treeProblems(' M README.md\n?? a.txt\n')).toEqual(['commit or remove these changes: README.md, a.txt']);
  });

  it('names files that come or go', () => {
    expect(fileProblems(['b', 'a'], ['a', 'b'])).toEqual([]);
    const chunks = ['dist/cli/main.js', 'dist/cli/add2.js', 'dist/cli/ask.js', 'dist/shared/core.js', 'dist/shared/client.d.ts'];
    expect(fileProblems(chunks, ['dist/cli/*.js', 'dist/cli/main.js', 'dist/shared/*.d.ts', 'dist/shared/*.js'])).toEqual([]);
    expect(fileProblems(['a', 'new'], ['a', 'old'])).toEqual(['not in test/package/packed-files.txt: new', 'missing from the package: old']);
  });

  it('names the file with the placeholders of owner and repository, and each field that differs from it', () => {
    const owner = { name: 'A', email: 'a@example.com', url: 'https://example.com/a' };
    expect(ownerProblems(ownerFields(owner), owner)).toEqual([]);
    const placeholder = { ...owner, email: 'maintainers@placeholder.invalid' };
    expect(ownerProblems(ownerFields(placeholder), placeholder)).toEqual(['scripts/release/owner.json has a placeholder for email']);
    const other = { ...ownerFields(owner), repository: { type: 'git', url: 'git+https://example.com/b.git' } };
    const advice = 'than scripts/release/owner.json: run npx tsx scripts/release/owner.ts';
    expect(ownerProblems(other, owner)).toEqual([`package.json has another repository ${advice}`]);
    expect(ownerProblems({}, owner)).toHaveLength(4);
  });

  it('prints one line for a check', () => {
    expect(lineOf('clean tree', [])).toBe('ok      clean tree');
    expect(lineOf('tag', ['no tag', 'no date'])).toBe('failed  tag: no tag; no date');
  });
});

it('each program of a release is the script of package.json that its row names', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  for (const [name, { run }] of Object.entries(programs)) expect(scripts[run]).toMatch(new RegExp(`\\btsx scripts/release\\.ts ${name}$`));
});

describe('the table of Node versions', () => {
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
  const page = textOf('docs/versions.md');

  it('begins at the floor of package.json, has lines 22 and 24, and no failure', () => {
    const rows = [...page.matchAll(/^\| (\d+)\.(\d+\.\d+) \| (.*) \| (.*) \|$/gm)];
    expect(rows[0]?.slice(1, 3).join('.')).toBe(floorOf({ engines }));
    expect(new Set(rows.map(([, major]) => major))).toEqual(new Set(['20', '22', '24']));
    for (const [, , , ...outcomes] of rows) expect(outcomes).toEqual(['25 checks passed', '25 checks passed']);
  });

  it('reads the floor', () => {
    expect(floorOf({ engines: { node: '>=22' } })).toBe('22.0.0');
    expect(() => floorOf({ engines: { node: '^20 || ^22' } })).toThrow('write it as >=20.19');
  });
});
