import { stripVTControlCharacters } from 'node:util';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { withFake } from '../support/in-process.ts';
import { hasPty, runInPty } from '../support/pty.ts';

const env = { SVC_API_KEY: 'fake-id.fake-secret' };
const hostile = ['safe \x1b]0;own', 'ed\x07\x1b[2', 'Jtitle \u202e中文 ', '\x1b', '[31mred \x9b5m', '\x00.'];

describe.runIf(hasPty)('model text on a terminal', () => {
  it('--raw-output keeps them, and a pipe gets the text as it is', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.stream(hostile).stream(hostile);
    expect((await runInPty(['chat', 'hi', '--base-url', fake.url, '--raw-output'], { env })).screen).toContain('\x1b]0;owned\x07');
    expect((await modelsvc(['chat', 'hi'])).stdout).toBe(`${hostile.join('')}\n`);
  });

  const answer = ['# Ti', 'tle\n\nSome **bo', 'ld** words and `co', 'de`.\n\n```js\nlet a = 1;\n``', '`\n\n| a | b |\n|---', '|---|\n| 1 | *2* |\n'];
  it('markdown has its look, in colors; --plain, NO_COLOR, a dumb terminal and JSON keep the text', async () => {
    const { fake, modelsvc } = await withFake();
    const show = async (more: string[] = [], variables = {}): Promise<string> =>
      (await modelsvc(['chat', 'hi', '--no-progress', ...more], { columns: 16, env: { ...env, TERM: 'xterm', ...variables } })).stdout;
    for (let times = 0; times < 5; times++) fake.chat.stream(answer);
    fake.chat.stream(['{"a": "**b**"}']);
    const screen = await show();
    expect(stripVTControlCharacters(screen)).toBe('Title\n\nSome bold words\nand code.\n\n```js\nlet a = 1;\n```\n\na │ b\n──┼──\n1 │ 2\n');
    expect(screen).toContain('\x1b[1mbold\x1b[22m');
    const text = answer.join('');
    expect([await show(['--plain']), await show([], { NO_COLOR: '1' }), await show([], { TERM: 'dumb' })]).toEqual([text, text, text]);
    expect((await modelsvc(['chat', 'hi', '--color', 'always'])).stdout).toBe(text);
    expect(await show(['--schema', '{}'])).toContain('{"a":"**b**"}');
  });

  it('an answer that breaks off shows what was held', async () => {
    const { fake } = await withFake();
    fake.answer('chat.create', { ...faults.truncatedStream(), reply: { turn: { text: ['Look at **the', ' half\n| a |'] } } });
    const { screen } = await runInPty(['chat', 'hi', '--base-url', fake.url], { env });
    expect(stripVTControlCharacters(screen)).toContain('Look at **the half\r\n| a |\r\n');
  });

  it('no prompt on a terminal is the repl, unless questions are off', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const args = ['chat', '-m', 'glm-4.6', '--base-url', fake.url];
    const talk = await runInPty(args, {
      env,
      keys: ['> ', 'hi\r', 'fine', '\x04'],
    });
    expect(talk.code).toBe(0);
    expect(fake.requests[0]?.body).toMatchObject({ model: 'glm-4.6', messages: [{ content: 'hi' }] });
    const refused = await runInPty([...args, '--no-input'], { env });
    expect(refused.code).toBe(2);
    expect(refused.screen).toContain('the prompt is empty');
  });
});
