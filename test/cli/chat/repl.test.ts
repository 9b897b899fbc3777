import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import { type FakeService, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { defaultModels } from '../../../src/generated/model-ids.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty, openPty, runInPty } from '../support/pty.ts';

const messagesOf = (fake: FakeService): readonly unknown[] => (fake.requests.at(-1)?.body as ChatRequest | undefined)?.messages ?? [];
const fakeEnv = { SVC_API_KEY: 'fake-id.fake-secret' };

describe('chat repl, from a pipe', () => {
  it('keeps the conversation over questions of one and several lines, and performs commands', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    const usage = { input: 40, cached: 20, output: 1 };
    fake.chat.reply({ text: 'one', usage }).reply('two').reply({ text: 'three', usage }).reply('four');
    const lines = [
      'hi',
      '/model glm-4.6',
      '/system Be brief',
      '"""',
      'a',
      'b',
      '"""',
      '/file https://img.test/note.png',
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
    expect(stderr).toContain('3 answers, 90 tokens in (44% cached), 3 out, about $0.000');
    const bodies = fake.requests.map(({ body }) => body as ChatRequest);
    expect(bodies.map(({ model }) => model)).toEqual([defaultModels.text, 'glm-4.6', 'glm-4.6', 'glm-4.6']);
    expect(bodies[2]?.messages.map(({ content }) => content)).toEqual([
      'Be brief',
      'hi',
      'one',
      'a\nb',
      'two',
      [
        { type: 'text', text: 'read' },
        { type: 'image_url', image_url: { url: 'https://img.test/note.png' } },
      ],
    ]);
    expect(bodies[3]?.messages.map(({ content }) => content)).toEqual(['Be brief', 'new']);
    const stored = JSON.parse(await readFile(join(cwd, '.state/modelsvc/conversations/named-trip.json'), 'utf8')) as ChatRequest;
    expect(stored.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  });

  it('a model of --fallback changes places with the model before it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('chat.create', ({ body }) => ((body as ChatRequest).model === 'glm-5.3' ? faults.error(400, '1211') : { turn: { text: 'hi' } }));
    const stdin = ['one', '/model glm-5.3', 'two', '/model glm-4.7', 'three'].join('\n');
    const { code } = await modelsvc(['chat', 'repl', '-m', 'glm-4.7', '--fallback', 'glm-5.3'], { stdin });
    expect(code).toBe(0);
    expect(fake.requests.map(({ body }) => (body as ChatRequest).model)).toEqual(['glm-4.7', 'glm-5.3', 'glm-4.7', 'glm-4.7']);
  });

  it('goes on after a failure, and its exit code is that of the first', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ text: 'half', finish: 'sensitive' }).reply('whole');
    const { stdout, stderr, code } = await modelsvc(['chat', 'repl'], { stdin: 'one\n/file nope.txt\ntwo' });
    expect({ stdout, code }).toEqual({ stdout: 'half\nwhole\n', code: 6 });
    expect(stderr).toContain('/file of a pipe cannot name a file');
    // The blocked turn is not part of the conversation.
    expect(messagesOf(fake)).toHaveLength(1);
  });

  it('SIGINT ends it with 130 and keeps the text', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['first ', 'second'] } } });
    const { stdout, code } = await modelsvc(['chat', 'repl'], {
      stdin: 'hi\nmore\n',
      onStart: (child) => child.stdout.once('data', () => child.kill('SIGINT')),
    });
    expect({ stdout, code }).toEqual({ stdout: 'first \n', code: 130 });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('chat repl, commands', () => {
  /** The contents of each request. */
  const sent = (fake: FakeService): unknown[][] => fake.requests.map(({ body }) => (body as ChatRequest).messages.map(({ content }) => content));

  it('/retry asks the last question again, after an answer, with its files, and after a failure', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    fake.chat.reply('one').reply('two').reply('three');
    fake.answer('chat.create', faults.error(400, '1210'));
    fake.chat.reply('four');
    fake.answer('chat.create', faults.error(400, '1210'));
    fake.chat.reply('five');
    const stdin = ['/retry', 'hi', '/file https://img.test/note.png', 'read', '/model glm-4.6', '/retry', 'fails', '/retry', '/retry', 'end'].join(
      '\n',
    );
    const { stdout, stderr, code } = await modelsvc(['chat', 'repl'], { stdin, cwd });
    expect({ stdout, code }).toEqual({ stdout: 'one\ntwo\nthree\nfour\nfive\n', code: 1 });
    expect(stderr).toContain('there is no question to ask again');
    const read = [
      { type: 'text', text: 'read' },
      { type: 'image_url', image_url: { url: 'https://img.test/note.png' } },
    ];
    expect(sent(fake)).toEqual([
      ['hi'],
      ['hi', 'one', read],
      ['hi', 'one', read],
      ['hi', 'one', read, 'three', 'fails'],
      ['hi', 'one', read, 'three', 'fails'],
      ['hi', 'one', read, 'three', 'fails'],
      // An answer stays until there is another.
      ['hi', 'one', read, 'three', 'fails', 'four', 'end'],
    ]);
    expect(fake.requests[2]?.body).toMatchObject({ model: 'glm-4.6' });
  });

  it('/retry after -c asks the last question of the conversation', async () => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    fake.chat.reply('one').reply('two').reply('three');
    await modelsvc(['chat', 'first'], { env: { HOME } });
    await modelsvc(['chat', '-c', 'second'], { env: { HOME } });
    await modelsvc(['chat', 'repl', '-c'], { stdin: '/retry', env: { HOME } });
    expect(sent(fake)[2]).toEqual(['first', 'one', 'second']);
  });

  it('/undo drops the last exchange, in the stored conversation too', async () => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    fake.chat.reply('one').reply('two').reply('three');
    const { stderr } = await modelsvc(['chat', 'repl'], { stdin: '/undo\nfirst\nsecond\nthe rest\n/undo\n/undo', env: { HOME } });
    expect(stderr).toContain('there is no exchange to undo\n');
    expect(stderr).toContain('dropped: the rest\ndropped: second\n');
    await modelsvc(['chat', '-c', 'again'], { env: { HOME } });
    expect(sent(fake)[3]).toEqual(['first', 'one', 'again']);
  });

  it('/load goes on with a stored conversation, its model and its system prompt', async () => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    fake.chat.reply('one').reply('two').reply('three');
    await modelsvc(['chat', 'first', '--save', 'trip', '-m', 'glm-4.6', '-s', 'Be brief'], { env: { HOME } });
    await modelsvc(['messages', 'first', '--save', 'other'], { env: { HOME } });
    const { stderr, code } = await modelsvc(['chat', 'repl'], { stdin: 'lost\n/load nope\n/load other\n/load trip\nmore', env: { HOME } });
    expect(stderr).toContain('there is no conversation named nope');
    expect(stderr).toContain('the conversation belongs to modelsvc messages');
    expect(stderr).toContain('loaded: 2 messages, model glm-4.6');
    expect(code).toBe(4);
    expect(sent(fake).at(-1)).toEqual(['Be brief', 'first', 'one', 'more']);
    const stored = JSON.parse(await readFile(join(HOME, '.state/modelsvc/conversations/named-trip.json'), 'utf8')) as ChatRequest;
    expect(stored.messages).toHaveLength(4);
  });

  it('/cost has tokens and dollars of all models; unknown prices are named', async () => {
    const { fake, modelsvc } = await withFake();
    const usage = { input: 1_000_000, output: 0 };
    fake.chat.reply({ text: 'one', usage }).reply({ text: 'two', usage });
    const { stderr } = await modelsvc(['chat', 'repl', '-m', 'glm-4.6'], { stdin: '/cost\nhi\n/cost\n/model glm-unheard\nhi\n/cost' });
    expect(stderr).toMatch(/^no answers yet\n1 answer, 1000000 tokens in, 0 out, about \$0\.60\n/);
    expect(stderr).toMatch(/2 answers, 2000000 tokens in, 0 out, cost unknown\n$/);
  });

  it('a command that is nearly one has a hint, and /edit needs a terminal', async () => {
    const { modelsvc } = await withFake();
    const { stderr } = await modelsvc(['chat', 'repl'], { stdin: '/modle glm\n/edit' });
    expect(stderr).toContain('/modle is not a command; did you mean /model?; /help lists them\n');
    expect(stderr).toContain('/edit needs a terminal');
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
    expect(messagesOf(fake)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'first ' },
      { role: 'user', content: 'again' },
    ]);
  });

  it('a question that is stopped before its answer is forgotten; one that the end of the terminal stops is stored', async () => {
    const { fake, modelsvc } = await withFake();
    const env = { ...fakeEnv, HOME: await newHome() };
    fake.answer('chat.create', faults.silentBeforeHeaders(), { turn: { text: 'fine' } }, faults.silentBeforeHeaders());
    fake.chat.reply('whole');
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env });
    await terminal.shows('> ');
    terminal.type('slip\r');
    await expect.poll(() => fake.requests.length).toBe(1);
    terminal.type('\x03');
    await terminal.shows('stopped');
    await terminal.shows('> ');
    terminal.type('hi\r');
    await terminal.shows('fine');
    await terminal.shows('> ');
    terminal.type('last\r');
    await expect.poll(() => fake.requests.length).toBe(3);
    terminal.hangUp();
    const last = join(env.HOME, '.local/state/modelsvc/conversations/last.json');
    await expect.poll(() => readFile(last, 'utf8')).toContain('stopped');
    const store = { XDG_STATE_HOME: join(env.HOME, '.local', 'state') };
    await modelsvc(['chat', '-c', 'go on'], { env: { ...env, ...store } });
    expect(messagesOf(fake)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'fine' },
      { role: 'user', content: 'last\n\ngo on' },
    ]);
  });

  it('keeps an exchange that another process adds to its conversation', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('chat.create', ({ body }) => ({ turn: { text: `re ${(body as ChatRequest).messages.at(-1)?.content}` } }));
    const env = { ...fakeEnv, HOME: await newHome() };
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env });
    await terminal.shows('> ');
    terminal.type('here\r');
    await terminal.shows('re here');
    await terminal.shows('> ');
    await modelsvc(['chat', '-c', 'there'], { env: { ...env, XDG_STATE_HOME: join(env.HOME, '.local', 'state') } });
    terminal.type('again\r');
    await terminal.shows('re again');
    await terminal.shows('> ');
    terminal.type('\x04');
    await terminal.ended;
    const stored = JSON.parse(await readFile(join(env.HOME, '.local/state/modelsvc/conversations/last.json'), 'utf8')) as ChatRequest;
    expect(stored.messages.map(({ content }) => content)).toEqual(['here', 're here', 'there', 're there', 'again', 're again']);
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

  it('lines that arrive during an answer are shown as queued and sent one by one; Ctrl-C drops them', async () => {
    const { fake } = await withFake();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['first ', 'second'] } } });
    fake.chat.reply('fine').reply('all');
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: fakeEnv });
    await terminal.shows('> ');
    terminal.type('one\rtwo\rthree\rfour\r');
    for (const line of ['two', 'three', 'four']) await terminal.shows(`queued: ${line}`);
    await terminal.shows('first');
    terminal.type('five');
    await terminal.shows('five');
    terminal.type('\x03');
    await terminal.shows('3 queued lines dropped');
    await terminal.shows('stopped');
    await terminal.shows('> ');
    terminal.type('six\rseven\r');
    await terminal.shows('queued: seven');
    await terminal.shows('fine');
    await terminal.shows('> seven');
    await terminal.shows('all');
    await terminal.shows('> ');
    terminal.type('\x04');
    expect((await terminal.ended).code).toBe(0);
    const contents = fake.requests.map(({ body }) => (body as ChatRequest).messages.at(-1)?.content);
    expect(contents).toEqual(['one', 'six', 'seven']);
  });

  it('a paste is one message, which is shown and waits for Enter', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: fakeEnv });
    await terminal.shows('\x1b[?2004h');
    await terminal.shows('> ');
    terminal.type('Read: \x1b[200~/etc/a\r\n\r\ny\r\x1b[201~');
    for (const text of ['/etc/a', '… ', '… ', 'y', '… ']) await terminal.shows(text);
    terminal.type('end\r');
    await terminal.shows('fine');
    await terminal.shows('> ');
    // A terminal may cut the marks.
    for (const keys of ['\x1b[20', '0~"""\rx\r"""\x1b[2', '01~']) terminal.type(keys);
    await terminal.shows('"""');
    await terminal.shows('"""');
    terminal.type('\r');
    await terminal.shows('all');
    await terminal.shows('> ');
    terminal.type('\x1b[200~drop\rthis\r\x1b[201~');
    for (const text of ['drop', '… ', 'this', '… ']) await terminal.shows(text);
    terminal.type('\x03/exit\r');
    const { screen, code } = await terminal.ended;
    expect({ code, sent: fake.requests.map(({ body }) => (body as ChatRequest).messages.at(-1)?.content) }).toEqual({
      code: 0,
      sent: ['Read: /etc/a\n\ny\nend', 'x'],
    });
    expect(screen.lastIndexOf('\x1b[?2004l')).toBeGreaterThan(screen.lastIndexOf('\x1b[?2004h'));
  });

  it.each([
    ['/exit', '/exit\r', undefined, 0],
    ['Ctrl-D', '\x04', undefined, 0],
    ['SIGTERM', '', 'SIGTERM', 143],
    ['SIGHUP', '', 'SIGHUP', 143],
  ] as const)('%s turns the marks of pastes off', async (_, keys, signal, exitCode) => {
    const { fake } = await withFake();
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: fakeEnv });
    await terminal.shows('\x1b[?2004h');
    await terminal.shows('> ');
    terminal.type(keys);
    if (signal !== undefined) await terminal.kill(signal);
    const { screen, code } = await terminal.ended;
    expect(code).toBe(exitCode);
    expect(screen.split('\x1b[?2004h')).toHaveLength(2);
    expect(screen.split('\x1b[?2004h')[1]).toContain('\x1b[?2004l');
  });

  it('Ctrl-Z leaves the terminal as it was, and the repl goes on after it', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const terminal = await openPty(['chat', 'repl', '--base-url', fake.url], { env: fakeEnv });
    await terminal.shows('> ');
    terminal.type('\x1a');
    await terminal.shows('\x1b[?2004l');
    await terminal.kill('SIGCONT');
    await terminal.shows('\x1b[?2004h');
    terminal.type('hi\r');
    await terminal.shows('fine');
    await terminal.shows('> ');
    terminal.type('\x04');
    expect((await terminal.ended).code).toBe(0);
  });

  it('a terminal that knows no sequences gets none', async () => {
    const { fake } = await withFake();
    const env = { ...fakeEnv, TERM: 'dumb' };
    const { screen } = await runInPty(['chat', 'repl', '--base-url', fake.url], { env, keys: [['Ctrl-D ends', '/exit\r']] });
    expect(screen).not.toContain('\x1b');
  });
});
