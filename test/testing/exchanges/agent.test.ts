// An agent with tools of its own and of an MCP server, recorded against the fake and replayed without a socket.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { mcpTools } from '../../../src/mcp/index.ts';
import { contentText, defineTool, type TypedTool } from '../../../src/overlay/index.ts';
import { type CassetteFetch, replayExchanges } from '../../../src/testing/index.ts';
import { sharedFake } from '../../support/fake.ts';
import { clientOver, contentOf, newFile, noSockets, recorder } from './support.ts';

const fake = await sharedFake();
const server = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url));

/** Tools of a real MCP server over stdio, for a folder with one file, and one tool of our own. */
async function openTools(): Promise<{ readonly tools: readonly TypedTool[]; readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  await writeFile(join(folder, 'cities.txt'), 'Paris\nRome\n');
  const mcp = new Client({ name: 'test', version: '1.0.0' });
  await mcp.connect(new StdioClientTransport({ command: process.execPath, args: [server, folder], stderr: 'ignore' }));
  onTestFinished(async () => {
    await mcp.close();
    await rm(folder, { recursive: true, force: true });
  });
  const weather = defineTool({
    name: 'get_weather',
    description: 'The weather of a city.',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }: { city: string }) => ({ city, sunny: city === 'Rome' }),
  });
  return { tools: [...(await mcpTools(mcp, { filter: ({ name }) => name === 'read_text_file' })), weather], file: join(folder, 'cities.txt') };
}

interface Outcome {
  readonly text: string;
  readonly calls: readonly string[];
}

/** One run of the agent: on chat, or streamed on messages. */
const agents: Readonly<Record<string, (fetch: CassetteFetch, tools: readonly TypedTool[]) => Promise<Outcome>>> = {
  async chat(fetch, tools) {
    const calls: string[] = [];
    const question = { model: 'glm-5.3', messages: [{ role: 'user' as const, content: 'Where is it sunny?' }] };
    const reply = await clientOver(fetch, fake.url)
      .chat()
      .runWithTools(undefined, question, [...tools], {
        onRound: (round) => void calls.push(...round.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)),
      });
    return { text: contentText(reply.choices[0]?.message.content), calls };
  },
  async messages(fetch, tools) {
    const calls: string[] = [];
    let text = '';
    const question = { model: 'glm-5.3', max_tokens: 500, messages: [{ role: 'user' as const, content: 'Where is it sunny?' }] };
    const stream = clientOver(fetch, fake.url)
      .anthropic()
      .streamWithTools(undefined, question, [...tools]);
    for await (const item of stream) {
      const { type, data } = item as { readonly type: string; readonly data?: { readonly delta?: { readonly text?: string } } };
      if (type === 'content_block_delta') text += data?.delta?.text ?? '';
      else if (!type.startsWith('content_block') && !type.startsWith('message')) calls.push(type);
    }
    return { text, calls };
  },
};

test.each(Object.keys(agents))('%s: a hundred runs at once give the recorded result', async (surface) => {
  const run = agents[surface] as (typeof agents)[string];
  const { tools, file: cities } = await openTools();
  const script = surface === 'chat' ? fake.chat : fake.messages;
  script
    .toolCall('read_text_file', { path: cities })
    .toolCall('get_weather', { city: 'Paris' })
    .toolCall('get_weather', { city: 'Rome' })
    .reply('It is sunny in Rome.');
  const file = newFile();
  const cassette = recorder(file);
  const recorded = await run(cassette, tools);
  await cassette.save();
  expect(recorded.text).toContain('It is sunny in Rome.');
  expect(fake.requests).toHaveLength(4);

  const attempts = noSockets();
  const runs = await Promise.all(Array.from({ length: 100 }, () => run(replayExchanges(file), tools)));
  for (const outcome of runs) expect(outcome).toEqual(recorded);
  expect(attempts()).toBe(0);
  expect(fake.requests).toHaveLength(4);
  // The model asked for a file, and its content went back: both are in the cassette, with the same name of the call.
  const [, second] = [...contentOf(file).exchanges].sort((a, b) => JSON.stringify(a.request).length - JSON.stringify(b.request).length);
  expect(JSON.stringify(second?.request.body)).toContain('Paris\\nRome');
});
