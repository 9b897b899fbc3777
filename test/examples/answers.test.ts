import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { bodiesOf, builtExamples, emptyFolder, ended, outcome } from './run.ts';

const start = builtExamples();

describe('chat', () => {
  it('prints the answer and its tokens', async ({ fake }) => {
    fake.chat.reply({ text: 'Air scatters blue light.', usage: { input: 20, output: 5 } });
    expect(await outcome(start('chat', fake, { args: ['Why blue?'] }))).toEqual(ended('Air scatters blue light.\n25 tokens\n'));
    expect(bodiesOf(fake)).toMatchObject([{ messages: [{ role: 'system' }, { content: 'Why blue?' }] }]);
  });

  it('reports an answer that was cut off', async ({ fake }) => {
    fake.chat.reply({ text: 'Air', finish: 'length', usage: { input: 20, output: 1 } });
    const { stderr, ...rest } = await outcome(start('chat', fake));
    expect(rest).toEqual({ code: 1, stdout: 'Air\n21 tokens\n' });
    expect(stderr).toMatch(/^finish reason length: /);
  });
});

describe('stream', () => {
  it('prints the answer, and then its tokens', async ({ fake }) => {
    fake.chat.stream(['Rain', ' falls', '.'], { usage: { input: 9, output: 3 } });
    expect(await outcome(start('stream', fake))).toEqual(ended('Rain falls.\n12 tokens\n'));
  });

  it('reports an answer that was cut off at a limit', async ({ fake }) => {
    fake.chat.stream(['Rain'], { finish: 'length', usage: { input: 9, output: 1 } });
    expect(await outcome(start('stream', fake))).toEqual(ended('Rain\n10 tokens, incomplete\n'));
  });

  it('reports a stream that is cut off, after its text', async ({ fake }) => {
    fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Rain', ' falls', '.', '.'] } } });
    const problem = '\nchat.stream: the stream was cut off after 4 events, before its end\n';
    expect(await outcome(start('stream', fake))).toEqual(ended('Rain falls..', 1, problem));
  });
});

describe('cancel-and-timeout', () => {
  const silent = { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['Once', ' upon'] } } };

  it('prints the complete answer', async ({ fake }) => {
    fake.chat.reply('Once upon a time.');
    expect(await outcome(start('cancel-and-timeout', fake))).toEqual(ended('Once upon a time.\nThe story is complete.\n'));
  });

  it('is canceled by an interrupt', async ({ fake }) => {
    fake.answer('chat.create', silent);
    const program = start('cancel-and-timeout', fake);
    await program.shows('Once');
    program.child.kill('SIGINT');
    expect(await outcome(program)).toEqual(ended('Once\nCanceled.\n', 1));
    await fake.idle();
    expect(fake.requests.map((request) => request.outcome)).toEqual(['left']);
  });

  it('ends at the limit of the complete call', async ({ fake }) => {
    fake.answer('chat.create', silent);
    const { stdout, ...rest } = await outcome(start('cancel-and-timeout', fake, { args: ['0', '1'] }));
    expect(rest).toEqual({ code: 1, stderr: '' });
    // On a slow machine the limit may pass before the first piece.
    expect(stdout).toMatch(/^(Once)?\nThe time is up\.\n$/);
  });

  it('ends at the limit for the response header, without another attempt', async ({ fake }) => {
    fake.answer('chat.create', faults.silentBeforeHeaders());
    expect(await outcome(start('cancel-and-timeout', fake, { args: ['0.2'] }))).toEqual(ended('No response within 200 ms.\n', 1));
    expect(fake.requests).toHaveLength(1);
  });
});

it('thinking prints reasoning and answer of both surfaces', async ({ fake }) => {
  fake.chat.reply({ reasoning: ['7 times 13', ' is 91.'], text: ['No', '.'] });
  fake.messages.reply({ reasoning: '91 is 7 times 13.', text: 'It is not.' });
  expect(await outcome(start('thinking', fake))).toEqual(
    ended(
      'chat thinking: 7 times 13 is 91.\nchat answer: No.\nmessages thinking: 91 is 7 times 13.\nmessages answer: It is not.\n' +
        'effort: {"output_config":{"effort":"low"}} \n',
    ),
  );
  expect(bodiesOf(fake)).toMatchObject([{ reasoning_effort: 'high' }, { output_config: { effort: 'low' } }]);
});

it('image-input sends the file as a part of the message', async ({ fake }) => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const path = join(await emptyFolder(), 'dot.png');
  await writeFile(path, png);
  fake.chat.reply('One pixel.');
  expect(await outcome(start('image-input', fake, { args: [path] }))).toEqual(ended('One pixel.\n'));
  const url = `data:image/png;base64,${png.toString('base64')}`;
  expect(bodiesOf(fake)).toMatchObject([{ messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] }] }]);
});

describe('errors-and-fallback', () => {
  const quota = faults.error(429, '1308', 'The limit is used up.');

  it('retries a failure of the server', async ({ fake }) => {
    fake.answer('chat.create', faults.serverErrors(1), { turn: { text: 'Scattering.' } });
    expect(await outcome(start('errors-and-fallback', fake))).toEqual(ended('glm-5.3: retry 1\nglm-5.3: Scattering.\n'));
  });

  it('uses the next model if the quota of the first is used up', async ({ fake }) => {
    fake.answer('chat.create', quota, { turn: { text: 'Scattering.' } });
    expect(await outcome(start('errors-and-fallback', fake))).toEqual(
      ended('glm-5.3: quota (code 1308) after 1 attempts, next: glm-4.7\nglm-4.7: Scattering.\n'),
    );
  });

  it('ends with the advice of the last error', async ({ fake }) => {
    fake.fallback('chat.create', quota);
    const lines = ['glm-5.3: quota (code 1308) after 1 attempts, next: glm-4.7', 'glm-4.7: quota (code 1308) after 1 attempts, next: glm-4.7-flash'];
    const { stderr, ...rest } = await outcome(start('errors-and-fallback', fake));
    expect(rest).toEqual({ code: 1, stdout: `${lines.join('\n')}\n` });
    expect(stderr).toMatch(/^quota: .+reset time/);
  });

  it('does not ask another model for a wrong key', async () => {
    const { fake } = await openFake(undefined, { keys: ['another-id.another-secret'] });
    const { stderr, ...rest } = await outcome(start('errors-and-fallback', fake));
    expect(rest).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^auth: /);
    expect(fake.requests).toHaveLength(1);
  });
});
