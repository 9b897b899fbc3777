import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const isWindows = process.platform === 'win32';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** npm without the network: what the package depends on comes from our own node_modules. */
async function npm(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, shell: isWindows });
  return stdout;
}

async function node(folder: string, file: string): Promise<string> {
  const { stdout } = await run(process.execPath, [file], { cwd: folder, env: { ...process.env, MOCK_URL: inject('mockUrl'), NODE_OPTIONS: '' } });
  return stdout.trim();
}

/** What a small program does with the package; `load` is how it gets it. */
const program = (load: string): string => `${load}
const url = process.env.MOCK_URL;
const client = newClient({ apiKey: 'key', baseURL: url, endpoints: { messages: url } });
async function main() {
  const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
  const reply = await client.chat().create(undefined, request);
  let chunks = 0;
  for await (const chunk of client.chat().stream(undefined, request)) chunks += chunk.choices.length;
  const message = await client.anthropic().create(undefined, { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] });
  const wrong = await client.chat().create(undefined, { model: '' }).catch((error) => isValidationError(error));
  console.log(JSON.stringify([reply.choices.length, chunks > 1, message.text().length > 0, wrong]));
}
main();
`;

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
  let app: string;
  let manifest: Manifest;
  let packed: string[];

  beforeAll(async () => {
    manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as Manifest;
    if (!existsSync(join(project, 'dist/index.js'))) await run('npm', ['run', '-s', 'build'], { cwd: project, shell: isWindows });
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    app = join(folder, 'app');
    const [tarball] = JSON.parse(await npm(folder, 'pack', project, '--pack-destination', folder, '--json')) as [
      { filename: string; files: { path: string }[] },
    ];
    packed = tarball.files.map((file) => file.path);
    // An empty project, but for where npm finds what the package depends on.
    const known = ['openapi-typescript-helpers', ...Object.keys(manifest.dependencies)];
    const local = Object.fromEntries(known.map((name) => [name, `file:${join(project, 'node_modules', name)}`]));
    const overrides = Object.fromEntries(known.map((name) => [name, `$${name}`]));
    const dependencies = { [manifest.name]: `file:${join(folder, tarball.filename)}`, ...local };
    await mkdir(app);
    await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, dependencies, overrides }));
    await npm(app, 'install', '--install-links');
    // The optional peer lies above the project, so that a test can take it away.
    await cp(join(project, 'node_modules/@opentelemetry/api'), join(folder, 'node_modules/@opentelemetry/api'), { recursive: true });
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('holds the build, README and LICENSE, and nothing else', () => {
    const rest = packed.filter((path) => !path.startsWith('dist/'));
    expect(rest.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed.filter((path) => !/\.(js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  });

  it('brings its two dependencies and what they need, no more', async () => {
    const installed = (await readdir(join(app, 'node_modules'))).filter((name) => !name.startsWith('.'));
    expect(installed.sort()).toEqual([manifest.name, 'eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'].sort());
  });

  it('has every file that its exports name, types and code', () => {
    const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [target] : [target.types, target.default]));
    expect(targets.filter((target) => !packed.includes(target.slice(2)))).toEqual([]);
    expect(Object.keys(manifest.exports)).toEqual(expect.arrayContaining(['.', './package.json']));
  });

  it('names nobody’s machine', async () => {
    for (const path of packed.filter((one) => one.startsWith('dist/')))
      expect(await readFile(join(app, 'node_modules', manifest.name, path), 'utf8'), path).not.toContain(project.replace(/\/$/, ''));
  });

  const names = 'newClient, anthropicTextMessage, isValidationError';
  it.each([
    ['import', 'app.mjs', `import { ${names} } from 'modelsvc';`],
    ['require', 'app.cjs', `const { ${names} } = require('modelsvc');`],
  ])('talks to both surfaces after %s', async (_how, file, load) => {
    await writeFile(join(app, file), program(load));
    expect(JSON.parse(await node(app, file))).toEqual([1, true, true, true]);
  });

  it('loads every entry by import and by require, each the same module', async () => {
    const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
    const specifiers = JSON.stringify(entries.map((entry) => entry.replace(/^\./, manifest.name)));
    await writeFile(
      join(app, 'entries.cjs'),
      `const found = {};
async function main() {
  for (const name of ${specifiers}) {
    const [required, imported] = [require(name), await import(name)];
    found[name] = Object.keys(imported).length > 0 && Object.keys(imported).every((key) => key === 'module.exports' || required[key] === imported[key]);
  }
  console.log(JSON.stringify(found));
}
main();
`,
    );
    const found = JSON.parse(await node(app, 'entries.cjs')) as Record<string, boolean>;
    expect(Object.keys(found)).toHaveLength(entries.length);
    expect(Object.entries(found).filter(([, same]) => !same)).toEqual([]);
  });

  it('names the missing peer of modelsvc/observe in one line, and works without it', async () => {
    const load = (entry: string): string => `import('modelsvc${entry}').then(() => 'loaded', (error) => error.message)`;
    await writeFile(join(app, 'peer.mjs'), `console.log(await ${load('')}, await ${load('/observe')});`);
    await rename(join(folder, 'node_modules'), join(folder, 'away'));
    try {
      expect(await node(app, 'peer.mjs')).toMatch(/^loaded Cannot find package '@opentelemetry\/api' imported from \S+observe\.js$/);
    } finally {
      await rename(join(folder, 'away'), join(folder, 'node_modules'));
    }
    expect(await node(app, 'peer.mjs')).toBe('loaded loaded');
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
    expect(new Set(JSON.parse(await node(app, 'inside.mjs')))).toEqual(new Set(['ERR_PACKAGE_PATH_NOT_EXPORTED']));
  });

  it.each([
    ['ES modules and CommonJS', ['esm.mts', 'cjs.cts'], 'NodeNext'],
    ['a bundler', ['bundled.ts'], 'Bundler'],
  ])(
    'has types for %s, that compile without skipLibCheck and without the types of Node',
    async (_kind, files, moduleResolution) => {
      const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
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
      };
      await writeFile(join(app, `tsconfig.${moduleResolution}.json`), JSON.stringify({ compilerOptions, files }));
      const compiler = join(project, 'node_modules/typescript/bin/tsc');
      const outcome = await run(process.execPath, [compiler, '-p', `tsconfig.${moduleResolution}.json`], { cwd: app }).catch(
        (error: { stdout: string }) => error,
      );
      expect(outcome.stdout).toBe('');
    },
    60_000,
  );
});
