import { describe, expect, it } from 'vitest';
import { newHome, prints, withFake } from '../support/in-process.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('responses', () => {
  it('--web-search declares the tool and prints the sources', async () => {
    const { fake, modelsvc } = await withFake();
    const result = [{ title: 'A', url: 'https://a.example/' }];
    const output = [
      { type: 'web_search_call', status: 'completed', result },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rain.' }] },
    ];
    fake.answer('responses.create', { body: { id: 'resp_1', object: 'response', status: 'completed', output } });
    expect(await modelsvc(['responses', 'Rain?', '--web-search', '--no-stream'])).toEqual(prints('Rain.\n', 0, 'source: A https://a.example/\n'));
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
});
