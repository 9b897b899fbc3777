import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import { describe, expect, it } from 'vitest';
import { type FakeService, faults } from '../../../src/testing/index.ts';
import { hasPty, runInPty } from '../support/pty.ts';
import { newHome, withFake } from '../support/run.ts';

const messagesOf = (fake: FakeService): readonly unknown[] => (fake.requests.at(-1)?.body as ChatRequest | undefined)?.messages ?? [];
const fakeEnv = { SVC_API_KEY: 'fake-id.fake-secret' };

describe('chat repl, from a pipe', () => {
  it('keeps the conversation over questions of one and several lines, and performs commands', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'note.txt'), 'a note');
    fake.chat.reply('one').reply('two').reply('three').reply('four');
    const lines = [
      'hi',
      '/model glm-4.6',
      '/system Be brief',
      '"""',
      'a',
      'b',
      '"""',
      '/file note.txt',
      'read',
      '/usage',
      '/nope',
      '/save trip',
      '/clear',
      'new',
      '/exit',
      'never',
    ];
    const { stdout, stderr, code } = await modelsvc(['chat', 'repl'], { stdin: lines.join('\n'), cwd, env: { HOME: cwd } });
    expect({ stdout, code }).toEqual({ stdout: 'one\ntwo\nthree\nfour\n', code: 0 });
    expect(stderr).toContain('/nope is not a command');
    const bodies = fake.requests.map(({ body }) => body as ChatRequest);
    expect(bodies.map(({ model }) => model)).toEqual(['glm-5.2', 'glm-4.6', 'glm-4.6', 'glm-4.6']);
    expect(bodies[2]?.messages.map(({ content }) => content)).toEqual([
      'Be brief',
      'hi',
      'one',
      'a\nb',
      'two',
      'read\n\nnote.txt:\n```txt\na note\n```',
    ]);
    expect(bodies[3]?.messages.map(({ content }) => content)).toEqual(['Be brief', 'new']);
    const stored = JSON.parse(await readFile(join(cwd, '.state/modelsvc/conversations/named-trip.json'), 'utf8')) as ChatRequest;
    expect(stored.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  });

  it('goes on after a failure, and its exit code is that of the first', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ text: 'half', finish: 'sensitive' }).reply('whole');
    const { stdout, stderr, code } = await modelsvc(['chat', 'repl'], { stdin: 'one\n/file nope.txt\ntwo' });
    expect({ stdout, code }).toEqual({ stdout: 'half\nwhole\n', code: 6 });
    expect(stderr).toContain('nope.txt does not exist');
    // The blocked turn is not part of the conversation.
    expect(messagesOf(fake)).toHaveLength(1);
  });

  it('SIGINT ends it with 130 and keeps the text', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['first ', 'second'] } } });
    const { stdout, code } = await modelsvc(['chat', 'repl'], {
      stdin: 'hi\nmore\n',
      onStart: (child) => child.stdout.on('data', () => child.kill('SIGINT')),
    });
    expect({ stdout, code }).toEqual({ stdout: 'first \n', code: 130 });
    expect(fake.requests).toHaveLength(1);
  });
});

describe.runIf(hasPty)('chat repl, on a terminal', () => {
  it('Ctrl-C stops an answer and the repl goes on; twice at the prompt, it ends', async () => {
    const { fake } = await withFake();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['first ', 'second'] } } });
    fake.chat.reply('fine');
    const { screen, code } = await runInPty(['chat', 'repl', '--base-url', fake.url], {
      env: fakeEnv,
      keys: [
        ['> ', 'hi\r'],
        ['first', '\x03'],
        ['stopped', 'again\r'],
        ['fine', ''],
        ['> ', '\x03'],
        ['Press Ctrl-C again', '\x03'],
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain('stopped');
    expect(messagesOf(fake)).toEqual([{ role: 'user', content: 'again' }]);
  });

  it('a line that is being typed is dropped by Ctrl-C, and Ctrl-D ends the repl', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const { code } = await runInPty(['chat', 'repl', '--base-url', fake.url], {
      env: fakeEnv,
      keys: [
        ['> ', 'drop this'],
        ['drop this', '\x03keep\r'],
        ['fine', '\x04'],
      ],
    });
    expect(code).toBe(0);
    expect(messagesOf(fake)).toEqual([{ role: 'user', content: 'keep' }]);
  });
});
