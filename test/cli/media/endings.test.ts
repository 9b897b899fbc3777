// Results that are not a success: withheld, cut off, or missing. Every command that prints an answer or a result judges them alike.
import { expect, it } from 'vitest';
import { newFolder } from '../../support/storage.ts';
import { ends, withFake } from '../support/in-process.ts';

const choice = (finish_reason: string, content = 'half'): object => ({
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
});

const commands = ['jobs wait', 'jobs result'] as const;
const endings = [
  ['stop', 0],
  ['length', 1],
  ['sensitive', 6],
  ['network_error', 1],
  ['model_context_window_exceeded', 1],
] as const;

it.each(commands.flatMap((command) => endings.map(([reason, code]) => [command, reason, code] as const)))(
  '%s of a chat job that ended with %s exits with %i, and prints what there is',
  async (command, reason, code) => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'chat', id: 'job-1', states: ['SUCCESS'], result: choice(reason) });
    const ended = await modelsvc([...command.split(' '), 'job-1']);
    expect(ended).toMatchObject({ stdout: 'half\n', code });
    expect(ended.stderr === '').toBe(code === 0);
  },
);

const png = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1').toString('base64');
const replies = [
  ['a link', { data: [{ url: 'https://example.com/a.png' }] }, 'https://example.com/a.png\n', 0],
  ['image_url', { data: [{ image_url: 'https://example.com/a.png' }] }, 'https://example.com/a.png\n', 0],
  ['b64_json', { data: [{ b64_json: png }] }, `data:image/png;base64,${png}\n`, 0],
  ['an empty link beside b64_json', { data: [{ url: '', b64_json: png }] }, `data:image/png;base64,${png}\n`, 0],
  ['an empty link', { data: [{ url: '' }] }, undefined, 1],
  ['an empty list', { data: [], created: 1 }, '', 1],
  ['a list of null', { data: [null], created: 1 }, '', 1],
  ['a filter that blocked', { data: [], content_filter: [{ role: 'assistant', level: 0 }] }, undefined, 6],
] as const;

it.each(replies)('images create answered with %s', async (_name, reply, stdout, code) => {
  const { fake, modelsvc } = await withFake();
  fake.fallback('images.generate', { body: { created: 1783733412, ...reply } });
  const ended = await modelsvc(['images', 'create', 'a cat']);
  expect(ended.code).toBe(code);
  // A reply without a picture was paid too. An empty one is an error of the library.
  if (stdout === undefined) expect(JSON.parse(ended.stdout)).toMatchObject(reply);
  else expect(ended.stdout).toBe(stdout);
  const saved = await modelsvc(['images', 'create', 'a cat', '-O', await newFolder(), '--retries', '0']);
  expect(saved.stderr).not.toContain('--json');
  if (stdout?.startsWith('data:')) expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/result\.png\n$/) });
  if (stdout === undefined || stdout === '') expect(saved.code).toBe(code);
  if (stdout === '') expect(ended.stderr).toContain('the response has no data');
});

it('a job that succeeded without a link is not a success', async () => {
  const { fake, modelsvc } = await withFake();
  fake.task({ kind: 'video', id: 'job-1', states: ['SUCCESS'], result: { video_result: [] } });
  expect(await modelsvc(['jobs', 'wait', 'job-1'])).toMatchObject(ends(1, 'the task ended without a result'));
});
