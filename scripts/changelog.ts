/** Part of `npm run check`: the form and the length of CHANGELOG.md, and each deprecation of the sources in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { version } from '../src/generated/version.ts';
import { changelogProblems, releasesOf } from './release/changelog.ts';
import ts from './typescript.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const textOf = (path: string): string => readFileSync(root + path, 'utf8');
/** The newest entry fits a screen. */
const mostLines = 40;

interface Deprecation {
  /** `Class.method`, or the name of a function. */
  readonly name: string;
  readonly words: string;
}

function deprecationsIn(file: string): Deprecation[] {
  const text = textOf(file);
  if (!text.includes('@deprecated')) return [];
  const found: Deprecation[] = [];
  const visit = (node: ts.Node): void => {
    const tag = ts.getJSDocDeprecatedTag(node);
    const parts = [node.parent, node].map((one) => one && (one as ts.NamedDeclaration).name?.getText());
    if (tag) found.push({ name: parts.filter((part) => part !== undefined).join('.'), words: ts.getTextOfJSDocComment(tag.comment) ?? '' });
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

function* problems(changelog: string): Generator<string> {
  yield* changelogProblems(changelog, version);
  const [, newest = ''] = changelog.split(/^## /m);
  const lines = newest.trim().split('\n').length;
  if (lines > mostLines) yield `the newest entry has ${lines} lines (at most ${mostLines})`;
  const listed = releasesOf(changelog).flatMap(({ changes }) => changes.flatMap(([kind, entries]) => (kind === 'Deprecated' ? entries : [])));
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const { name, words } of files.flatMap((file) => deprecationsIn(`src/${file}`))) {
    // A mark that only puts a member at the end of completions.
    if (name === 'AbortSignalLike.throwIfAborted') continue;
    const removal = /removed in (\d+\.\d+)/i.exec(words)?.[1];
    if (removal === undefined) yield `the deprecation of ${name} does not give the version that removes it`;
    else if (!listed.some((entry) => entry.includes(`\`${name}\``) && entry.includes(`Removed in ${removal}`)))
      yield `Deprecated does not list \`${name}\` with "Removed in ${removal}"`;
  }
}

for (const problem of problems(textOf('CHANGELOG.md'))) {
  console.error(`CHANGELOG.md: ${problem}`);
  process.exitCode = 1;
}
