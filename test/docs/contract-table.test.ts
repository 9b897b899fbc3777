import { existsSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import ts from '../../scripts/typescript.mjs';
import { cellsOf, root, textOf } from './snippets.ts';

/** The pages that name the test of each rule and threat. */
const proofPages = ['docs/contract.md', 'docs/internals/threats.md'];

/** Folders that a path in a page may start from. */
const bases = ['', 'src/', 'src/overlay/', 'test/'];

interface Reference {
  /** Line of the page. */
  readonly line: number;
  readonly path: string;
  /** A declaration in a source, after `#`. */
  readonly name?: string;
  /** Names of tests, in quotes after a test file in the same cell. */
  readonly tests: string[];
}

/** Every file that a page names in backticks, with the quoted tests that follow it in its cell. */
function referencesOf(text: string): Reference[] {
  return text.split('\n').flatMap((line, index) => {
    const found: Reference[] = [];
    for (const cell of line.startsWith('|') ? cellsOf(line) : [line]) {
      let current: Reference | undefined;
      for (const { 1: code, 2: quoted } of cell.matchAll(/`([^`]+)`|["“]([^"”]+)["”]/g)) {
        if (quoted !== undefined) {
          if (current?.path.endsWith('.test.ts')) current.tests.push(quoted);
          continue;
        }
        const [, path, name] = /^([\w./-]+\.(?:ts|js|mjs|yaml|json|md))(?:#(\w+))?$/.exec(code ?? '') ?? [];
        if (path === undefined || !(path.includes('/') || path.endsWith('.test.ts') || name !== undefined)) continue;
        current = { line: index + 1, path, tests: [], ...(name === undefined ? {} : { name }) };
        found.push(current);
      }
    }
    return found;
  });
}

function fileOf(path: string): string | undefined {
  return bases.map((base) => base + path).find((file) => existsSync(root + file) && statSync(root + file).isFile());
}

interface TestFile {
  /** First arguments of `describe`, `it` and `test`. */
  readonly titles: readonly string[];
  /** All texts of the file: a row of a table may carry the whole name of its test. */
  readonly texts: readonly string[];
}

const parsed = new Map<string, TestFile>();

function testFile(file: string): TestFile {
  const known = parsed.get(file);
  if (known) return known;
  const titles: string[] = [];
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textIn(node);
    if (text !== undefined) texts.push(text);
    if (ts.isCallExpression(node) && node.arguments[0] && /^(describe|it|test)\b/.test(node.expression.getText())) {
      const title = textIn(node.arguments[0]);
      if (title !== undefined) titles.push(title);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true));
  const result = { titles, texts };
  parsed.set(file, result);
  return result;
}

/** The text of a literal; what a template fills in is a placeholder like any other. */
function textIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node)
    ? [node.head, ...node.templateSpans.map((span) => span.literal)].map((part) => part.text).join('%s')
    : undefined;
}

const placeholder = /%[sdifjoOc#%]|\$[\w.]+/;

function pattern(text: string, wild: RegExp): RegExp {
  const parts = text.split(wild).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** How many texts of a file begin like a name that is cut at its end. */
function startsOf({ texts }: TestFile, name: string): number {
  const wanted = pattern(name, /…/);
  return new Set(texts.filter((text) => wanted.test(text) || wanted.test(text.replaceAll(new RegExp(placeholder, 'g'), '…')))).size;
}

/** Whether a file has a test of this name; `…` in it matches anything, and so do the placeholders of a title. */
function hasTest({ titles, texts }: TestFile, name: string): boolean {
  const wanted = pattern(name, /…/);
  return (
    titles.some((title) => wanted.test(title.replaceAll(new RegExp(placeholder, 'g'), '…'))) ||
    // A title that is almost all placeholders would fit every name.
    titles.some((title) => title.replaceAll(new RegExp(placeholder, 'g'), '').trim().length >= 8 && pattern(title, placeholder).test(name)) ||
    (!/^[…\W]*$/.test(name) && texts.some((text) => wanted.test(text)))
  );
}

describe.each(proofPages)('%s', (page) => {
  const references = referencesOf(textOf(page));

  it('names tests at all', () => {
    expect(references.flatMap((one) => one.tests).length).toBeGreaterThan(10);
  });

  it('names only files that exist', () => {
    expect(references.filter((one) => fileOf(one.path) === undefined).map((one) => `${page}:${one.line} ${one.path}`)).toEqual([]);
  });

  it('names only declarations that their file has', () => {
    const lost = references.filter(({ path, name }) => {
      const file = fileOf(path);
      const declared = `(function|class|const|let|interface|type)\\s+${name}\\b`;
      return name !== undefined && file !== undefined && !new RegExp(declared).test(textOf(file));
    });
    expect(lost.map((one) => `${page}:${one.line} ${one.path}#${one.name}`)).toEqual([]);
  });

  it('names only tests that their file has', () => {
    const lost = references.flatMap(({ line, path, tests }) => {
      const file = fileOf(path);
      return file === undefined ? [] : tests.filter((name) => !hasTest(testFile(file), name)).map((name) => `${page}:${line} ${path}: "${name}"`);
    });
    expect(lost).toEqual([]);
  });
});

it('docs/internals/threats.md cuts a name only where one test of its file begins so', () => {
  const cut = referencesOf(textOf('docs/internals/threats.md')).flatMap(({ path, tests }) =>
    tests.filter((name) => name.endsWith(' …')).map((name) => ({ path, name })),
  );
  expect(cut.length).toBeGreaterThan(100);
  expect(cut.filter(({ path, name }) => startsOf(testFile(fileOf(path) ?? path), name) > 1)).toEqual([]);
});

describe('the table of the contract', () => {
  const rows = textOf('docs/contract.md')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map(cellsOf);

  it('has every section of the contract, with all its items', () => {
    const counts: Record<string, number> = {};
    for (const [item = ''] of rows) {
      const section = /^(?:2\.\d|4\.\d|6\.\d|\d)/.exec(item)?.[0] ?? '';
      counts[section] = (counts[section] ?? 0) + 1;
    }
    expect(counts).toEqual({
      '1': 8,
      '2.1': 12,
      '2.2': 10,
      '2.3': 4,
      '2.4': 4,
      '2.5': 1,
      '2.6': 9,
      '2.7': 2,
      '3': 2,
      '4.1': 4,
      '4.2': 4,
      '4.3': 10,
      '4.4': 1,
      '4.5': 6,
      '5': 6,
      '6.1': 1,
      '6.2': 3,
      '6.3': 6,
      '7': 10,
      '8': 7,
      '9': 5,
    });
    expect(new Set(rows.map(([item]) => item)).size).toBe(rows.length);
  });

  it('gives each item a test, or names the gap', () => {
    expect(rows.filter((cells) => cells.length !== 4 || (cells[2] === '' && cells[3] === ''))).toEqual([]);
  });
});

describe('the check itself', () => {
  const file: TestFile = {
    titles: ['status %s is retried', '%s', 'leaving the loop closes the socket', '$operation: $field is required'],
    texts: ['no key'],
  };

  it.each(['status 429 is retried', 'status … is retried', 'leaving the loop …', 'no key', '…: … is required', 'chat.create: model is required'])(
    'finds "%s"',
    (name) => {
      expect(hasTest(file, name)).toBe(true);
    },
  );

  it.each(['status 429 is not retried', 'leaving the loop', 'a key', '', 'closes the socket'])('does not find "%s"', (name) => {
    expect(hasTest(file, name)).toBe(false);
  });

  it('reads files and tests out of a row, and ignores prose', () => {
    const row =
      '| 1 | a "rule" | `retry.ts#retryDelay`, `docs/hosts.md` | `call/calls.test.ts`: "one", "two | three"; `call/hooks.test.ts`: "four" |';
    expect(referencesOf(`Say \`npm test\` and "hello".\n${row.replace('two | three', 'two \\| three')}`)).toEqual([
      { line: 2, path: 'retry.ts', name: 'retryDelay', tests: [] },
      { line: 2, path: 'docs/hosts.md', tests: [] },
      { line: 2, path: 'call/calls.test.ts', tests: ['one', 'two | three'] },
      { line: 2, path: 'call/hooks.test.ts', tests: ['four'] },
    ]);
  });
});
