import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

describe('messages', () => {
  it('streams the text, and options become fields of the request', async () => {
    const { fake, modelsvc } = await withFake();
    fake.messages.reply({ reasoning: 'hm', text: 'Blue.' });
    const options = '-m glm-4.6 -s Brief -t 0.5 --top-p 0.9 --max-tokens 4000 --stop END --thinking on -u';
    expect(await modelsvc(['messages', 'Why?', ...options.split(' ')])).toEqual({
      stdout: 'Blue.\n',
      stderr: expect.stringMatching(/^hm\n\d+ tokens in, \d+ out, about \$0\.\d+\n$/) as string,
      code: 0,
    });
    expect(fake.requests.at(-1)?.body).toEqual({
      model: 'glm-4.6',
      max_tokens: 4000,
      messages: [{ role: 'user', content: 'Why?' }],
      system: 'Brief',
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
      thinking: { type: 'enabled' },
      stream: true,
    });
  });

  it('--json prints the message, -o jsonl the events, and a tool call is printed', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'tool.json'), '{"name":"weather","description":"Weather"}');
    fake.messages.reply('a').reply('a').toolCall('weather', { city: 'Bonn' });
    expect(JSON.parse((await modelsvc(['messages', 'hi', '--json'])).stdout)).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: 'a' }],
    });
    const events = (await modelsvc(['messages', 'hi', '-o', 'jsonl'])).stdout.trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('content_block_delta');
    expect((await modelsvc(['messages', 'hi', '--tool', 'tool.json'], { cwd })).stdout).toBe('{"name":"weather","arguments":{"city":"Bonn"}}\n');
  });

  it.each(['', ' --no-stream'])('--web-search goes on after a pause, and prints the sources or their absence%s', async (more) => {
    const { fake, modelsvc } = await withFake();
    fake.messages
      .reply({ text: 'I search. ', webSearch: [], finish: 'pause_turn' })
      .reply({ text: 'Rain.', webSearch: [{ title: 'A', link: 'https://a.example/' }] });
    const line = `messages Rain? --web-search${more}`.split(' ');
    const home = { env: { HOME: await newHome() } };
    expect(await modelsvc(line, home)).toEqual({ stdout: 'I search. Rain.\n', stderr: 'source: A https://a.example/\n', code: 0 });
    const [first] = fake.requests;
    expect(first?.body).toMatchObject({ tools: [{ type: 'web_search_20260209', name: 'web_search' }] });
    expect(first?.headers['anthropic-beta']).toBe('code-execution-web-tools-2026-02-09');
    // The conversation has both halves.
    fake.messages.reply('Yes.');
    expect((await modelsvc([...line, '-c'], home)).stderr).toBe('The reply shows no search of the web.\n');
    expect(fake.requests.at(-1)?.body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'assistant' }, { role: 'user' }],
    });
    expect(await modelsvc([...line, '--tool', '{"name":"x"}'], home)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tool and --web-search') as string,
    });
  });

  it('a refusal is exit code 6, a cut stream exit code 1 with its text', async () => {
    const { fake, modelsvc } = await withFake();
    fake.messages.reply({ text: 'No.', finish: 'refusal' });
    fake.answer('anthropic.create', { ...faults.truncatedStream(), reply: { turn: { text: ['first ', 'second'] } } });
    expect(await modelsvc(['messages', 'hi'])).toMatchObject({ stdout: 'No.\n', code: 6 });
    expect(await modelsvc(['messages', 'hi'])).toMatchObject({ stdout: expect.stringContaining('first ') as string, code: 1 });
  });
});
