/**
 * Check the prose of files and folders: `npx tsx test/docs/prose/check.ts src/overlay/call README.md`. Without any, the repository's.
 * Prints `file:line: problem`, and ends with status 1 if there is any.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { markdownPassages, type Passage } from './passage.ts';
import { type Problem, problemsOf, problemsOfPage } from './rules.ts';
import { sourcePassages } from './sources.ts';
import { specPassages } from './spec.ts';

const root: string = fileURLToPath(new URL('../../../', import.meta.url));

/** Problems of a file or folder below the root of the project. */
function check(path: string): Problem[] {
  return filesOf(path.replace(/^\.\/|\/$/g, ''))
    .map(passagesOf)
    .flatMap((passages) => [...problemsOfPage(passages), ...passages.flatMap(problemsOf)]);
}

function lineOf({ file, line, text }: Problem): string {
  return `${file}:${line}: ${text}`;
}

function filesOf(path: string): string[] {
  if (!statSync(root + path).isDirectory()) return [path];
  return readdirSync(root + path)
    .filter((name) => name !== 'node_modules')
    .sort()
    .flatMap((name) => filesOf(`${path}/${name}`));
}

function passagesOf(file: string): Passage[] {
  const text = readFileSync(root + file, 'utf8');
  if (/\.m?ts$|\.mjs$/.test(file)) {
    // Texts of the generated files are data: examples and codes.
    return sourcePassages(file, text, file.startsWith('src/') && !file.startsWith('src/generated/'));
  }
  // Other files of these folders are data and reports.
  if (/^(?:test|bench)\//.test(file)) return [];
  if (file.endsWith('.md')) return markdownPassages(file, text.split('\n'), 1, isPage(file, text));
  if (file.endsWith('.yaml')) return specPassages(file, text);
  return [];
}

/** Pages of the reader, written by hand. The others follow with the comments that they are made from. */
function isPage(file: string, text: string): boolean {
  return /^(?:README\.md|docs\/|skills\/)/.test(file) && file !== 'docs/decisions.md' && !text.startsWith('<!-- Generated');
}

const all = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs', 'spec', 'scripts', 'examples', 'src', 'test', 'bench'];
const given = argv.slice(2);
const problems = (given.length > 0 ? given : all).flatMap(check);
for (const problem of problems) console.log(lineOf(problem));
exit(problems.length === 0 ? 0 : 1);
