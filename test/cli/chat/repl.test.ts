import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import { type FakeService, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { defaultModels } from '../../../src/generated/model-ids.ts';
import { newHome, withFake } from '../support/in-process.ts';
import { hasPty } from '../support/pty.ts';
import { asked, openRepl } from './support/repl.ts';

const messagesOf = (fake: FakeService): readonly unknown[] => (fake.requests.at(-1)?.body as ChatRequest | undefined)?.messages ?? [];
const lastOf = async (home: string): Promise<ChatRequest> =>
  JSON.parse(await readFile(join(home, '.local/state/modelsvc/conversations/last.json'), 'utf8')) as ChatRequest;

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

  it('a message may have its quotes on one line, or no last ones, and two slashes are a text', async () => {
    const { fake, modelsvc } = await withFake();
    await modelsvc(['chat', 'repl'], { stdin: ['"""one"""', '//etc', '"""', '/exit', '"""', '"""open', 'end'].join('\n') });
    expect(asked(fake)).toEqual(['one', '/etc', '/exit', 'open\nend']);
  });

  it('a model of --fallback changes places with the model before it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('chat.create', ({ body }) => ((body as ChatRequest).model === 'glm-5.3' ? faults.error(400, '1211') : { turn: { text: 'hi' } }));
    const stdin = ['one', '/model glm-5.3', 'two', '/model glm-4.7', 'three'].join('\n');
    const { code } = await modelsvc(['chat', 'repl', '-m', 'glm-4.7', '--fallback', 'glm-5.3'], { stdin });
    expect(code).toBe(0);
    expect(fake.requests.map(({ body }) => (body as ChatRequest).model)).toEqual(['glm-4.7', 'glm-5.3', 'glm-4.7', 'glm-4.7']);
  });

  it("goes on after a failure, and its exit code is the first failure's", async () => {
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
    expect(stderr).toContain('/modle is not a command; did you mean /model?; /help lists them. A question that begins with a slash is //modle …\n');
    expect(stderr).toContain('/edit needs a terminal');
  });
});

describe.runIf(hasPty)('chat repl, on a terminal', () => {
  const stopping = { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['first ', 'second'] } } };

  it('Ctrl-C stops an answer and the repl goes on; at the prompt it drops the line, and twice it ends the repl', async () => {
    const { fake } = await withFake();
    fake.answer('chat.create', stopping);
    fake.chat.reply('fine');
    const repl = await openRepl(fake);
    repl.type('hi\r');
    await repl.shows('first');
    await repl.ask('\x03', 'stopped');
    repl.type('drop this');
    await repl.shows('drop this');
    await repl.ask('\x03keep\r', 'fine');
    repl.type('\x03');
    await repl.shows('Press Ctrl-C again');
    repl.type('\x03');
    expect((await repl.ended).code).toBe(0);
    expect(messagesOf(fake)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'first ' },
      { role: 'user', content: 'keep' },
    ]);
  });

  it('a question that is stopped before its answer is forgotten; one that the end of the terminal stops is stored', async () => {
    const { fake, modelsvc } = await withFake();
    const HOME = await newHome();
    fake.answer('chat.create', faults.silentBeforeHeaders(), { turn: { text: 'fine' } }, faults.silentBeforeHeaders());
    fake.chat.reply('whole');
    const repl = await openRepl(fake, { HOME });
    repl.type('slip\r');
    await expect.poll(() => fake.requests.length).toBe(1);
    await repl.ask('\x03', 'stopped');
    await repl.ask('hi\r', 'fine');
    repl.type('last\r');
    await expect.poll(() => fake.requests.length).toBe(3);
    repl.hangUp();
    await expect.poll(() => lastOf(HOME)).toMatchObject({ stopped: true });
    await modelsvc(['chat', '-c', 'go on'], { env: { HOME, XDG_STATE_HOME: join(HOME, '.local', 'state') } });
    expect(messagesOf(fake)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'fine' },
      { role: 'user', content: 'last\n\ngo on' },
    ]);
  });

  it('keeps an exchange that another process adds to its conversation', async () => {
    const { fake, modelsvc } = await withFake();
    fake.fallback('chat.create', ({ body }) => ({ turn: { text: `re ${(body as ChatRequest).messages.at(-1)?.content}` } }));
    const HOME = await newHome();
    const repl = await openRepl(fake, { HOME });
    await repl.ask('here\r', 're here');
    await modelsvc(['chat', '-c', 'there'], { env: { HOME, XDG_STATE_HOME: join(HOME, '.local', 'state') } });
    await repl.ask('again\r', 're again');
    await repl.leave();
    const texts = (await lastOf(HOME)).messages.map(({ content }) => content);
    expect(texts).toEqual(['here', 're here', 'there', 're there', 'again', 're again']);
  });

  it('lines that arrive during an answer are shown as queued and sent one by one; Ctrl-C drops them', async () => {
    const { fake } = await withFake();
    fake.answer('chat.create', stopping);
    fake.chat.reply('fine').reply('all');
    const repl = await openRepl(fake);
    repl.type('one\rtwo\rthree\rfour\r');
    for (const line of ['two', 'three', 'four']) await repl.shows(`queued: ${line}`);
    await repl.shows('first');
    repl.type('five');
    await repl.shows('five');
    await repl.ask('\x03', '3 queued lines dropped', 'stopped');
    await repl.ask('six\rseven\r', 'queued: seven', 'fine', '> seven', 'all');
    await repl.leave();
    expect(asked(fake)).toEqual(['one', 'six', 'seven']);
  });

  it('a paste is one message, which is shown and waits for Enter', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine').reply('all');
    const repl = await openRepl(fake);
    repl.type('Read: \x1b[200~/etc/a\r\n\r\ny\r\x1b[201~');
    for (const text of ['/etc/a', '… ', '… ', 'y', '… ']) await repl.shows(text);
    await repl.ask('end\r', 'fine');
    // A terminal may cut the marks.
    for (const keys of ['\x1b[20', '0~"""\rx\r"""\x1b[2', '01~']) repl.type(keys);
    for (const _ of [1, 2]) await repl.shows('"""');
    await repl.ask('\r', 'all');
    repl.type('\x1b[200~drop\rthis\r\x1b[201~');
    for (const text of ['drop', '… ', 'this', '… ']) await repl.shows(text);
    repl.type('\x03/exit\r');
    expect((await repl.ended).code).toBe(0);
    expect(asked(fake)).toEqual(['Read: /etc/a\n\ny\nend', 'x']);
  });

  it.each([
    ['/exit', '/exit\r', undefined, 0],
    ['Ctrl-D', '\x04', undefined, 0],
    ['SIGTERM', '', 'SIGTERM', 143],
    ['SIGHUP', '', 'SIGHUP', 143],
  ] as const)('%s turns the marks of pastes off', async (_, keys, signal, exitCode) => {
    const { fake } = await withFake();
    const repl = await openRepl(fake);
    repl.type(keys);
    if (signal !== undefined) await repl.kill(signal);
    const { screen, code } = await repl.ended;
    expect(code).toBe(exitCode);
    const [, on = '', ...more] = screen.split('\x1b[?2004h');
    expect([on.includes('\x1b[?2004l'), more]).toEqual([true, []]);
  });

  it('Ctrl-Z leaves the terminal as it was, and the repl goes on after it', async () => {
    const { fake } = await withFake();
    fake.chat.reply('fine');
    const repl = await openRepl(fake);
    repl.type('\x1a');
    await repl.shows('\x1b[?2004l');
    await repl.kill('SIGCONT');
    await repl.shows('\x1b[?2004h');
    await repl.ask('hi\r', 'fine');
    await repl.leave();
  });

  it('a terminal without sequences gets no sequences', async () => {
    const { fake } = await withFake();
    const repl = await openRepl(fake, { TERM: 'dumb' });
    expect(await repl.leave()).not.toContain('\x1b');
  });
});
