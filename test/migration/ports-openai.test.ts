// Ports of the published examples of `openai`, written from docs/guides/migrating-from-openai.md, against the fake service.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../examples/example-process.ts';
import * as toClient from './openai/stream-to-client.ts';
import { openPorts, type Script } from './ports.ts';

const { fake, client: c, printed } = await openPorts('openai');

const math = '{"steps":[{"explanation":"e","output":"o"}],"final_answer":"x = -3.6"}';

it.each<[name: string, script: Script, prints: string]>([
  ['demo', () => fake.chat.reply('This is a test').stream(['This is', ' a test']), 'This is a test\nThis is a test\n'],
  ['chat-params-types', () => fake.chat.reply('a').stream(['b', 'c']).reply('d'), 'a\nbc1\n'],
  ['function-call-diy', () => fake.chat.toolCall('list', { genre: 'mystery' }).reply('None.'), 'list []\nNone.\n'],
  ['function-call-stream-raw', () => fake.chat.stream(['This', ' is']), '{"role":"assistant","content":"This is"}\n'],
  [
    'parsing-run-tools',
    () => fake.chat.toolCall('query', { table_name: 'orders', columns: ['id'], conditions: [], order_by: 'asc' }).reply('Ten.'),
    'parsed function arguments: {"table_name":"orders","columns":["id"],"conditions":[],"order_by":"asc"}\nuser assistant tool assistant\n',
  ],
  ['parsing-stream', () => fake.chat.stream([math.slice(0, 20), math.slice(20)]), 'content: 20\ncontent: 70\nanswer: x = -3.6\n'],
  ['parsing-tools', () => fake.chat.toolCall('query', { table_name: 'orders', columns: ['id'] }), 'orders\n'],
  [
    'parsing-tools-stream',
    () => fake.chat.toolCall('get_weather', { city: 'SF', country: 'US' }),
    'delta {"city":\ndelta "SF","co\ndelta untry":"\ndelta US"}\ndone get_weather {"city":"SF","country":"US"}\n',
  ],
  ['parsing', () => fake.chat.reply(math), '1 steps, answer: x = -3.6\n'],
  [
    'ui-generation',
    () =>
      fake.chat.reply('{"type":"form","label":"User","children":[{"type":"button","label":"Save","children":[],"attributes":[]}],"attributes":[]}'),
    'form Save\n',
  ],
  ['stream', () => fake.chat.stream(['This is', ' a test']), 'This is a testassistant stop\n'],
  [
    'tool-call-helpers-zod',
    () => fake.chat.toolCall('listBooks', { genre: 'historical' }).reply('Read it.'),
    'functionCall listBooks {"genre":"historical"}\nfunctionCallResult listBooks [{"name":"To Kill a Mockingbird","id":"a1"}]\nRead it.\n5 Read it.\n',
  ],
  ['tool-calls-stream', () => fake.chat.toolCall('search', { name: 'Mock' }).reply('Found.'), 'call search {"name":"Mock"}\nFound.'],
  [
    'errors',
    // The program asks for a model that does not exist.
    () => fake.reset(),
    'status: 400\ncode: 1211\nmessage: Unknown Model, please check the model code.\n',
  ],
  ['raw-response', () => fake.chat.reply('A test'), '200 application/json; charset=UTF-8 false\nA test\n'],
  ['responses-stream', () => fake.responses.stream(['x =', ' -3.6']), 'x = -3.6 completed x = -3.6\n'],
  ['manual-conversation-state', () => fake.responses.reply('def').reply('def typed'), 'def\ndef typed\n'],
  ['structured-outputs', () => fake.responses.reply(math), 'answer: x = -3.6\n'],
  ['structured-outputs-tools', () => fake.responses.toolCall('query', { table_name: 'orders', columns: ['id'] }), 'orders id\n'],
])('%s', async (name, script, prints) => {
  expect(await printed(name, script)).toEqual([prints, prints]);
});

it('picture', async () => {
  const path = join(await emptyFolder(), 'image.png');
  const url = `data:image/png;base64,${Buffer.from('pixels').toString('base64')}`;
  const script: Script = () => {
    fake.answer('images.generate', { body: { created: 1, data: [{ url }] } });
    return [path];
  };
  expect(await printed('picture', script)).toEqual(['Saved image\n', 'Saved image\n']);
  expect(await readFile(path, 'utf8')).toBe('pixels');
});

it('audio', async () => {
  const path = join(await emptyFolder(), 'speech.wav');
  const prints = expect.stringMatching(/^Finished streaming\n.+\n$/);
  expect(await printed('audio', () => [path])).toEqual([prints, prints]);
});

it('stream-to-client: next and its page', async () => {
  fake.chat.stream(['Dogs', ' are']);
  const response = await toClient.handler(c, new Request('http://page.example', { method: 'POST', body: 'Why dogs?' }));
  expect(await toClient.page(response)).toBe('Dogs are');
});

it('stream-to-client: raw', async () => {
  fake.chat.stream(['Dogs', ' are']);
  const server = toClient.server(c).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  expect(await toClient.page(await fetch(`http://127.0.0.1:${port}`))).toBe('Dogs are');
  server.close();
});
