import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programs } from '../../bench/bundles.mjs';
import { downloaded } from '../../bench/download.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Words that stand in one part of the library only. */
const words = {
  'rules of chat': 'charglm-4',
  'rules of messages': 'eager_input_streaming',
  'other services': 'embeddings.create',
  'the message surface': 'anthropic.countTokens',
  'tool schemas': 'the deepest levels are cut',
  'the tool loop': 'a whole number of at least 1',
  'putting chunks together': 'a choice of the stream has an index',
  uploads: 'multipart/form-data',
  'reading bytes': 'the reply can be read only once',
  'the catalogue': 'cached_input',
  'node:http': 'node:https',
  'typed bindings': 'bodySerializer',
} as const;
type Part = keyof typeof words;

/** The parts that running the program in a page makes it download. */
async function partsOf(program: string): Promise<Part[]> {
  const text = (await downloaded(program, root)).map((file) => file.text).join('\n');
  return (Object.keys(words) as Part[]).filter((part) => text.includes(words[part]));
}

const source = (title: string): string => programs.find((program) => program.title === title)?.sources['modelsvc'] ?? '';
const chat = "import { Chat, newService } from 'modelsvc'; const chat = newService(Chat, { apiKey: 'k' });";
const messages = "messages: [{ role: 'user', content: 'Hello' }]";
const tool = "{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } } } }";

describe('a page downloads what it uses', () => {
  it('a chat call or stream: chat and its rules, nothing else', async () => {
    expect(await partsOf(source('one chat call'))).toEqual(['rules of chat']);
    expect(await partsOf(source('one stream'))).toEqual(['rules of chat']);
  });

  it('a chat call through newClient: the other services too, but none of what they load', async () => {
    const parts = await partsOf(source('one chat call through newClient'));
    expect(parts).toEqual(['rules of chat', 'other services', 'the message surface']);
  });

  it('tools with schemas bring what rewrites schemas', async () => {
    const program = `${chat} chat.create(undefined, { model: 'm', ${messages}, tools: [${tool}] }).then(console.log);`;
    expect(await partsOf(program)).toEqual(['rules of chat', 'tool schemas']);
  });

  it('a tool loop comes with what puts chunks together', async () => {
    const run = "'f', description: 'F.', input: { type: 'object' }, run: () => 'done'";
    const program = `${chat} import { defineTool } from 'modelsvc';
      for await (const x of chat.streamWithTools(undefined, { model: 'm', ${messages} }, [defineTool({ name: ${run} })])) console.log(x);`;
    expect(await partsOf(program)).toEqual(['rules of chat', 'tool schemas', 'the tool loop', 'putting chunks together']);
  });

  it('functions of the index that stand before such code bring it when they are used', async () => {
    const program = `${chat} import { collectChat, sanitizeToolSchemas } from 'modelsvc';
      console.log(sanitizeToolSchemas([${tool}]), await collectChat(chat.stream(undefined, { model: 'm', ${messages} })));`;
    expect(await partsOf(program)).toEqual(['rules of chat', 'tool schemas', 'putting chunks together']);
  });

  it('each of these words still stands somewhere in the package', async () => {
    const files = (await readdir(join(root, 'dist'), { recursive: true })).filter((path) => /^(index|shared.*|proxy)\.js$/.test(path));
    const own = await Promise.all(files.map((path) => readFile(join(root, 'dist', path), 'utf8')));
    const dependency = await readFile(join(root, 'node_modules/openapi-fetch/dist/index.mjs'), 'utf8');
    const text = [...own, dependency].join('\n');
    expect((Object.keys(words) as Part[]).filter((part) => !text.includes(words[part]))).toEqual([]);
  });
});
