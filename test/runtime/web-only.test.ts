import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, expect } from 'vitest';
import { faults } from '../../src/testing/index.ts';
import { test } from '../support/fixture.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The globals that browsers, workers and edge runtimes share. Globals of Node (process, Buffer, require) are absent. */
const web = {
  AbortController,
  AbortSignal,
  atob,
  Blob,
  btoa,
  clearTimeout,
  crypto,
  DOMException,
  File,
  FormData,
  fetch,
  Headers,
  performance,
  queueMicrotask,
  ReadableStream,
  Request,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

let bundle: string;
beforeAll(async () => {
  const result = await build({
    stdin: { contents: "export * from '../../src/overlay/index.ts';", resolveDir: path('.') },
    alias: { '#transport': path('../../src/node-transport/none.ts') },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'modelsvc',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  bundle = result.outputFiles[0]?.text ?? '';
});

/** Run a program together with the library in a realm that has the web platform alone. */
async function run<T>(program: string, values: Readonly<Record<string, unknown>>): Promise<T> {
  const context = createContext({ ...web, ...values });
  runInContext(bundle, context);
  const text: string = await runInContext(`(async () => JSON.stringify(await (async () => {${program}})()))()`, context);
  return JSON.parse(text) as T;
}

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

test('both surfaces work where there is only the web platform', async ({ fake }) => {
  fake.answer('*', faults.serverErrors(1));
  const reply = { turn: { text: ['Grüße ', 'dir'] } };
  fake.answer('chat.create', reply, reply).answer('anthropic.create', reply, reply);
  const result = await run<string[]>(
    `const client = modelsvc.newClient(config);
     const message = { ...request, max_tokens: 9 };
     const texts = [(await client.chat().create(undefined, request)).choices[0].message.content];
     let text = '';
     for await (const piece of modelsvc.textDeltas(client.chat().stream(undefined, request))) text += piece;
     texts.push(text, (await client.anthropic().create(undefined, message)).text());
     texts.push((await modelsvc.collect(client.anthropic().stream(undefined, message))).text());
     return texts;`,
    { config: fake.configFor({ retryDelay: 1 }), request },
  );
  expect(result).toEqual(['Grüße dir', 'Grüße dir', 'Grüße dir', 'Grüße dir']);
});

test('uploads, bytes and errors of another realm too', async ({ fake }) => {
  fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: 'x' } } }, faults.error(400, '1211'));
  const result = await run<Record<string, unknown>>(
    `const client = modelsvc.newClient(config);
     const file = await client.files().upload(undefined, { file: new Uint8Array([1, 2, 3]), purpose: 'batch' });
     const bytes = await (await client.files().content(undefined, file.id)).bytes();
     const controller = new AbortController();
     const stream = client.chat().stream(controller.signal, request);
     await stream.next();
     controller.abort();
     const aborted = await stream.next().catch((error) => modelsvc.isModelsvcError(error, 'abort'));
     const refused = await client.chat().create(undefined, request).catch((error) => error.category);
     const wrong = await client.chat().create(undefined, { model: 'm' }).catch((error) => error.message);
     return { uploaded: typeof file.id, bytes: bytes.length > 0, aborted, refused, wrong };`,
    { config: fake.configFor({ retryDelay: 1 }), request },
  );
  expect(result).toEqual({ uploaded: 'string', bytes: true, aborted: true, refused: 'parameter', wrong: 'chat.create: messages is required' });
  expect(fake.requests[0]?.body).toBeDefined();
});

test('the bundle has no name of Node', () => {
  expect(bundle).not.toMatch(/\brequire\(["']/);
  expect(bundle).not.toMatch(/from\s*["']node:/);
  expect(bundle).not.toMatch(/\bnew Function\b|\beval\(/);
});

test('the transport of Node can be evaluated there, as in a bundle without conditions', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "import { proxyFor } from '../../src/proxy/index.ts'; import { nodeTransport } from '../../src/node-transport/index.ts'; done(typeof proxyFor, nodeTransport({ apiKey: 'k' }, 1, []));",
      resolveDir: path('.'),
    },
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'iife',
    write: false,
    logLevel: 'silent',
  });
  const seen: unknown[] = [];
  runInContext(outputFiles[0]?.text ?? '', createContext({ ...web, done: (...values: unknown[]) => seen.push(...values) }));
  expect(seen).toEqual(['function', undefined]);
});
