import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newHome, withFake } from '../support/in-process.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('responses', () => {
  it('streams the text, and options become fields of the request', async () => {
    const { fake, modelsvc } = await withFake();
    fake.responses.reply({ reasoning: 'hm', text: 'Blue.' });
    const options = '-m glm-4.6 -s Brief -t 0.5 --top-p 0.9 --max-tokens 4000 --stop END --effort low -u';
    expect(await modelsvc(['responses', 'Why?', ...options.split(' ')])).toEqual({
      stdout: 'Blue.\n',
      stderr: expect.stringMatching(/^hm\n\d+ tokens in, \d+ out, about \$0\.\d+\n$/) as string,
      code: 0,
    });
    expect(fake.requests.at(-1)?.body).toEqual({
      model: 'glm-4.6',
      max_output_tokens: 4000,
      input: [{ type: 'message', role: 'user', content: 'Why?' }],
      instructions: 'Brief',
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      // The fake is no host of the vendor.
      reasoning: { effort: 'low' },
      stream: true,
    });
  });

  it('--web-search declares the tool and prints the sources', async () => {
    const { fake, modelsvc } = await withFake();
    const result = [{ title: 'A', url: 'https://a.example/' }];
    const output = [
      { type: 'web_search_call', status: 'completed', result },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] },
    ];
    fake.answer('responses.create', { body: { id: 'resp_1', object: 'response', status: 'completed', output } });
    expect(await modelsvc(['responses', 'Rain?', '--web-search', '--no-stream'])).toEqual({
      stdout: 'Rain.\n',
      stderr: 'source: A https://a.example/\n',
      code: 0,
    });
    expect(fake.requests.at(-1)?.body).toMatchObject({ tools: [{ type: 'web_search' }] });
  });

  it.each(['failed', 'in_progress', 'queued', 'cancelled', 'paused'])('fails for a response of status %s, streamed or not', async (status) => {
    const { fake, modelsvc } = await withFake();
    const response = { id: 'resp_1', object: 'response', status, error: null, output: [] };
    const created = { type: 'response.created', response: { ...response, status: 'in_progress' } };
    for (const options of [[], ['--no-stream'], ['--json']]) {
      fake.answer('responses.create', ({ body }) =>
        (body as { stream?: boolean }).stream ? { frames: [created, { type: 'response.completed', response }] } : { body: response },
      );
      const { code, stdout, stderr } = await modelsvc(['responses', 'hi', ...options]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(status === 'failed' ? 'the service reports a failure' : `the response has the status ${status}`);
    }
  });

  it('--json prints the response, -o jsonl the events, and a tool call is printed', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'tool.json'), '{"name":"weather","description":"Weather"}');
    fake.responses.reply('a').reply('a').toolCall('weather', { city: 'Bonn' });
    expect(JSON.parse((await modelsvc(['responses', 'hi', '--json'])).stdout)).toMatchObject({
      object: 'response',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'a' }] }],
    });
    const events = (await modelsvc(['responses', 'hi', '-o', 'jsonl'])).stdout.trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('response.output_text.delta');
    expect((await modelsvc(['responses', 'hi', '--tool', 'tool.json'], { cwd })).stdout).toBe('{"name":"weather","arguments":{"city":"Bonn"}}\n');
  });

  it('continues a conversation with every item of it, images included', async () => {
    const { fake, modelsvc } = await withFake();
    const env = { HOME: await newHome() };
    fake.responses.reply({ reasoning: 'hm', text: 'A dot.' }).reply('Red.');
    await modelsvc(['responses', 'Look', '-f', '-'], { env, stdin: png });
    expect((await modelsvc(['responses', '-c', 'Which color?'], { env })).stdout).toBe('Red.\n');
    expect(fake.requests.at(-1)?.body).toMatchObject({
      model: 'glm-5.3-flash',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look' },
            { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,/) as string },
          ],
        },
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hm' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A dot.' }] },
        { role: 'user', content: 'Which color?' },
      ],
    });
  });

  it('a refused answer is exit code 6, a cut stream exit code 1 with its text, and a video is refused', async () => {
    const { fake, modelsvc } = await withFake();
    fake.responses.reply({ text: 'Because', finish: 'sensitive' });
    fake.answer('responses.create', { ...faults.truncatedStream(), reply: { turn: { text: ['first ', 'second'] } } });
    expect(await modelsvc(['responses', 'hi'])).toMatchObject({
      stdout: 'Because\n',
      code: 6,
      stderr: expect.stringContaining('content check') as string,
    });
    expect(await modelsvc(['responses', 'hi'])).toMatchObject({ stdout: expect.stringContaining('first ') as string, code: 1 });
    expect(await modelsvc(['responses', 'hi', '-f', 'https://example.com/a.mov'])).toMatchObject({ code: 2, stdout: '' });
  });
});
