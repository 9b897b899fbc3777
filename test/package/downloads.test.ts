import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { oneService, programs, services } from '../../bench/bundles.mjs';
import { downloaded, wholeFile } from '../../bench/download.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kilobyte = 1024;

/** Text that only one part of the library contains. */
const words = {
  'rules of chat': 'file_data',
  'rules of messages': 'eager_input_streaming',
  'rules of other services': 'return_raw_scores',
  'other services': 'embeddings.create',
  'the message surface': 'anthropic.countTokens',
  uploads: 'multipart/form-data',
  'reading bytes': 'the reply can be read only once',
  'the catalogue': 'vidu2-reference',
  batches: 'requests.jsonl',
  'growing answers': 'outputFormat.partial',
} as const;
type Part = keyof typeof words;

interface Page {
  readonly parts: Part[];
  /** Gzipped bytes of all files that the program loads. */
  readonly bytes: number;
}

async function pageOf(program: string): Promise<Page> {
  const files = await downloaded(program, root);
  const text = files.map((file) => file.text).join('\n');
  return {
    parts: (Object.keys(words) as Part[]).filter((part) => text.includes(words[part])),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const source = (title: string): string => programs.find((program) => program.title === title)?.sources['modelsvc'] ?? '';

describe('a bundle of one service does not carry the others', () => {
  it.each(['one chat call', 'one stream'])('%s: chat and its rules, at most 65 KB', async (title) => {
    const { parts, bytes } = await pageOf(source(title));
    expect(parts).toEqual(['rules of chat']);
    expect(bytes).toBeLessThanOrEqual(65 * kilobyte);
  });

  it('messages: no chat rules', async () => {
    const program = `import { Anthropic, newService } from 'modelsvc/services';
      newService(Anthropic, { apiKey: 'k' }).create(undefined, { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }).then(console.log);`;
    const { parts, bytes } = await pageOf(program);
    expect(parts).toEqual(['rules of messages', 'the message surface']);
    expect(bytes).toBeLessThanOrEqual(65 * kilobyte);
  });

  it('every service is measured', async () => {
    const { Client, newClient } = (await import(new URL('../../dist/index.js', import.meta.url).href)) as typeof import('../../src/overlay/index.ts');
    const others = ['constructor', 'getAsyncResult', 'waitForResult', 'concurrency', 'fetchFile', 'with', 'close', 'bindings'];
    const accessors = Object.getOwnPropertyNames(Client.prototype).filter((name) => !others.includes(name)) as 'chat'[];
    const client = newClient({ apiKey: 'k' });
    expect(accessors.map((name) => client[name]().constructor.name).sort()).toEqual(services);
  });

  // These have the rules of chat, messages or responses, or the normalizer of tool schemas.
  const large = ['Anthropic', 'Batches', 'Chat', 'Responses', 'Tools'];

  it.each(services.filter((name) => !large.includes(name)))('%s alone: at most 48 KB', async (name) => {
    expect(await wholeFile(oneService(name), root)).toBeLessThanOrEqual(48 * kilobyte);
  });

  it.each(large)('%s alone: at most 65 KB', async (name) => {
    expect(await wholeFile(oneService(name), root)).toBeLessThanOrEqual(65 * kilobyte);
  });

  it('newClient carries every service, and no growing answers', async () => {
    const { parts } = await pageOf(source('one chat call through newClient'));
    expect(parts).toEqual(Object.keys(words).filter((part) => part !== 'growing answers'));
  });

  it('all exports in one file: at most 115 KB', async () => {
    expect(await wholeFile("export * from 'modelsvc';", root)).toBeLessThanOrEqual(115 * kilobyte);
  });

  it('each of these words is still somewhere in the package', async () => {
    const files = (await readdir(join(root, 'dist'), { recursive: true })).filter((path) => /^(index|shared.*)\.js$/.test(path));
    const text = (await Promise.all(files.map((path) => readFile(join(root, 'dist', path), 'utf8')))).join('\n');
    expect((Object.keys(words) as Part[]).filter((part) => !text.includes(words[part]))).toEqual([]);
  });
});
