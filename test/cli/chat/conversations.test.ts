import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer, type FakeService, fakeKey, faults, startFakeService, type Turn } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { type Ended, ends, newHome, prints, type RunOptions, run, withFake } from '../support/in-process.ts';
import { hasPty, openPty } from '../support/pty.ts';

const contents = (body: unknown): unknown[] => (body as { messages: { content: unknown }[] }).messages.map(({ content }) => content);

/** Roles and texts of a request, as `user: hi`, without the system prompt. */
type SentTurn = { readonly role: string; readonly content: string | { readonly text?: string }[] };
const turns = (body: unknown): string[] =>
  ((body as { messages?: SentTurn[]; input?: SentTurn[] }).messages ?? (body as { input: SentTurn[] }).input).flatMap(({ role, content }) =>
    role === 'system' ? [] : [`${role}: ${typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')}`],
  );

interface Home {
  readonly fake: FakeService;
  /** Variables that name the folder. */
  readonly home: Readonly<Record<'HOME' | 'XDG_STATE_HOME', string>>;
  readonly folder: string;
  ask(...args: string[]): Promise<Ended>;
  askWith(args: readonly string[], options: RunOptions): Promise<Ended>;
}

async function withHome(): Promise<Home> {
  const { fake, modelsvc } = await withFake();
  const HOME = await newHome();
  const env = { HOME, XDG_STATE_HOME: join(HOME, '.state') };
  return {
    fake,
    home: env,
    folder: join(env.XDG_STATE_HOME, 'modelsvc', 'conversations'),
    ask: (...args) => modelsvc(args, { env }),
    askWith: (args, options) => modelsvc(args, { env, ...options }),
  };
}

describe('conversations', () => {
  it.each(['chat', 'messages', 'responses'] as const)(
    '%s: a question that never left does not replace the last one, and is not logged',
    async (command) => {
      const { fake, home, folder, ask } = await withHome();
      fake[command].reply('one');
      await ask(command, 'first');
      const before = await readFile(join(folder, 'last.json'), 'utf8');
      const logged = (await ask('logs', 'list')).stdout;
      const closed = await startFakeService();
      await closed.close();
      // No listener, no such name, and no TLS at the port.
      for (const url of [closed.url, 'http://nowhere.invalid', fake.url.replace('http:', 'https:')]) {
        const ended = await run([command, 'second', '--base-url', url, '--retries', '0'], { env: { ...home, SVC_API_KEY: fakeKey } });
        expect(ended).toMatchObject({ code: 7 });
        expect(await readFile(join(folder, 'last.json'), 'utf8')).toBe(before);
      }
      expect((await ask('logs', 'list')).stdout).toBe(logged);
      fake[command].reply('two');
      expect((await ask(command, '-c', 'third')).stderr).toMatch(/^Continues "first" \(just now, in \/.*\)\.\n$/);
    },
  );

  it('-c continues the last one with its model and system prompt; only that one is kept, readable only by the user', async () => {
    const { fake, folder, ask } = await withHome();
    fake.chat.reply('one').reply('two').reply('three');
    await ask('chat', 'first', '-m', 'glm-4.6', '-s', 'Be brief');
    expect((await ask('chat', '-c', 'second')).stdout).toBe('two\n');
    expect(fake.requests.at(-1)?.body).toMatchObject({ model: 'glm-4.6' });
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['Be brief', 'first', 'one', 'second']);
    await ask('chat', 'unrelated');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['unrelated']);
    expect(await readdir(folder)).toEqual(['last.json']);
    expect((await stat(join(folder, 'last.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('--save gives a name, --conversation continues it, and -c then follows it', async () => {
    const { fake, ask } = await withHome();
    fake.chat.reply('one').reply('x').reply('two').reply('three').reply('four');
    await ask('chat', 'first', '--save', 'trip');
    await ask('chat', 'other');
    await ask('chat', '--conversation', 'trip', 'second');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', 'one', 'second']);
    await ask('chat', '-c', 'third');
    await ask('chat', '--conversation', 'trip', 'fourth');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', 'one', 'second', 'two', 'third', 'three', 'fourth']);
  });

  it('--no-save and a blocked answer store none', async () => {
    const { fake, folder, ask } = await withHome();
    fake.chat.reply('one');
    expect(await ask('chat', 'secret', '--no-save')).toMatchObject({ code: 0, stderr: '' });
    fake.chat.reply({ text: 'half', finish: 'sensitive' });
    await ask('chat', 'blocked');
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it.each([
    ['the last one', ['-c'], []],
    ['one of a name', ['--conversation', 'trip'], ['--save', 'trip']],
  ])('two that continue %s at once keep both exchanges', async (_, which, save) => {
    const { fake, ask, askWith } = await withHome();
    fake.chat.reply('one');
    await ask('chat', 'first', ...save);
    // No answer comes before both have asked.
    let open = (): void => undefined;
    const both = new Promise<void>((resolve) => (open = resolve));
    fake.fallback('chat.create', async ({ body }) => {
      const asked = contents(body).at(-1) as string;
      if (fake.requests.length === 3) open();
      await both;
      return { turn: { text: `re ${asked}` } };
    });
    await Promise.all(['left', 'right'].map((text) => askWith(['chat', ...which, text], { isProcess: true })));
    await ask('chat', ...which, 'last');
    const sent = contents(fake.requests.at(-1)?.body);
    expect(sent.slice(0, 2)).toEqual(['first', 'one']);
    expect([sent.slice(2, 4), sent.slice(4, 6)].sort()).toEqual([
      ['left', 're left'],
      ['right', 're right'],
    ]);
    expect(sent.slice(6)).toEqual(['last']);
  });

  it('without a stored one: exit code 4', async () => {
    const { ask } = await withHome();
    expect(await ask('chat', '-c', 'hi')).toMatchObject(ends(4, /^modelsvc: there is no conversation to continue\n/));
    expect(await ask('chat', '--conversation', 'trip', 'hi')).toMatchObject(ends(4, /named trip\n/));
  });

  it('a conversation belongs to its surface', async () => {
    const { fake, ask } = await withHome();
    fake.messages.reply('one').reply('two');
    await ask('messages', 'first');
    expect(await ask('chat', '-c', 'hi', '--surface', 'chat')).toMatchObject(ends(2, /belongs to modelsvc messages\n/));
    expect((await ask('messages', '-c', 'second')).stdout).toBe('two\n');
    expect(contents(fake.requests.at(-1)?.body)).toEqual(['first', [{ type: 'text', text: 'one' }], 'second']);
  });

  it.each([
    ['a warning', [], '; --no-save turns this off', 0],
    ['a failure for the name of --save', ['--save', 'trip'], '', 1],
  ])('in a folder that cannot be written: %s after the answer', async (_, save, advice, code) => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one');
    const HOME = await newHome();
    await writeFile(join(HOME, '.state'), 'a file');
    expect(await modelsvc(['chat', 'hi', ...save], { env: { HOME } })).toEqual(
      prints(
        'one\n',
        code,
        'modelsvc: the exchange could not be logged (ENOTDIR); --no-log turns this off\n' +
          `modelsvc: the conversation could not be stored (ENOTDIR)${advice}\n`,
      ),
    );
  });
});

const broken = { turn: { text: ['first ', 'second ', 'third'] } };

describe.each(['chat', 'messages', 'responses'] as const)('%s: an answer that is stopped', (command) => {
  const operation = ({ chat: 'chat.create', messages: 'anthropic.create', responses: 'responses.create' } as const)[command];
  /** A stream that is silent after the first piece of its text or reasoning. */
  const silentAfterFirst = (turn: Turn): Answer => ({
    ...faults.silentAfterHeaders({ chat: 1, messages: 4, responses: 5 }[command]),
    reply: { turn },
  });
  const silent = silentAfterFirst({ text: ['half ', 'an answer'] });
  const interrupts = (signal: NodeJS.Signals): RunOptions => ({ onStart: (child) => child.stdout.once('data', () => child.kill(signal)) });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // Its terminal is closed: none of its streams needs to be one.
    ['SIGHUP', 143],
  ] as const)('by %s is stored with its question, and -c continues it', async (signal, exitCode) => {
    const { fake, folder, ask, askWith } = await withHome();
    fake[command].reply('old');
    await ask(command, 'older');
    fake.answer(operation, silent);
    fake[command].reply('whole');
    expect(await askWith([command, 'first', '-s', 'Be brief'], interrupts(signal))).toEqual({ stdout: 'half \n', stderr: '', code: exitCode });
    await fake.idle();
    expect(fake.requests.at(-1)?.outcome).toBe('left');
    expect(JSON.parse(await readFile(join(folder, 'last.json'), 'utf8'))).toMatchObject({
      stopped: true,
      messages: [{ content: 'first' }, { role: 'assistant', content: 'half ' }],
    });
    const { stdout, stderr, code } = await ask(command, '-c', 'go on');
    expect({ stdout, code }).toEqual({ stdout: 'whole\n', code: 0 });
    expect(stderr).toMatch(/^Continues "first" \(just now, in \/.*\)\.\nThe last answer was stopped; the model gets what had arrived of it.\n$/);
    expect(turns(fake.requests.at(-1)?.body)).toEqual(['user: first', 'assistant: half ', 'user: go on']);
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain('Be brief');
    expect(await readFile(join(folder, 'last.json'), 'utf8')).not.toContain('stopped');
  });

  it('under nohup is not stopped by the end of its terminal', async () => {
    const { fake, askWith } = await withHome();
    fake.answer(operation, { ...faults.slowDrip(100, 20), reply: { turn: { text: ['half ', 'an answer'] } } });
    const stopped = await askWith([command, 'first'], { ...interrupts('SIGHUP'), env: { _: '/usr/bin/nohup' } });
    expect(stopped).toEqual({ stdout: 'half an answer\n', stderr: '', code: 0 });
  });

  it.runIf(hasPty)('by the end of its terminal is stored too', async () => {
    const { fake, folder, home } = await withHome();
    fake.answer(operation, silent);
    const terminal = await openPty([command, 'first', '--base-url', fake.url], { env: { ...home, SVC_API_KEY: fakeKey } });
    await terminal.shows('half');
    terminal.hangUp();
    await expect.poll(() => readFile(join(folder, 'last.json'), 'utf8')).toContain('"half "');
  });

  it('before its first text keeps the question, which goes along with the next one', async () => {
    const { fake, ask, askWith } = await withHome();
    fake[command].reply('old');
    await ask(command, 'older', '--save', 'trip');
    fake.answer(operation, faults.silentBeforeHeaders());
    fake[command].reply('whole').reply('more');
    const stopped = askWith([command, '--conversation', 'trip', 'first'], {
      onStart: (child) =>
        void expect
          .poll(() => fake.requests.length)
          .toBe(2)
          .then(() => child.kill('SIGINT')),
    });
    expect(await stopped).toMatchObject({ stdout: '', code: 130 });
    const { stderr } = await ask(command, '--conversation', 'trip', 'second');
    expect(stderr).toBe('The last question has no answer; it is sent again with this one.\n');
    expect(turns(fake.requests.at(-1)?.body)).toEqual(['user: older', 'assistant: old', 'user: first\n\nsecond']);
  });

  it('only reasoned counts as no answer', async () => {
    const { fake, ask, askWith } = await withHome();
    fake.answer(operation, silentAfterFirst({ reasoning: ['hm ', 'hm'], text: 'x' }));
    fake[command].reply('whole');
    const stopped = askWith([command, 'first'], { onStart: (child) => child.stderr.once('data', () => child.kill('SIGINT')) });
    expect(await stopped).toMatchObject({ stdout: '', code: 130 });
    await ask(command, '-c', 'second');
    expect(turns(fake.requests.at(-1)?.body)).toEqual(['user: first\n\nsecond']);
  });

  it.each([
    ['a connection that breaks', { ...faults.resetMidBody(command === 'responses' ? 1200 : 700), reply: broken }, 7, /^modelsvc: (?!\w+\.)\w/],
    ['an end without a finish', { ...faults.truncatedStream(), reply: broken }, 1, /^modelsvc: (?!\w+\.)\w/],
    ['an error in the stream', { ...faults.inBandError('1305', 'busy', command === 'chat' ? 2 : 5), reply: broken }, 5, /^.*busy/],
  ])('by %s: the text stays, one line has the problem, and both are stored', async (_, fault, exitCode, problem) => {
    const { fake, ask } = await withHome();
    fake.answer(operation, fault);
    fake[command].reply('whole');
    const { stdout, stderr, code } = await ask(command, 'first');
    expect({ stdout, stderr, code }).toEqual({
      stdout: expect.stringMatching(/^first .*\n$/) as string,
      stderr: expect.stringMatching(problem) as string,
      code: exitCode,
    });
    await ask(command, '-c', 'go on');
    expect(turns(fake.requests.at(-1)?.body)).toEqual(['user: first', `assistant: ${stdout.slice(0, -1)}`, 'user: go on']);
  });

  it('by a reader of stdout that has seen enough ends quietly, and is stored too', async () => {
    const { fake, folder, askWith } = await withHome();
    const text = Array.from({ length: 2000 }, (_, at) => `line ${at} ${'x'.repeat(200)}\n`);
    const stored = (): Promise<unknown> => readFile(join(folder, 'last.json'), 'utf8').then(JSON.parse);
    fake[command].reply({ text });
    const left = await askWith([command, 'first'], { onStart: (child) => child.stdout.once('data', () => child.stdout.destroy()) });
    expect(left).toMatchObject({ stderr: '', code: 0 });
    expect(await stored()).toMatchObject({ stopped: true, messages: [{ content: 'first' }, {}] });
  });

  it.each([
    ['a request that the service refuses', { ...faults.error(400, '1210') }, [], {}],
    ['--no-save', silent, ['--no-save'], interrupts('SIGINT')],
    ['--dry-run', silent, ['--dry-run'], {}],
  ])('%s stores none', async (_, fault, words, options) => {
    const { fake, folder, askWith } = await withHome();
    fake.answer(operation, fault);
    await askWith([command, 'first', ...words], options);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it('an answer that does not fit the schema is stored', async () => {
    const { fake, ask } = await withHome();
    fake[command].reply('{"a":1}').reply('{"name":"x"}');
    expect(await ask(command, 'first', '--schema', 'name')).toMatchObject({ code: 1 });
    expect(await ask(command, '-c', 'again', '--schema', 'name')).toMatchObject({ code: 0 });
    expect(turns(fake.requests.at(-1)?.body).map((turn) => turn.split(':', 1)[0])).toEqual(['user', 'assistant', 'user']);
  });
});
