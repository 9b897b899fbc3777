import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpClient, mcpTools } from '../../src/mcp/index.ts';
import type { TypedTool } from '../../src/overlay/index.ts';
import { chatAnswer, chatCalls, messageAnswer, scriptedModel } from '../support/scripted-model.ts';

const modules = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/', import.meta.url));

/** A real server from the registry, over stdio. */
async function connect(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const command = { command: process.execPath, args: [join(modules, name, 'dist/index.js'), ...args], env: { ...env }, stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(command));
  return client;
}

const call = { signal: new AbortController().signal, callId: 'a', round: 1 };

async function result(tools: readonly TypedTool[], name: string, argumentsText: string): Promise<string> {
  const prepared = await tools.find((tool) => tool.name === name)?.prepare(argumentsText);
  if (!prepared) throw new Error(`no tool ${name}`);
  return prepared.problem ?? String(await prepared.run(call));
}

let folder: string;
let everything: Client;
let files: Client;
let memory: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-test-'));
  [everything, files, memory] = await Promise.all([
    connect('server-everything', ['stdio']),
    connect('server-filesystem', [folder]),
    connect('server-memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
  ]);
});
afterAll(async () => {
  await Promise.all([everything, files, memory].map((client) => client?.close()));
  await rm(folder, { recursive: true, force: true });
});

describe('tools of real MCP servers', () => {
  it('are listed with their schemas, and those that run only as tasks are left out', async () => {
    const tools = await mcpTools(everything);
    const names = tools.map(({ name }) => name);
    expect(names).toContain('echo');
    expect(names).not.toContain('simulate-research-query');
    expect(tools.find(({ name }) => name === 'echo')?.jsonSchema).toEqual({
      type: 'object',
      properties: { message: { type: 'string', description: 'Message to echo' } },
      required: ['message'],
    });
  });

  it('give their results as text: structured, linked, embedded and binary parts too', async () => {
    const tools = await mcpTools(everything);
    expect(await result(tools, 'echo', '{"message":"hi"}')).toBe('Echo: hi');
    expect(await result(tools, 'get-sum', '{"a":"2","b":3}')).toContain('5');
    expect(JSON.parse(await result(tools, 'get-structured-content', '{"location":"Chicago"}'))).toHaveProperty('humidity');
    expect(await result(tools, 'get-resource-links', '{"count":1}')).toMatch(/\[resource .+: demo:\/\//);
    expect(await result(tools, 'get-resource-reference', '{}')).toContain('Resource 1: This is a plaintext resource');
    const image = await result(tools, 'get-tiny-image', '{}');
    expect(image).toMatch(/\[image, image\/png, \d+ characters of base64, not shown\]/);
    expect(image.length).toBeLessThan(300);
  });

  it('say what is wrong with a call before the server is asked', async () => {
    expect(await result(await mcpTools(everything), 'echo', '{}')).toBe(
      'the arguments of echo do not fit: message: is required; expected { message: string (required) }',
    );
  });

  it('run in the tool loop, and an error of the server is reported to the model', async () => {
    await writeFile(join(folder, 'note.txt'), 'bring milk');
    const tools = await mcpTools(files, { prefix: 'fs_', filter: ({ name }) => name.includes('text_file') });
    const later = await mcpTools(files, { prefix: 'fs_', filter: ({ name }) => Promise.resolve(name.includes('text_file')) });
    expect(later.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(tools.map(({ name }) => name)).toEqual(['fs_read_text_file']);
    const path = join(folder, 'note.txt');
    const model = await scriptedModel(
      chatCalls(['a', 'fs_read_text_file', JSON.stringify({ path })], ['b', 'fs_read_text_file', '{"path":"/nowhere/else"}']),
      chatAnswer({ content: 'Milk.' }),
    );
    const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'What is in my note?' }] };
    await model.client.chat().runWithTools(undefined, request, tools);
    const [read, refused] = model.requests[1]?.body.messages.slice(2) ?? [];
    expect(read.content).toBe('bring milk');
    expect(refused.content).toMatch(/^error: .*denied/);
  });

  it('change the world on the message surface', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }];
    // The list comes as text, as some models write it.
    const use = { type: 'tool_use', id: 'a', name: 'create_entities', input: { entities: JSON.stringify(entities) } };
    const model = await scriptedModel(messageAnswer([use], 'tool_use'), messageAnswer([{ type: 'text', text: 'Noted.' }]));
    const request = { model: 'glm-4.6', max_tokens: 100, messages: [{ role: 'user', content: 'Ada likes tea' }] };
    await model.client.anthropic().runWithTools(undefined, request, await mcpTools(memory));
    expect(await readFile(join(folder, 'memory.jsonl'), 'utf8')).toContain('likes tea');
  });

  it('are canceled with the run', async () => {
    const model = await scriptedModel(chatCalls(['a', 'trigger-long-running-operation', '{"duration":600,"steps":2}']));
    const request = { model: 'glm-4.6', messages: [{ role: 'user', content: 'x' }] };
    const run = model.client.chat().runWithTools(AbortSignal.timeout(200), request, await mcpTools(everything));
    await expect(run).rejects.toMatchObject({ kind: 'abort' });
  });
});

describe('lists of odd servers', () => {
  const listing = (...names: string[]): McpClient => ({
    listTools: async (parameters) => {
      const at = Number(parameters?.cursor ?? 0);
      const next = at + 1 < names.length ? { nextCursor: String(at + 1) } : {};
      return { tools: [{ name: names[at] ?? '', inputSchema: { type: 'object' } }], ...next };
    },
    callTool: async ({ name }) => ({ content: [{ type: 'text', text: `ran ${name}` }] }),
  });

  it('names are made to fit and told apart, and every page is read', async () => {
    const long = `${'x'.repeat(64)}y`;
    const tools = await mcpTools(listing('fs/read.file', 'fs_read_file', long, `${long}z`), { sdk: 1 });
    expect(tools.map(({ name }) => name)).toEqual(['fs_read_file_2', 'fs_read_file', 'x'.repeat(64), `${'x'.repeat(62)}_2`]);
    expect(await result(tools, 'fs_read_file', '{}')).toBe('ran fs_read_file');
    expect(await result(tools, 'fs_read_file_2', '{}')).toBe('ran fs/read.file');
  });

  it("a name that fits is its own tool's, in any order of the list, and changed names do not depend on the order", async () => {
    const pool = [
      'fs.delete',
      'fs_delete',
      'fs/delete',
      'fs delete',
      'fs_delete_2',
      'read',
      'löschen',
      'l_schen',
      `${'x'.repeat(70)}a`,
      `${'x'.repeat(70)}b`,
    ];
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...pool), { minLength: 1 }), async (names) => {
        const byTool = async (list: readonly string[]): Promise<Map<string, string>> => {
          const found = new Map<string, string>();
          const client: McpClient = {
            listTools: async () => ({ tools: list.map((name) => ({ name, description: 'D.', inputSchema: { type: 'object' } })) }),
            callTool: async ({ name }) => ({ content: [{ type: 'text', text: name }] }),
          };
          for (const tool of await mcpTools(client, { sdk: 1 })) {
            const called = await result([tool], tool.name, '{}');
            found.set(called, tool.name);
            expect(tool.description).toBe(called === tool.name ? 'D.' : `${called}: D.`);
          }
          return found;
        };
        const found = await byTool(names);
        expect(new Set(found.values()).size).toBe(names.length);
        for (const name of names.filter((one) => /^[\w-]{1,64}$/.test(one))) expect(found.get(name)).toBe(name);
        expect([...(await byTool([...names].reverse()))].sort()).toEqual([...found].sort());
      }),
    );
  });

  it.each([
    [{ content: [], structuredContent: { reason: 'locked' } }, '{"reason":"locked"}'],
    [{ content: [{ type: 'text', text: ' ' }], structuredContent: { reason: 'locked' } }, '{"reason":"locked"}'],
    [{ content: [] }, 'the tool failed without a reason'],
    [{}, 'the tool failed without a reason'],
  ])('a failed tool gives the model a reason: %j', async (reply, reason) => {
    const client: McpClient = { ...listing('a'), callTool: async () => ({ isError: true, ...reply }) };
    await expect(result(await mcpTools(client, { sdk: 1 }), 'a', '{}').catch((error: Error) => error.message)).resolves.toBe(reason);
  });

  it('a cursor that does not change is an error, not a short list', async () => {
    let asked = 0;
    const still: McpClient = {
      ...listing(),
      listTools: async () => {
        asked++;
        return { tools: [{ name: `t${asked}`, inputSchema: { type: 'object' } }], nextCursor: 'same' };
      },
    };
    await expect(mcpTools(still, { sdk: 1 })).rejects.toMatchObject({
      kind: 'reply',
      problem: 'malformed',
      message: expect.stringContaining('did not advance'),
    });
    expect(asked).toBe(2);
  });

  it('100 pages are read, and more are an error', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `t${index}`);
    expect(await mcpTools(listing(...names.slice(1)), { sdk: 1 })).toHaveLength(100);
    await expect(mcpTools(listing(...names), { sdk: 1 })).rejects.toMatchObject({
      kind: 'reply',
      message: expect.stringContaining('more than 100 pages'),
    });
  });

  it('an empty cursor ends the list', async () => {
    const odd: McpClient = { ...listing(), listTools: async () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }], nextCursor: '' }) };
    expect(await mcpTools(odd, { sdk: 1 })).toHaveLength(1);
  });

  it('a prefix that is invalid in a name is refused', async () => {
    await expect(mcpTools(listing('a'), { prefix: 'my tools.' })).rejects.toThrow('mcpTools: prefix must be');
  });
});
