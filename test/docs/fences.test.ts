import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headingsOf } from '../../scripts/site/headings.ts';
import { isTranslation } from '../../scripts/site/translations.ts';
import { type FenceCase, fenceCases } from './fences/cases.ts';
import { type Outcome, Workshop } from './fences/workshop.ts';
import { frameworks, hasFrameworks, pages, type Snippet, skillPage, snippetsOf, textOf } from './snippets.ts';

/** Languages of fences. A `ts` or `js` fence is run, a `json` fence is parsed. The rest is for people. */
const languages = ['ts', 'js', 'json', 'sh', 'console', 'yaml', 'http', 'text', 'diff', 'mermaid', ''];

const otherUserPages: readonly string[] = ['README.md', 'docs/hosts.md', skillPage];

/** Pages for users: each program in them is run. */
const userPages = pages().filter((file) => otherUserPages.includes(file) || file.startsWith('docs/guides/'));

interface Fence extends Snippet {
  /** Page, anchor of the heading above, and a number if the heading has several. */
  readonly key: string;
}

function fencesOf(file: string): Fence[] {
  const headings = headingsOf(textOf(file));
  const counts = new Map<string, number>();
  return ['ts', 'js']
    .flatMap((language) => snippetsOf(file, language))
    .sort((a, b) => a.line - b.line)
    .map((snippet) => {
      const place = `${file}#${headings.findLast((heading) => heading.line < snippet.line)?.anchor ?? ''}`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return { ...snippet, key: count === 1 ? place : `${place}:${count}` };
    });
}

const fences = userPages.flatMap(fencesOf);

const noCase: FenceCase = {};

/** A fence of a translation has the cases of the same fence on the English page. */
function casesOf(key: string): readonly FenceCase[] {
  const code = fences.find((one) => one.key === key && isTranslation(one.file))?.code;
  const english = code === undefined ? key : fences.find((one) => one.code === code && !isTranslation(one.file))?.key;
  const given = fenceCases[english ?? key] ?? noCase;
  return Array.isArray(given) ? given : [given as FenceCase];
}

/** A comment that promises a failure. */
const promise = /\/\/.*\b(throws|rejects|refused|must notice)\b/;

describe('fences', () => {
  it('have a language that is run, parsed or only shown', () => {
    const unknown = pages().flatMap((file) =>
      [...textOf(file).matchAll(/^```([^\n`]*)\n[\s\S]*?^```$/gm)].map(([, name = '']) => `${file}: ${name}`),
    );
    expect(unknown.length).toBeGreaterThan(10);
    expect(unknown.filter((one) => !languages.includes(one.split(': ')[1] ?? ''))).toEqual([]);
  });

  it('in JSON are JSON', () => {
    for (const { code } of pages().flatMap((file) => snippetsOf(file, 'json'))) expect(() => JSON.parse(code)).not.toThrow();
  });

  it('are all the fences that have cases', () => {
    const keys = new Set(fences.map((one) => one.key));
    expect(Object.keys(fenceCases).filter((key) => !keys.has(key))).toEqual([]);
  });

  it('that promise a failure have a case that shows it', () => {
    const shows = (given: FenceCase): boolean => given.code !== undefined || given.errors !== undefined || given.output !== undefined;
    expect(fences.filter(({ code, key }) => promise.test(code) && !casesOf(key).some(shows)).map((one) => one.key)).toEqual([]);
  });
});

/** The lines that a program is said to print, as comments: `// → Mars.`. A `…` is any text. */
function shownBy(code: string, isAll = true): RegExp | undefined {
  const lines = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line.trim());
  const quoted = lines.map((line) => line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[\\s\\S]*'));
  return lines.length > 0 ? new RegExp(`^${quoted.join('\\s*\\n')}\\s*${isAll ? '$' : ''}`) : undefined;
}

describe('fences in the first half of a page', () => {
  it('show what they print', () => {
    const half = (file: string): number => textOf(file).split('\n').length / 2;
    const silent = fences.filter(({ file, line, code }) => line < half(file) && /console\.log\(|stdout\.write\(/.test(code) && !shownBy(code));
    expect(silent.map((one) => one.key)).toEqual([]);
  });

  it('would fail if they printed something else', () => {
    const shown = shownBy('console.log(a); // → a.b\nfor (const b of c) console.log(b);\n// → one\n// → … end');
    expect(['a.b\none\nthe end\n', 'a.b\none\nthe end\nmore\n', 'a+b\none\nthe end\n', 'a.b\nthe end\n'].map((text) => shown?.test(text))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('fences that stream to a page', () => {
  it('give it a status, with a case that shows it', () => {
    const toPage = fences.filter(({ code }) => /\bto(SSE|ReadableStream|Response)\(|\bnew Response\(/.test(code));
    expect(toPage.length).toBeGreaterThan(2);
    const shows = ({ code, key }: Fence): boolean => /\btoResponse\(/.test(code) && casesOf(key).some(({ output }) => /\b429\b/.test(String(output)));
    expect(toPage.filter((fence) => !shows(fence)).map((one) => one.key)).toEqual([]);
  });
});

const runs = fences
  .flatMap((fence) => casesOf(fence.key).map((given) => ({ title: `${fence.key}${given.name ? `: ${given.name}` : ''}`, fence, given })))
  .filter(({ given }) => given.notRun === undefined);
const isFramework = ({ fence }: { readonly fence: Fence }): boolean => fence.file === frameworks.page;

describe.skipIf(!hasFrameworks)('fences of frameworks, with their packages,', () => {
  it.each(runs.filter(isFramework))('$title', async ({ fence, given }) => {
    const workshop = await Workshop.open(frameworks.folder);
    judge(await workshop.run(fence.code, given), given, fence);
    await workshop.close();
  });
});

describe('fences, each in a process of its own,', () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  it.concurrent.each(runs.filter((run) => !isFramework(run)))('$title', async ({ fence, given }) => {
    judge(await workshop.run(fence.code, given), given, fence);
  });

  it('a fence that leaves this machine fails, even if it catches the error', async () => {
    const outcome = await workshop.run("await fetch('https://192.0.2.1/').catch(() => undefined);", {});
    expect(outcome.code).toBe(99);
  });

  it('a fence that throws fails', async () => {
    const outcome = await workshop.run("import { newClient } from 'modelsvc';\nnewClient({ apiKey: '' });", {});
    expect(outcome.code).toBe(1);
    expect(outcome.errors).toContain('ConfigError');
  });
});

function judge({ output, errors, code, operations }: Outcome, given: FenceCase, fence: Fence): void {
  expect({ code, errors }).toEqual({ code: given.code ?? 0, errors: given.errors ? expect.stringMatching(given.errors) : expect.any(String) });
  if (typeof given.output === 'string') expect(output).toBe(given.output);
  else if (given.output) expect(output).toMatch(given.output);
  // The first case of a fence is the one that the page shows.
  const shown = casesOf(fence.key)[0] === given ? shownBy(fence.code, given.after === undefined) : undefined;
  if (shown) expect(output).toMatch(shown);
  if (given.operations) expect(operations).toEqual(given.operations);
}
