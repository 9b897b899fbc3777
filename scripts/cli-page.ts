/**
 * Writes docs/cli-reference.md from the table of commands. Writes the session of docs/cli.md, which it runs against the fake service.
 *
 *     npm run docs:cli               build, then write the pages
 *     npm run docs:cli -- --check    build, then compare; fails if a page is stale
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { referencePage } from './cli-page/reference.ts';
import { recordedSession } from './cli-page/session.ts';
import { withPart } from './generate/marked.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

async function textOf(path: string): Promise<string> {
  return readFile(fileOf(path), 'utf8').catch(() => '');
}

function fileOf(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

const session = `\`\`\`console\n${await recordedSession()}\`\`\``;
const pages = new Map([
  ['docs/cli.md', withPart('docs/cli.md', await textOf('docs/cli.md'), 'session', session)],
  ['docs/cli-reference.md', await referencePage()],
]);
for (const [path, text] of pages) {
  if (!values.check) await writeFile(fileOf(path), text);
  else if ((await textOf(path)) !== text) {
    console.error(`${path} is stale: run npm run docs:cli`);
    process.exitCode = 1;
  }
}
