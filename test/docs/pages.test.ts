import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Heading, headingsOf } from '../../scripts/site/headings.ts';
import { isTranslation } from '../../scripts/site/translations.ts';
import { pages, root, skillPage, snippetsOf, sourcesBelow, textOf } from './snippets.ts';

describe('the pages', () => {
  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = pages().flatMap((file) => [...textOf(file).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(2);
    expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
  });

  it('have a line for each npm script, in CONTRIBUTING.md', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const rows = (textOf('CONTRIBUTING.md').split('## Scripts')[1] ?? '').split('\n## ')[0]?.matchAll(/^\| (`(?!npm run).*?`) \|/gm) ?? [];
    const listed = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([\w:-]+)/g)].map(([, name = '']) => name));
    expect(listed.sort()).toEqual(
      Object.keys(scripts)
        .filter((name) => !/^pre/.test(name))
        .sort(),
    );
  });

  it('link only to files and headings of the project that exist', () => {
    const links = pages().flatMap((file) => linksOf(file, textOf(file)));
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !leadsSomewhere(link)).map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
  });

  it('of docs/ are all listed in its index, or in the index of the pages for contributors', () => {
    const indexes = ['docs/README.md', 'docs/internals/README.md'];
    const listed = indexes.flatMap((index) => linksOf(index, textOf(index)).map(({ target }) => join(index, '..', target)));
    expect(pages().filter((file) => file.startsWith('docs/') && !isTranslation(file) && !indexes.includes(file) && !listed.includes(file))).toEqual(
      [],
    );
    expect(listed).toContain('docs/internals/api-report/');
  });

  it('date each decision, and are short enough to be read', () => {
    const lines = textOf('docs/decisions.md').split('\n');
    expect(lines.filter((line) => /^[-*]/.test(line) && !/^- 20\d\d-\d\d-\d\d \*\*/.test(line))).toEqual([]);
    expect(lines.length).toBeLessThanOrEqual(350);
  });

  it('for coding agents has the head that agents look for, and leads only to files of the package', () => {
    const [, head = ''] = /^---\n(.*?)\n---\n/s.exec(textOf(skillPage)) ?? [];
    const { name, description } = parse(head) as Record<string, string>;
    expect([name, (description ?? '').length > 50 && (description ?? '').length <= 1024]).toEqual([skillPage.split('/').at(-2), true]);
    const packed = textOf('test/package/packed-files.txt').split('\n');
    const linked = linksOf(skillPage, textOf(skillPage)).map(({ target }) => join(skillPage, '..', target));
    expect([skillPage, ...linked].filter((file) => !packed.includes(file))).toEqual([]);
  });

  it('cite no document that is not in the repository, and neither do doc comments and the spec', () => {
    const files = [...pages(), ...['src', 'spec', 'examples', 'scripts'].flatMap(sourcesBelow)];
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => foreignIn(textOf(file)).map((name) => `${file}: ${name}`))).toEqual([]);
  });
});

const guides = pages().filter((file) => file.startsWith('docs/guides/') && !isTranslation(file));

describe('the guides', () => {
  it('show a program or a command before the first list, table or section', () => {
    expect(guides.filter((file) => /^(?:- |\||## )/m.test(textOf(file).split('\n```', 1)[0] ?? ''))).toEqual([]);
  });

  it('are at most 30, and have at most 33,500 words with the README', () => {
    const words = ['README.md', ...guides].map((file) => textOf(file).split(/\s+/).length);
    expect([guides.length <= 30, words.reduce((sum, count) => sum + count) <= 33_500]).toEqual([true, true]);
  });

  it('have lines of at most 180 characters with the README, except in tables', () => {
    const long = ['README.md', ...guides].flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, at) => (line.length > 180 && !line.startsWith('|') ? [`${file}:${at + 1}: ${line.length} characters`] : [])),
    );
    expect(long).toEqual([]);
  });

  it('show programs, commands and output in at most 78 columns, so that no line is cut on a page', () => {
    const files = pages().filter((file) => /^(?:README|CONTRIBUTING|docs\/guides\/|skills\/)/.test(file));
    expect(files.flatMap((file) => wideLinesOf(textOf(file)).map((line) => `${file}: ${line}`))).toEqual([]);
    expect(wideLinesOf(`\`\`\`sh\n${'x'.repeat(78)}\n${'y'.repeat(79)}\n\`\`\`\n${'z'.repeat(79)}\n`)).toEqual(['y'.repeat(79)]);
  });

  it('make a client of this package in one way, and give no other client the key of another vendor', () => {
    // Only a recording is replayed without a key. `openai` reads OPENAI_API_KEY instead of an undefined key.
    const files = ['README.md', skillPage, ...guides].filter((file) => file !== 'docs/guides/recording.md');
    const code = files.flatMap((file) => ['ts', 'js'].flatMap((language) => snippetsOf(file, language)));
    const long = /\bnew(?:Client|Service)\([^)]*process\.env|process\.env\S*SVC_API_KEY\b(?!(?:'\])? \?\? '')/;
    expect(code.length).toBeGreaterThan(60);
    expect(code.filter((one) => long.test(one.code)).map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });
});

/** Lines of fences that a page would cut. */
function wideLinesOf(text: string): string[] {
  return [...text.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.split('\n').filter((line) => line.length > 78));
}

interface Link {
  readonly file: string;
  /** As it is written. */
  readonly target: string;
}

const repository = /^https:\/\/github\.com\/[\w.-]+\/modelsvc\/(?:blob|tree)\/[^/]+\//;

/** Links to the project: relative ones, and those to its repository. */
function linksOf(file: string, text: string): Link[] {
  return [...text.matchAll(/\]\(([^)\s]+)[^)]*\)/g)]
    .map(([, target = '']) => ({ file, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target) || repository.test(target));
}

function leadsSomewhere({ file, target }: Link): boolean {
  const isAbsolute = repository.test(target);
  const [path = '', anchor] = target.replace(repository, '').split('#');
  const destination = path === '' && !isAbsolute ? file : join(isAbsolute ? '' : join(file, '..'), path);
  if (!existsSync(root + destination)) return false;
  if (anchor === undefined || /^L\d+/.test(anchor)) return true;
  return destination.endsWith('.md') && headingsOf(textOf(destination)).some((heading: Heading) => heading.anchor === anchor);
}

/** Names of documents that only the authors have. `Contract 7.4` is a row of `docs/contract.md`. */
function foreignIn(text: string): string[] {
  return [...text.matchAll(/\bCONTRACT\b|\b(?:DESIGN|STYLE)(?:\.md\b| \d)|(?<![\w/.-])(?:wire|reference)\/[\w-]*|docs-and-release/g)].map(
    ([name]) => name,
  );
}

describe('the checks of pages', () => {
  it.each([
    ['hosts.md#one-url-for-every-operation', true],
    ['hosts.md#one-url', false],
    ['#evidence', true],
    ['#nowhere', false],
    ['nowhere.md', false],
    ['../README.md#guides', true],
    ['https://github.com/someone/modelsvc/blob/main/README.md#guides', true],
    ['https://github.com/someone/modelsvc/blob/main/README.md#nowhere', false],
    ['../src/overlay/errors/errors.ts', true],
  ])('judge the link %s', (target, good) => {
    const [link] = linksOf('docs/evidence.md', `See [it](${target}).`);
    expect(link && leadsSomewhere(link)).toBe(good);
  });

  it.each(['as CONTRACT 7.4 demands', 'see DESIGN.md 3.8', 'from `wire/chat.md`', '(reference/performance.md)'])(
    'find the document in "%s"',
    (text) => {
      expect(foreignIn(text)).toHaveLength(1);
    },
  );

  it.each(['the contract has it', 'bench/wire/floor.mjs', 'on the wire', 'a design'])('find no document in "%s"', (text) => {
    expect(foreignIn(text)).toEqual([]);
  });

  it('make anchors as the repository host does', () => {
    const page =
      "# One `code` word\n\n## C'est: déjà — vu!\n\n## Twice\n### Twice\n```sh\n# no heading\n```\n## [A link](x.md) & *more* snake_case\n";
    expect(headingsOf(page)).toEqual([
      { line: 1, level: 1, title: 'One `code` word', anchor: 'one-code-word' },
      { line: 3, level: 2, title: "C'est: déjà — vu!", anchor: 'cest-déjà--vu' },
      { line: 5, level: 2, title: 'Twice', anchor: 'twice' },
      { line: 6, level: 3, title: 'Twice', anchor: 'twice-1' },
      { line: 10, level: 2, title: '[A link](x.md) & *more* snake_case', anchor: 'a-link--more-snake_case' },
    ]);
  });
});
