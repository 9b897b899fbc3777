import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const cli = new URL('../../src/cli/', import.meta.url).pathname;
const files = readdirSync(cli, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const bundled = [
  'commander',
  'marked',
  'fast-string-truncated-width',
  'yaml',
  'eventsource-parser',
  'jsonc-parser',
  'toml-eslint-parser',
  'eslint-visitor-keys',
  'diff',
  'valibot',
  '@codemirror/streamparser',
];

/** Specifiers of a file's imports; `isValue` is false for imports of types only. */
function importsOf(file: string): { readonly specifier: string; readonly isValue: boolean }[] {
  const text = readFileSync(join(cli, file), 'utf8');
  const statics = [...text.matchAll(/^(?:import|export) (type )?[^'"]*?from '([^']+)'/gms)].map(([, type, specifier = '']) => ({
    specifier,
    isValue: !type,
  }));
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, specifier = '']) => ({ specifier, isValue: true }));
  return [...statics, ...dynamic];
}

test('the command line uses the package by its public names, and no file of the library', () => {
  const foreign = files.flatMap((file) =>
    importsOf(file)
      .map(({ specifier }) => specifier)
      .filter((specifier) => !specifier.includes('../store/'))
      // The variables about proxies, which the transport reads by the same code.
      .filter((specifier) => !specifier.endsWith('/proxy/environment.ts'))
      // Data of help and completion: no program of a user needs it.
      .filter((specifier) => !/generated\/(model-ids|faults|options)\.ts$/.test(specifier))
      .filter((specifier) =>
        specifier.startsWith('.') ? relative(cli, resolve(join(cli, file, '..'), specifier)).startsWith('..') : !isKnown(specifier),
      )
      .map((specifier) => `${file} → ${specifier}`),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(foreign).toEqual([]);
});

test('the table of commands loads no library code', () => {
  const specs = files.filter((file) => /(^|[/-])spec\.ts$/.test(file) || /^(main|program|cli|(table|input)\/.*|commands\/table)\.ts$/.test(file));
  const loading = specs.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, isValue }) => (isValue && specifier.startsWith('modelsvc') ? [`${file} → ${specifier}`] : [])),
  );
  expect(specs.length).toBeGreaterThan(25);
  expect(loading).toEqual([]);
});

function isKnown(specifier: string): boolean {
  return (
    specifier.startsWith('node:') ||
    /^modelsvc(\/|$)/.test(specifier) ||
    bundled.includes(specifier) ||
    /^@modelcontextprotocol\/(sdk\/|client(\/|$))/.test(specifier) ||
    specifier.startsWith('@codemirror/legacy-modes/mode/')
  );
}

test('results reach stdout only through terminal/, and few files write to stderr', () => {
  const writing = (pattern: RegExp): string[] =>
    files.filter((file) => !file.startsWith('terminal/') && pattern.test(readFileSync(join(cli, file), 'utf8'))).sort();
  // The streams of the process; version, help and completion.
  expect(writing(/\b(stdout\.write|writeTo|console|process\.stdout)\b/)).toEqual(['main.ts', 'program.ts']);
  // Each cleans foreign text, or has none.
  expect(writing(/\b(stderr\.write|process\.stderr)\b/)).toEqual([
    'accounts/plan-endpoint.ts',
    'client.ts',
    'coding/carry-out.ts',
    'main.ts',
    'reports/endings.ts',
    'reports/report.ts',
    'talk/print.ts',
    'talk/turn.ts',
  ]);
});
