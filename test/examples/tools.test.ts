import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { bodiesOf, builtExamples, emptyFolder, ended, outcome, root, sentMessages, toolsOf } from './run.ts';

const start = builtExamples();

describe('tools', () => {
  it('runs the calls of the model, and sends back results and errors', async ({ fake }) => {
    const calls = ['Paris', 'Lyon', 'Atlantis'].map((city) => ({ name: 'get_weather', arguments: { city } }));
    fake.chat.reply({ toolCalls: calls, usage: { input: 10, output: 10 } }).reply({ text: 'In Lyon.', usage: { input: 30, output: 5 } });
    const lines = [
      'get_weather: Paris, celsius',
      'get_weather: Lyon, celsius',
      'get_weather: Atlantis, celsius',
      'In Lyon.',
      '2 model calls, 55 tokens',
    ];
    expect(await outcome(start('tools', fake))).toEqual(ended(`${lines.join('\n')}\n`));
    const results = ['{"temperature":21,"unit":"celsius"}', '{"temperature":24,"unit":"celsius"}', 'error: no weather station in Atlantis'];
    expect(sentMessages(fake).filter(({ role }) => role === 'tool')).toMatchObject(results.map((content) => ({ content })));
  });
});

describe('tools-with-approval', () => {
  it('denies changes without a terminal, and tells the model', async ({ fake }) => {
    fake.chat
      .toolCall('list_files')
      .reply({ text: 'I delete it. ', toolCalls: [{ name: 'delete_file', arguments: { name: 'old.log' } }] })
      .reply('I may not.');
    const lines = ['I delete it. [denied: delete_file {"name":"old.log"}]', 'I may not.', 'files: notes.txt, old.log'];
    expect(await outcome(start('tools-with-approval', fake))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(sentMessages(fake).at(-1)?.content).toBe('error: changes need the approval of a person');
  });
});

describe.skipIf(!existsSync('/usr/bin/script'))('tools-with-approval in a terminal', () => {
  it.each([
    ['y', 'notes.txt', 'deleted'],
    ['n', 'notes.txt, old.log', 'error: the user said no'],
  ])('asks, and obeys the answer %s', async (key, files, result) => {
    const { fake } = await openFake();
    fake.chat.toolCall('delete_file', { name: 'old.log' }).reply('I see.');
    const program = start('tools-with-approval', fake, { terminal: true });
    await program.shows('delete_file {"name":"old.log"}? [y/N] ');
    program.child.stdin.write(`${key}\n`);
    const { code, stdout } = await outcome(program);
    expect(code).toBe(0);
    expect(stdout).toContain(`I see.\r\nfiles: ${files}\r\n`);
    expect(sentMessages(fake).at(-1)?.content).toBe(result);
  });
});

describe('mcp-tools', () => {
  it('lets the model use a real MCP server, and ends it', async ({ fake }) => {
    const folder = await emptyFolder();
    await writeFile(join(folder, 'shopping.txt'), 'milk');
    fake.chat.toolCall('list_directory', { path: folder }).reply('There is one file.');
    const server = [process.execPath, `${root}node_modules/@modelcontextprotocol/server-filesystem/dist/index.js`, folder];
    const lines = [`list_directory {"path":${JSON.stringify(folder)}}`, 'There is one file.'];
    expect(await outcome(start('mcp-tools', fake, { args: server }))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(sentMessages(fake).at(-1)?.content).toContain('[FILE] shopping.txt');
    const offered = toolsOf(fake);
    expect(offered).toContain('read_text_file');
    expect(offered.filter((name) => /write|edit|move|create/.test(name))).toEqual([]);
  });
});

describe('structured-output', () => {
  const recipe = { title: 'Pancakes', minutes: 20, ingredients: [{ name: 'flour', grams: 200 }] };

  it('prints the typed value', async ({ fake }) => {
    fake.chat.reply(JSON.stringify(recipe));
    expect(await outcome(start('structured-output', fake))).toEqual(ended('Pancakes, 20 minutes\n- 200 g of flour\n'));
    expect(bodiesOf(fake)).toMatchObject([{ response_format: { type: 'json_object' }, messages: [{ role: 'system' }, { role: 'user' }] }]);
  });

  it.each([
    [
      'invalid',
      { text: JSON.stringify({ ...recipe, minutes: 'twenty' }) },
      'The answer is invalid.\n- minutes: Invalid input: expected number, received string\n',
    ],
    ['malformed', { text: 'Take flour.' }, 'The answer is malformed.\n- the answer must be one complete JSON value\n'],
    ['unfinished', { text: '{"title":', finish: 'length' }, 'The answer is unfinished.\n'],
  ])('reports an answer that is %s', async (_problem, turn, stdout) => {
    const { fake } = await openFake();
    fake.chat.reply(turn);
    expect(await outcome(start('structured-output', fake))).toEqual(ended(stdout, 1));
  });
});
