import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { startFakeService } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A bundle of the built package, and the files of it that the bundle took. */
async function bundle(contents: string, options: BuildOptions): Promise<{ readonly text: string; readonly files: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    mainFields: ['module', 'main'],
    // As a user's project has it: the path mapping of this project stays out.
    tsconfigRaw: {},
    metafile: true,
    write: false,
    outdir: 'out',
    logLevel: 'silent',
    ...options,
  });
  return { text: outputFiles?.[0]?.text ?? '', files: Object.keys(metafile?.inputs ?? {}).map((path) => path.replace(/^.*dist\//, '')) };
}

test.each<[string, 'node-transport.js' | 'no-node-transport.js', BuildOptions]>([
  ['a page', 'no-node-transport.js', { platform: 'browser' }],
  ['a worker', 'no-node-transport.js', { platform: 'neutral', conditions: ['worker'] }],
  ['an edge runtime', 'no-node-transport.js', { platform: 'neutral', conditions: ['edge-light', 'worker'] }],
  ['Cloudflare', 'no-node-transport.js', { platform: 'neutral', conditions: ['workerd', 'worker', 'browser'] }],
  ['Node', 'node-transport.js', { platform: 'node' }],
  ['an Electron renderer with Node', 'node-transport.js', { platform: 'neutral', conditions: ['node', 'browser', 'electron'] }],
  ['Deno', 'node-transport.js', { platform: 'neutral', conditions: ['deno', 'node'] }],
  ['a bundler without conditions', 'node-transport.js', { platform: 'neutral' }],
])('a bundle for %s has %s', async (_name, file, options) => {
  const { files } = await bundle("import { newClient } from 'modelsvc'; console.log(newClient);", options);
  const transports = files.filter((path) => path.endsWith('node-transport.js'));
  expect(transports).toEqual([file]);
  expect(files.includes('proxy.js')).toBe(file === 'node-transport.js');
});

test('a bundle for pages uses fetch on Node too, and refuses ca and agent', async () => {
  const program = `import { Agent } from 'node:https';
    import { newClient } from 'modelsvc';
    const config = JSON.parse(process.argv[2]);
    const refusal = (more) => { try { newClient({ ...config, ...more }); } catch (error) { return error.name + ': ' + error.message; } };
    const { fetch } = globalThis;
    let fetched = 0;
    globalThis.fetch = (...values) => { fetched++; return fetch(...values); };
    const reply = await newClient(config).chat().create(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
    console.log(JSON.stringify([reply.choices.length, fetched, refusal({ ca: 'x' }), refusal({ agent: new Agent() })]));`;
  const { text } = await bundle(program, { platform: 'browser', external: ['node:*'] });
  const folder = await mkdtemp(join(tmpdir(), 'page-on-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'page.mjs'), text);
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'page.mjs'), JSON.stringify(fake.configFor())]);
  const refused = 'needs the transport of Node: set it in your own httpClient';
  expect(JSON.parse(stdout)).toEqual([1, 1, `ConfigError: ca ${refused}`, `ConfigError: agent ${refused}`]);
});

test('a stub of the global fetch sees no call on Node, unless it is the httpClient', async () => {
  const { fake } = await openFake();
  const stub = vi.fn(fetch);
  vi.stubGlobal('fetch', stub);
  onTestFinished(() => void vi.unstubAllGlobals());
  await newClient(fake.configFor()).quota().getLimit(undefined);
  expect(stub).not.toHaveBeenCalled();
  await newClient(fake.configFor({ httpClient: globalThis.fetch }))
    .quota()
    .getLimit(undefined);
  expect(stub).toHaveBeenCalledOnce();
  expect(fake.requests).toHaveLength(2);
});
