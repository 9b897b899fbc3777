// The document of one root, in the hands of a generator that is not ours: its client reaches the fake below that root.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../cli/support/in-process.ts';
import { root } from '../docs/snippets.ts';
import { sharedFake } from '../support/fake.ts';
import { newFolder } from '../support/storage.ts';

const messages = [{ role: 'user', content: 'hi' }];

/** A call below each root, and the request that the fake gets. */
const calls: readonly (readonly [rootName: string, operation: string, body: object | undefined, wire: string])[] = [
  ['chat', 'chatCreate', { model: 'glm-5.3', messages }, 'POST /chat/completions'],
  ['coding', 'chatCreate', { model: 'glm-5.3', messages }, 'POST /chat/completions'],
  ['china', 'embeddingsCreate', { model: 'embedding-3', input: 'hi' }, 'POST /embeddings'],
  ['messages', 'anthropicCreate', { model: 'glm-5.3', max_tokens: 9, messages }, 'POST /v1/messages'],
  ['responses', 'responsesCreate', { model: 'glm-5.3', input: 'hi' }, 'POST /responses'],
  ['agents', 'agentsInvoke', { agent_id: 'general_translation', messages }, 'POST /v1/agents'],
  ['monitor', 'quotaGetLimit', undefined, 'GET /usage/quota/limit'],
  ['biz', 'accountInfo', undefined, 'GET /account/info'],
];

interface Generated {
  readonly client: { setConfig(config: object): void };
  readonly [operation: string]: unknown;
}

/** The client that the generator makes of a document. */
async function generated(document: string): Promise<Generated> {
  const folder = await newFolder();
  await writeFile(join(folder, 'document.yaml'), document);
  await createClient({ input: join(folder, 'document.yaml'), output: { path: join(folder, 'client') }, logs: { level: 'silent' } });
  await writeFile(join(folder, 'entry.ts'), "export * from './client/sdk.gen.ts'; export { client } from './client/client.gen.ts';");
  const outfile = join(folder, 'client.mjs');
  await build({
    entryPoints: [join(folder, 'entry.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    absWorkingDir: root,
  });
  return (await import(pathToFileURL(outfile).href)) as Generated;
}

const fake = await sharedFake();

describe('the document of one root', () => {
  test.each(calls)('%s: its client sends %s to the root', async (name, operation, body, wire) => {
    const { stdout } = await run(['spec', '--root', name]);
    const { servers, paths } = parse(stdout) as { servers: { url: string; 'x-surface': string }[]; paths: Record<string, { servers?: unknown }> };
    expect(servers).toEqual([expect.objectContaining({ 'x-surface': name })]);
    expect(Object.values(paths).filter((item) => item.servers !== undefined)).toEqual([]);
    const made = await generated(stdout);
    made.client.setConfig({ baseUrl: fake.url });
    const before = fake.requests.length;
    const call = made[operation] as (options: object) => Promise<{ data?: object; error?: unknown }>;
    const headers = { authorization: 'Bearer fake-id.fake-secret', 'anthropic-version': '2023-06-01' };
    const { data, error } = await call({ body, headers });
    expect([error, typeof data]).toEqual([undefined, 'object']);
    expect(fake.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([wire]);
  });

  test('has the server of the region', async () => {
    const { stdout } = await run(['spec', '--root', 'messages', '--region', 'china', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ url: expect.stringContaining('bigmodel.cn') }] });
  });
});
