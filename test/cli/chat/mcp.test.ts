import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { FakeService } from '../../../src/testing/index.ts';
import { hasPty, runInPty } from '../support/pty.ts';
import { newHome, withFake } from '../support/run.ts';

const server = `'${process.execPath}' '${createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')}'`;
const messagesOf = (fake: FakeService): { role: string; content: unknown }[] =>
  (fake.requests.at(-1)?.body as { messages: { role: string; content: unknown }[] } | undefined)?.messages ?? [];
const toolTexts = (fake: FakeService): unknown[] => messagesOf(fake).flatMap(({ role, content }) => (role === 'tool' ? [content] : []));

describe('chat --mcp', () => {
  it('with --yes, runs the calls of the model and prints the last answer; the server does not see the key', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.toolCall('echo', { message: 'hello' }, { text: 'I look.' }).toolCall('get-env').reply('Done.');
    const { stdout, stderr, code } = await modelsvc(['chat', 'go', '--mcp', server, '--yes']);
    expect({ stdout, code }).toEqual({ stdout: 'I look.\nDone.\n', code: 0 });
    expect(stderr).toBe('tool: echo {"message":"hello"}\ntool: get-env {}\n');
    const [echoed, variables] = toolTexts(fake);
    expect(echoed).toBe('Echo: hello');
    expect(variables).toContain('PATH');
    expect(variables).not.toContain('SVC_API_KEY');
  });

  it('works on the message surface too, and the conversation can be continued', async () => {
    const { fake, modelsvc } = await withFake();
    fake.messages.toolCall('echo', { message: 'hello' }).reply('Done.').reply('More.');
    const env = { HOME: await newHome() };
    expect((await modelsvc(['messages', 'go', '--mcp', server, '-y', '-q'], { env })).stdout).toBe('Done.\n');
    expect((await modelsvc(['messages', '-c', 'more'], { env })).stdout).toBe('More.\n');
    const messages = messagesOf(fake);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('without a terminal and --yes it is refused before a server starts', async () => {
    const { fake, modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['chat', 'go', '--mcp', server]);
    expect(code).toBe(2);
    expect(stderr).toBe('modelsvc: --mcp asks before each tool call, which needs a terminal\nPass --yes to run every call.\n');
    expect(fake.requests).toEqual([]);
  });

  it('a server that does not start is one line, and exit code 1', async () => {
    const { modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['chat', 'go', '--mcp', '/nowhere/server', '-y']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^modelsvc: --mcp: the server did not start: .*\nRun its command alone/);
  });

  it.runIf(hasPty)('on a terminal each call is asked for, and a denial goes to the model', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).toolCall('echo', { message: 'two' }).reply('Done.');
    const { screen, code } = await runInPty(['chat', 'go', '--mcp', server, '--base-url', fake.url], {
      env: { SVC_API_KEY: 'fake-id.fake-secret' },
      keys: [
        ['Run echo {"message":"one"}?', 'y'],
        ['Run echo {"message":"two"}?', 'n'],
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain('Done.');
    expect(toolTexts(fake)).toEqual(['Echo: one', 'error: the user denied this call']);
  });

  it.runIf(hasPty)('in the repl, the next line answers the question', async () => {
    const { fake } = await withFake();
    fake.chat.toolCall('echo', { message: 'one' }).toolCall('echo', { message: 'two\u202e' }).reply('Done.');
    const { screen, code } = await runInPty(['chat', 'repl', '--mcp', server, '--base-url', fake.url], {
      env: { SVC_API_KEY: 'fake-id.fake-secret' },
      keys: [
        ['> ', 'go\r'],
        ['Run echo {"message":"one"}? [y/N] ', 'y\r'],
        ['Run echo {"message":"two"}? [y/N] ', '\r'],
        ['Done.', ''],
        ['> ', '\x04'],
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain('Done.');
    expect(toolTexts(fake)).toEqual(['Echo: one', 'error: the user denied this call']);
  });
});
