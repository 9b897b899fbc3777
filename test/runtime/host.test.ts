import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeService, startFakeService } from '../../src/testing/index.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

let bundle: string;
let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
  const result = await build({
    stdin: { contents: "export * from '../../src/overlay/index.ts';", resolveDir: path('.') },
    alias: { '#transport': path('../../src/node-transport/index.ts') },
    bundle: true,
    format: 'iife',
    globalName: 'modelsvc',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  bundle = result.outputFiles[0]?.text ?? '';
});
afterAll(() => fake.close());

/** The way one call takes in a realm with these globals. */
async function wayOf(globals: Readonly<Record<string, unknown>>): Promise<string[]> {
  const ways = new Set<string>();
  const { process: given, ...rest } = globals as { process?: Record<string, unknown> };
  const getBuiltinModule = (name: string): unknown => {
    if (name.startsWith('node:http')) ways.add(name);
    return process.getBuiltinModule(name);
  };
  const context = createContext({
    ...{ AbortController, AbortSignal, Blob, clearTimeout, crypto, DOMException, Headers, performance, queueMicrotask, ReadableStream, Response },
    ...{ atob, btoa, setTimeout, TextDecoder, TextEncoder, URL, URLSearchParams },
    fetch: (...values: Parameters<typeof fetch>) => {
      ways.add('fetch');
      return fetch(...values);
    },
    ...rest,
    ...(given ? { process: { env: {}, getBuiltinModule, ...given } } : {}),
    config: fake.configFor({ maxRetries: 0 }),
  });
  runInContext(bundle, context);
  await runInContext("modelsvc.newClient(config).chat().createSimple(undefined, 'glm-5.2', 'hi')", context);
  return [...ways];
}

const { versions } = process;

// As the runtime gives them at compatibility date 2026-11-17: all of Node's names, most of them empty.
const workerd = {
  versions: Object.fromEntries(Object.keys(versions).map((name) => [name, name === 'node' ? '22.23.4' : ''])),
  release: { name: 'node', lts: true, sourceUrl: '', headersUrl: '' },
  title: 'workerd',
};

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['Node', { process: { versions, release: process.release } }],
  ['Electron, whatever it calls itself', { process: { versions: { ...versions, electron: '40.0.0' }, type: 'renderer' }, window: {}, document: {} }],
])('%s has node:http', async (_name, globals) => {
  expect(await wayOf(globals)).toEqual(['node:http']);
});

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['workerd', { process: workerd }],
  ['workerd once it fills in the versions', { process: { ...workerd, versions }, WebSocketPair: class {} }],
  ['an edge runtime', { process: { versions, release: process.release }, EdgeRuntime: 'edge-runtime' }],
  ['Deno', { process: { versions: { ...versions, deno: '2.0.0' } }, Deno: {} }],
  ['Bun', { process: { versions: { ...versions, bun: '1.3.0' } }, Bun: {} }],
  ['a polyfill with a version', { process: { versions: { node: '22.14.0' }, release: { name: 'node' } } }],
  ['a polyfill without versions', { process: { versions: {} } }],
  ['a Node without getBuiltinModule', { process: { versions, getBuiltinModule: undefined } }],
  ['a browser', {}],
])('%s has fetch', async (_name, globals) => {
  expect(await wayOf(globals)).toEqual(['fetch']);
});
