import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type FakeService, fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, newHome, withFake } from '../support/in-process.ts';
import { hasPty, openPty, runInPty } from '../support/pty.ts';
import { openRepl } from './support/repl.ts';

const commandOf = (file: string): string => `'${process.execPath}' '${file}'`;
const everything = commandOf(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const server = commandOf(fileURLToPath(new URL('support/mcp-server.mjs', import.meta.url)));
const newest = commandOf(fileURLToPath(new URL('support/mcp-server-2.mjs', import.meta.url)));
const env = { SVC_API_KEY: fakeKey };
interface SentMessage {
  readonly role?: string;
  readonly type?: string;
  readonly content: unknown;
}
const messagesOf = (fake: FakeService): SentMessage[] => {
  const { messages, input = [] } = (fake.requests.at(-1)?.body ?? {}) as { messages?: SentMessage[]; input?: SentMessage[] };
  return messages ?? input;
};
const toolTexts = (fake: FakeService): unknown[] => messagesOf(fake).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

describe('chat --mcp', () => {
  it('with --yes, runs the calls of the model and prints the last answer; the server does not see the key', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.toolCall('echo', { message: 'hello' }, { text: 'I look.' }).toolCall('get-env').reply('Done.');
    const { stdout, stderr, code } = await modelsvc(['chat', 'go', '--mcp', everything, '--yes']);
    expect({ stdout, code }).toEqual({ stdout: 'I look.\nDone.\n', code: 0 });
    expect(stderr).toBe('tool: echo {"message":"hello"}\ntool: get-env {}\n');
    const [echoed, variables] = toolTexts(fake);
    expect(echoed).toBe('Echo: hello');
    expect(variables).toContain('PATH');
    expect(variables).not.toContain('SVC_API_KEY');
  });

  it('speaks the newest protocol of a server, and the one before; a server that ends at the question is started again without it', async () => {
    const { fake, modelsvc } = await withFake();
    for (const [command, tool, input, told] of [
      [newest, 'protocol', {}, '2026-07-28'],
      [everything, 'echo', { message: 'older' }, 'Echo: older'],
      [server, 'echo', { message: 'oldest' }, 'Echo: oldest'],
    ] as const) {
      fake.chat.toolCall(tool, input).reply('Done.');
      expect(await modelsvc(['chat', 'go', '--mcp', command, '-y', '-q'])).toEqual({ stdout: 'Done.\n', stderr: '', code: 0 });
      expect(toolTexts(fake)).toEqual([told]);
    }
  });

  it.each(['chat', 'messages', 'responses'] as const)('%s: a conversation with a call in broken JSON can be continued', async (command) => {
    const { fake, modelsvc } = await withFake();
    fake[command].toolCall('echo', '{"message":"hello",}').reply('Done.').reply('More.');
    const env = { HOME: await newHome() };
    expect((await modelsvc([command, 'go', '--mcp', server, '-y', '-q'], { env })).stdout).toBe('Done.\n');
    expect((await modelsvc([command, '-c', 'more'], { env })).stdout).toBe('More.\n');
    const texts = [...JSON.stringify(messagesOf(fake)).matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = '']) => JSON.parse(text) as string,
    );
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(command === 'messages' ? [] : [{ message: 'hello' }]);
    expect(messagesOf(fake)).toHaveLength(5);
  });

  it.each(['chat', 'messages', 'responses'] as const)(
    '%s: rounds before a stop are kept with the text since, and -c continues after them',
    async (command) => {
      const { fake, modelsvc } = await withFake();
      const HOME = await newHome();
      fake[command].toolCall('echo', { message: 'hello' }, { text: 'I look.' });
      const blocks = { chat: 1, messages: 4, responses: 5 }[command];
      const operation = ({ chat: 'chat.create', messages: 'anthropic.create', responses: 'responses.create' } as const)[command];
      fake.answer(operation, { ...faults.silentAfterHeaders(blocks), reply: { turn: { text: ['half ', 'more'] } } });
      fake[command].toolCall('echo', { message: 'again' });
      fake.answer(operation, faults.silentBeforeHeaders());
      fake[command].reply('Done.');
      const stopped = await modelsvc([command, 'go', '--mcp', server, '-y', '-q'], {
        env: { HOME },
        onStart: (child) => child.stdout.on('data', (text: string) => text.includes('half') && child.kill('SIGINT')),
      });
      expect(stopped).toMatchObject({ stdout: 'I look.\nhalf \n', code: 130 });
      const second = modelsvc([command, '-c', 'on', '--mcp', server, '-y', '-q'], {
        env: { HOME },
        onStart: (child) =>
          void expect
            .poll(() => fake.requests.length)
            .toBe(4)
            .then(() => child.kill('SIGINT')),
      });
      expect(await second).toMatchObject({ stdout: '', code: 130 });
      expect((await modelsvc([command, '-c', 'end'], { env: { HOME } })).stdout).toBe('Done.\n');
      const call = ['function_call', 'function_call_output'];
      const rounds = {
        chat: ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'user'],
        // Results of tools are content of the user.
        messages: ['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'],
        responses: ['user', 'assistant', ...call, 'assistant', 'user', ...call, 'user'],
      };
      expect(messagesOf(fake).map(({ role, type }) => role ?? type)).toEqual(rounds[command]);
      expect(JSON.stringify(messagesOf(fake))).toContain('"half "');
    },
  );

  it('without a terminal and --yes it is refused before a server starts', async () => {
    const { fake, modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['chat', 'go', '--mcp', server]);
    expect(code).toBe(2);
    expect(stderr).toBe('modelsvc: --mcp asks before each tool call, which needs a terminal\nPass --yes to run every call.\n');
    expect(fake.requests).toEqual([]);
  });

  it('a server that does not start is one line, and exit code 1', async () => {
    const { modelsvc } = await withFake();
    expect(await modelsvc(['chat', 'go', '--mcp', '/nowhere/server', '-y'])).toMatchObject(
      ends(1, /^modelsvc: --mcp: the server \/nowhere\/server did not start: .*\nRun its command alone/),
    );
  });

  it.runIf(hasPty)('on a terminal each call is asked for, and a denial goes to the model', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).toolCall('echo', { message: 'two' }).reply('Done.');
    const { screen, code } = await runInPty(['chat', 'go', '--mcp', server, '--base-url', fake.url], {
      env,
      keys: ['Run echo {"message":"one"}?', 'y', 'Run echo {"message":"two"}?', 'n'],
    });
    expect(code).toBe(0);
    expect(screen).toContain('Done.');
    expect(toolTexts(fake)).toEqual(['Echo: one', 'error: the user denied this call']);
  });

  it.runIf(hasPty)('in the repl, the key a allows the tool for the session, and no other tool', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).toolCall('echo', { message: 'two' }).toolCall('get-sum', { a: 1, b: 2 }).reply('Done.');
    fake.chat.toolCall('echo', { message: 'three' }).reply('Over.');
    const repl = await openRepl(fake, {}, '--mcp', server);
    repl.type('go\r');
    await repl.answer('Run echo {"message":"one"}? [y/N, a: always echo] ', 'a');
    await repl.shows('tool: echo {"message":"two"}');
    await repl.answer('Run get-sum {"a":1,"b":2}? [y/N, a: always get-sum] ', 'x');
    for (const text of ['Done.', '> ']) await repl.shows(text);
    await repl.ask('again\r', 'tool: echo {"message":"three"}', 'Over.');
    expect((await repl.leave()).split('Run echo')).toHaveLength(2);
    expect(toolTexts(fake)).toEqual(['Echo: one', 'Echo: two', 'error: the user denied this call', 'Echo: three']);
  });

  it.runIf(hasPty)('in the repl, a line that was typed ahead approves no call', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).toolCall('echo', { message: 'two' }).reply('Done.');
    const repl = await openRepl(fake, {}, '--mcp', server);
    repl.type('please summarise this\ry\ra\ry');
    await repl.answer('Run echo {"message":"one"}? [y/N, a: always echo] ', 'n');
    await repl.answer('Run echo {"message":"two"}? [y/N, a: always echo] ', 'y');
    for (const text of ['Done.', '> ']) await repl.shows(text);
    expect(await repl.leave()).toContain('2 queued lines dropped');
    expect(toolTexts(fake)).toEqual(['error: the user denied this call', 'Echo: two']);
    expect(messagesOf(fake).filter(({ role }) => role === 'user')).toEqual([{ role: 'user', content: 'please summarise this' }]);
  });

  it.runIf(hasPty)('in the repl, Ctrl-C at the question stops the answer, and the call does not run', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).reply('fine');
    const repl = await openRepl(fake, {}, '--mcp', server);
    repl.type('go\r');
    await repl.shows('[y/N, a: always echo] ');
    await repl.ask('\x03', 'stopped');
    await repl.ask('again\r', 'fine');
    await repl.leave();
    expect(fake.requests).toHaveLength(2);
    expect(toolTexts(fake)).toEqual([]);
  });

  it.runIf(hasPty)('the question quotes the whole call, and Ctrl-C at it keeps the prompt for -c', async () => {
    const { fake } = await withFake();
    const message = `${'x'.repeat(3000)} the end`;
    fake.chat.toolCall('echo', { message }).reply('Done.');
    const home = { ...env, HOME: await newHome() };
    const asked = await runInPty(['chat', 'go', '--mcp', server, '--base-url', fake.url], {
      env: home,
      keys: [' the end"}? [y/N, a: always echo] ', '\x03'],
    });
    expect(asked.code).toBe(130);
    expect((await runInPty(['chat', '-c', 'on', '--base-url', fake.url], { env: home })).code).toBe(0);
    expect(messagesOf(fake)).toEqual([{ role: 'user', content: 'go\n\non' }]);
  });

  it.runIf(hasPty)('a prompt that was typed to its end leaves no terminal for questions', async () => {
    const { fake } = await withFake();
    const { screen, code } = await runInPty(['chat', '-', '--mcp', server, '--base-url', fake.url], { env, keys: ['', 'go\r\x04'] });
    expect(code).toBe(2);
    expect(screen).toContain('--mcp asks before each tool call');
    expect(fake.requests).toEqual([]);
  });

  it.runIf(hasPty)('keys that the terminal has before the question answer none', async () => {
    const { fake } = await withFake();
    let go = (): void => undefined;
    const isTyped = new Promise<void>((resolve) => (go = resolve));
    fake.answer('chat.create', async () => {
      await isTyped;
      return { turn: { toolCalls: [{ name: 'echo', arguments: { message: 'one' } }] } };
    });
    fake.chat.reply('Done.');
    const terminal = await openPty(['chat', 'go', '--mcp', server, '--base-url', fake.url], { env });
    await expect.poll(() => fake.requests.length).toBe(1);
    terminal.type('y\r');
    await terminal.shows('y\r\n');
    go();
    await terminal.shows('Run echo {"message":"one"}? [y/N, a: always echo] ');
    terminal.type('n');
    await terminal.ended;
    expect(toolTexts(fake)).toEqual(['error: the user denied this call']);
  });
});
