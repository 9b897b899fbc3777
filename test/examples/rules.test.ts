import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import { names, root } from './example-process.ts';

const entries = Object.keys((JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { exports: object }).exports).map((path) =>
  path.replace('.', 'modelsvc'),
);
const isAllowed = (from: string): boolean =>
  entries.includes(from) || isBuiltin(from) || from === 'zod' || /^@(modelcontextprotocol\/client(\/|$)|opentelemetry\/)/.test(from);
const textOf = (name: string): string => readFileSync(`${root}examples/${name}.ts`, 'utf8');
const importsOf = (text: string): string[] =>
  [...text.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g)].map(([, from, of]) => from ?? of ?? '');

describe.each(names)('%s', (name) => {
  const text = textOf(name);

  const most = 80;
  it(`has at most ${most} lines`, () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(most);
  });

  it('imports only the package, modules of Node, zod, the MCP SDK and OpenTelemetry', () => {
    expect(importsOf(text)).not.toEqual([]);
    expect(importsOf(text).filter((from) => !isAllowed(from))).toEqual([]);
  });

  it('begins with a comment that shows how to run it', () => {
    const comment = text.slice(0, text.indexOf('*/'));
    expect(comment).toMatch(/^\/\*\*\n \* [A-Z]/);
    const command = name === 'edge-route' ? 'npx wrangler dev' : '(SVC_API_KEY=\\.\\.\\. )?npx tsx( --test)?';
    expect(comment).toMatch(new RegExp(`^ \\* {5}${command} ${name}\\.ts`, 'm'));
  });

  it('is named by a guide', () => {
    const guides = readdirSync(`${root}docs/guides`).map((file) => readFileSync(`${root}docs/guides/${file}`, 'utf8'));
    expect(guides.some((guide) => guide.includes(`](../../examples/${name}.ts)`))).toBe(true);
  });
});

/** Lines of code of the shortest program that does the same, limits of a body included, with another package: `ai` 6, or `openai` 6 for image, speech and batch. */
const peers: Readonly<Record<string, number>> = {
  'chat-server': 17,
  'edge-route': 10,
  agent: 17,
  'typed-object': 7,
  'growing-object': 8,
  search: 14,
  image: 6,
  speech: 11,
  batch: 20,
  spans: 17,
};

/** Characters of a dense line of 150 columns without white space: the lines of the others were counted at that width. */
const charactersOfALine = 80;

it.each(Object.entries(peers))('%s is at most 1.3 times as long as the %i lines of another package', (name, lines) => {
  expect(codeLength(textOf(name)) / charactersOfALine).toBeLessThanOrEqual(1.3 * lines);
});

/** Characters without white space and comments. */
function codeLength(text: string): number {
  const code = text.replaceAll(/^\/\*\*.*?\*\/$/gms, '').split('\n');
  return code
    .filter((line) => !line.trim().startsWith('//'))
    .join('')
    .replaceAll(/\s/g, '').length;
}

describe.each(names.filter((name) => !['fake-service.test', 'edge-route', 'recording.test'].includes(name)))('%s', (name) => {
  it('reads its key and its place from the environment', () => {
    // Batches exist on the china host only, so that example has a root of its own and uses no other.
    const place = name === 'batch' ? /baseURL:\s+process\.env\.SVC_ENDPOINTS \?\? / : /endpoints: process\.env\.SVC_ENDPOINTS/;
    expect(textOf(name)).toContain("apiKey: process.env.SVC_API_KEY ?? ''");
    expect(textOf(name)).toMatch(place);
  });
});

describe('the rule of imports', () => {
  it.each(["import { x } from '../test/support/prism.ts'", "import '../src/overlay/index.ts'", "await import('openai')"])('refuses %s', (line) => {
    expect(importsOf(line).map(isAllowed)).toEqual([false]);
  });
});

it('examples/README.md lists every example once, and no other', () => {
  const listed = [...readFileSync(`${root}examples/README.md`, 'utf8').matchAll(/^\| \[(\S+)\.ts\]\((\S+)\.ts\) \| \S.+ \|$/gm)];
  expect(listed.map(([, label]) => label).toSorted()).toEqual(names.toSorted());
  for (const [, label, path] of listed) expect(path).toBe(label);
});
