import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { builtExamples, emptyFolder, ended, outcome, root, sentMessages, toolsOf } from './run.ts';

const start = builtExamples();

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
