import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkInstalled } from '../../scripts/release/check-installed.ts';
import { isChunk, listedFiles } from '../../scripts/release/checks.ts';
import { type Installed, installTarball, type Manifest, manifestOf, project, runNode } from '../../scripts/release/installed.ts';
import ts from '../../scripts/typescript.mjs';
import { checkNames } from '../runtime/checks/index.ts';

const run = promisify(execFile);

const typed = `
import { type ChatRequest, type Client, isApiError, newClient, newFunctionTool } from 'modelsvc';
const client: Client = newClient({ apiKey: 'key' });
const request: ChatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }], tools: [newFunctionTool('f', 'F.')] };
export async function main(): Promise<string> {
  try {
    for await (const chunk of client.chat().stream(undefined, request)) if (chunk.choices?.[0]?.finish_reason === 'stop') return chunk.id ?? '';
    const reply = await client.chat().create(AbortSignal.timeout(1000), request);
    for await (const event of client.anthropic().stream(undefined, { model: 'm', max_tokens: 1, messages: [] }))
      if (event.type === 'content_block_delta' && event.data.delta.type === 'text_delta') return event.data.delta.text;
    return reply.id;
  } catch (error) {
    return isApiError(error) ? error.category : '';
  }
}
// @ts-expect-error messages are missing
client.chat().create(undefined, { model: 'glm-4.6' });
// @ts-expect-error and so is the key
newClient({});
`;

describe('the packed package', () => {
  let folder: string;
  let installed: Installed;
  let app: string;
  let manifest: Manifest;

  beforeAll(async () => {
    manifest = await manifestOf(project);
    if (!existsSync(join(project, 'dist/index.js'))) await run('npm', ['run', '-s', 'build'], { cwd: project, shell: process.platform === 'win32' });
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    installed = await installTarball(folder);
    app = installed.app;
    // The optional peer lies above the project, so that a test can take it away.
    await cp(join(project, 'node_modules/@opentelemetry/api'), join(folder, 'node_modules/@opentelemetry/api'), { recursive: true });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds the files of the committed list, and no others', async () => {
    await expect(`${listedFiles(installed.files).join('\n')}\n`).toMatchFileSnapshot('packed-files.txt');
    expect(installed.files.filter((path) => path.startsWith('dist/') && !/\.(js|d\.ts)$/.test(path))).toEqual(['dist/modelsvc.1']);
  });

  it('has every chunk that its code imports, and each of them is imported', async () => {
    const built = installed.files.filter((path) => path.startsWith('dist/') && path !== 'dist/modelsvc.1');
    const imported = new Set(built.filter((path) => !isChunk(path)));
    // A set can grow while it is read.
    for (const path of imported) {
      const text = await readFile(join(installed.root, path), 'utf8');
      const ending = path.endsWith('.d.ts') ? '.d.ts' : '.js';
      for (const [, target = ''] of text.matchAll(/["'`](\.{1,2}\/[\w./-]+)\.js["'`]/g)) imported.add(posix.join(path, '..', target) + ending);
    }
    expect([...imported].sort()).toEqual(built);
  });

  it('is the same when it is packed in a clone without a build', async () => {
    const clone = join(folder, 'clone');
    await cp(project, clone, { recursive: true, filter: (path) => !/[\\/](node_modules|dist|\.git)$/.test(path) });
    await symlink(join(project, 'node_modules'), join(clone, 'node_modules'), 'junction');
    const { stdout } = await run('npm', ['pack', '--json', '--offline'], { cwd: clone, shell: process.platform === 'win32' });
    const [tarball] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
    expect(tarball.files.map((file) => file.path).sort()).toEqual(installed.files);
  });

  it('brings its two dependencies and what they need, no more', async () => {
    const there = (await readdir(join(app, 'node_modules'))).filter((name) => !name.startsWith('.'));
    expect(there.sort()).toEqual([manifest.name, 'eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'].sort());
  });

  it('has every file that its exports name, types and code', () => {
    const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [target] : [target.types, target.default]));
    expect(targets.filter((target) => !installed.files.includes(target.slice(2)))).toEqual([]);
    expect(Object.keys(manifest.exports)).toEqual(expect.arrayContaining(['.', './package.json']));
  });

  it('names no machine', async () => {
    for (const path of installed.files) expect(await readFile(join(installed.root, path), 'utf8'), path).not.toContain(project.replace(/\/$/, ''));
  });

  it('passes the checks of the runtimes, by import and by require', async () => {
    const outcome = { passed: checkNames.length, failed: [] };
    expect(await checkInstalled(app)).toEqual([outcome, outcome]);
  });

  it('loads every entry by import and by require, each the same module', async () => {
    // The claims have a test of their own.
    const entries = Object.keys(manifest.exports).filter((entry) => typeof manifest.exports[entry] === 'object' && !entry.endsWith('.json'));
    const specifiers = JSON.stringify(entries.map((entry) => entry.replace(/^\./, manifest.name)));
    await writeFile(
      join(app, 'entries.cjs'),
      `const found = {};
async function main() {
  for (const name of ${specifiers}) {
    const [required, imported] = [require(name), await import(name)];
    const keys = Object.keys(imported).filter((key) => key !== 'module.exports');
    found[name] = keys.length > 0 && keys.every((key) => required[key] === imported[key]);
  }
  console.log(JSON.stringify(found));
}
main();
`,
    );
    const found = JSON.parse(await runNode(app, ['entries.cjs'])) as Record<string, boolean>;
    expect(Object.keys(found)).toHaveLength(entries.length);
    expect(Object.entries(found).filter(([, same]) => !same)).toEqual([]);
  });

  it('names the missing peer of modelsvc/observe in one line, and works without it', async () => {
    const load = (entry: string): string => `import('modelsvc${entry}').then(() => 'loaded', (error) => error.message)`;
    await writeFile(join(app, 'peer.mjs'), `console.log(await ${load('')}, await ${load('/observe')});`);
    await rename(join(folder, 'node_modules'), join(folder, 'away'));
    try {
      expect(await runNode(app, ['peer.mjs'])).toMatch(/^loaded Cannot find package '@opentelemetry\/api' imported from \S+observe\.js$/);
    } finally {
      await rename(join(folder, 'away'), join(folder, 'node_modules'));
    }
    expect(await runNode(app, ['peer.mjs'])).toBe('loaded loaded');
  });

  it('ships the spec as modelsvc/openapi.yaml, whole and without references to other files', async () => {
    await writeFile(join(app, 'spec.mjs'), "console.log(import.meta.resolve('modelsvc/openapi.yaml'));");
    const spec = fileURLToPath(await runNode(app, ['spec.mjs']));
    expect(spec).toBe(join(await realpath(installed.root), 'spec/openapi.yaml'));
    // contract/prism-cli.test.ts mocks the file of the project with Prism's command, for both surfaces.
    const text = await readFile(spec, 'utf8');
    expect(text === (await readFile(join(project, 'spec/openapi.yaml'), 'utf8'))).toBe(true);
    const references = [...text.matchAll(/\$ref["']?:\s*["']?([^"'\s])/g)].map(([, first]) => first);
    expect(references.length).toBeGreaterThan(500);
    expect(new Set(references)).toEqual(new Set(['#']));
  });

  it('keeps its insides to itself', async () => {
    await writeFile(
      join(app, 'inside.mjs'),
      `const codes = [];
for (const name of ['modelsvc/dist/index.js', 'modelsvc/overlay', 'modelsvc/generated'])
  codes.push(await import(name).then(() => 'open', (error) => error.code));
console.log(JSON.stringify(codes));
`,
    );
    expect(new Set(JSON.parse(await runNode(app, ['inside.mjs'])))).toEqual(new Set(['ERR_PACKAGE_PATH_NOT_EXPORTED']));
  });

  it.each([
    ['ES modules and CommonJS', ['esm.mts', 'cjs.cts'], 'NodeNext'],
    ['a bundler', ['bundled.ts'], 'Bundler'],
  ])('has types for %s, that compile without skipLibCheck and without the types of Node', async (_kind, files, moduleResolution) => {
    // The claims have a test of their own.
    const entries = Object.keys(manifest.exports).filter((entry) => typeof manifest.exports[entry] === 'object' && !entry.endsWith('.json'));
    const all = entries.map((entry, index) => `export type * as entry${index} from '${entry.replace(/^\./, manifest.name)}';\n`).join('');
    for (const file of files) await writeFile(join(app, file), typed + all);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      types: [],
      module: moduleResolution === 'NodeNext' ? 'NodeNext' : 'ESNext',
      moduleResolution,
      skipLibCheck: false,
      // Both have the same libraries of the compiler, so that one check of these is enough.
      skipDefaultLibCheck: moduleResolution === 'Bundler',
    };
    expect(messagesOf(app, { compilerOptions, files })).toEqual([]);
  });
});

/** Files that programs have parsed, by the form in which Node loads them and their name. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The messages of the compiler for a configuration of the app. */
function messagesOf(app: string, config: { readonly compilerOptions: object; readonly files: readonly string[] }): string[] {
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, app);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, how, ...more) => {
    const key = `${typeof how === 'object' ? how.impliedNodeFormat : ''} ${file}`;
    if (!parsed.has(key)) parsed.set(key, getSourceFile(file, how, ...more));
    return parsed.get(key);
  };
  const found = [...errors, ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host))];
  return found.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
