// The first word of a command line: a command, a prompt, or a slip, which is never sent.

import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { ChatRequest } from 'modelsvc';
import { describe, expect, it } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { run, withFake } from './support/in-process.ts';
import { hasPty, runInPty } from './support/pty.ts';
import { program } from './support/run.ts';

/** The code that a command line runs, and its arguments; otherwise the message of its refusal. */
async function read(...argv: string[]): Promise<unknown> {
  try {
    const parsed = await parse(argv, sections);
    return parsed.kind === 'run' ? { code: await parsed.load(), args: parsed.input.args } : parsed.kind;
  } catch (error) {
    return (error as Error).message;
  }
}

const nextOf = (...argv: string[]): Promise<unknown> =>
  parse(argv, sections).then(
    () => 'none',
    (error: { next?: string }) => error.next,
  );

describe('a prompt without a command', () => {
  it.each([
    [['Why is the sky blue?']],
    [['why is the sky blue']],
    [['Hello!']],
    [['你好']],
    [['-']],
    [['--', 'hello']],
    [['--', 'repl']],
    [['chat about dogs']],
    [['Summarize it:', 'all', 'models']],
  ])('%j goes to chat', async (argv) => {
    expect(await read(...argv)).toEqual(await read('chat', '--', ...argv.filter((word) => word !== '--')));
  });

  it.each([
    [['-m', 'glm-4.6', 'In five words?'], ['In five words?']],
    [['--json', '-a', 'chat', 'In five words?'], ['In five words?']],
    [['-c', 'Shorter, please'], ['Shorter, please']],
    [['-f', 'models', 'Read the sign', '--usage'], ['Read the sign']],
    [['-c'], []],
    [['--model=glm-4.6'], []],
  ])('%j goes to chat with its options', async (argv, args) => {
    expect(await read(...argv)).toEqual(await read('chat', ...args));
  });

  it.each([
    ['-m glm-4.6 chat hi', 'chat hi -m glm-4.6'],
    ['--model=glm-4.6 --json ask hi', 'chat hi -m glm-4.6 --json'],
    ['-m=glm-4.6 messages hi', 'messages hi -m glm-4.6'],
  ])('options may come before the command: %s', async (argv, same) => {
    const { fake, modelsvc } = await withFake();
    for (const line of [argv, same]) expect(await modelsvc(line.split(' '))).toMatchObject({ code: 0 });
    expect(fake.requests[0]?.body).toEqual(fake.requests[1]?.body);
    expect(fake.requests[0]?.body).toMatchObject({ model: 'glm-4.6' });
  });

  it('is asked as chat asks it, and stdin is added to it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one').reply('two');
    expect(await modelsvc(['Why is the sky blue?', '-m', 'glm-4.6'])).toEqual({ stdout: 'one\n', stderr: '', code: 0 });
    expect((await modelsvc(['Write a message'], { stdin: 'a diff' })).stdout).toBe('two\n');
    const asked = fake.requests.map(({ body }) => (body as ChatRequest).messages.at(-1)?.content);
    expect(asked).toEqual(['Why is the sky blue?', 'Write a message\n\n<stdin>\na diff\n</stdin>']);
    expect(fake.requests[0]?.body).toMatchObject({ model: 'glm-4.6' });
  });

  it('is the text of a pipe; an empty one gives the help', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one').reply('two');
    expect(await modelsvc([], { stdin: 'Why?\n', isProcess: true })).toEqual({ stdout: 'one\n', stderr: '', code: 0 });
    expect(JSON.parse((await modelsvc(['--json'], { stdin: 'Why?' })).stdout)).toHaveProperty('choices');
    const help = await run([], { stdin: ' \n', isProcess: true });
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: modelsvc');
    expect(fake.requests).toHaveLength(2);
  });

  it.each([[[]], [['chat', 'hi']], [['chat', 'repl']]])('is not a folder on stdin: %j', (args) => {
    const folder = openSync('/', 'r');
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { stdio: [folder, 'pipe', 'pipe'], encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'modelsvc: stdin is a directory\nRedirect a file to stdin.\n' });
  });

  it.runIf(hasPty)('is not awaited on a terminal: the help is printed', async () => {
    const { screen, code } = await runInPty([]);
    expect({ code, isHelp: stripVTControlCharacters(screen).includes('Usage: modelsvc') }).toEqual({ code: 0, isHelp: true });
  });
});

describe('a slip', () => {
  it.each([
    [['chta'], "unknown command 'chta'; did you mean chat?"],
    [['acounts', 'list'], "unknown command 'acounts'; did you mean accounts?"],
    [['accounts', 'lst'], "unknown command 'lst'; did you mean one of list, ls?"],
    [['upload', 'a.txt'], "unknown command 'upload'; did you mean files upload?"],
    [['repl'], "unknown command 'repl'; did you mean chat repl?"],
    [['version'], "unknown command 'version'; did you mean --version?"],
    [['summarize', 'it'], "unknown command 'summarize'"],
    [['speak', 'x'], "unknown command 'speak'; did you mean audio speak?"],
    [['accounts list'], "unknown command 'accounts list'; did you mean accounts list without quotes?"],
    [['-m', 'glm-4.6', 'hi'], "unknown command 'hi'"],
    [['--model=glm-4.6', 'chta'], "unknown command 'chta'; did you mean chat?"],
    [['--model=glm-4.6', 'models', 'list'], "unknown option '--model=glm-4.6'"],
    [['models', 'list', '--jsn'], "unknown option '--jsn'; did you mean --json?"],
    [['models', 'get'], "missing required argument 'ID'"],
    [['models', 'list', '--region', 'mars'], '--region must be global or china, not "mars"'],
    [['models', 'list', '-o', 'jsn'], '--output must be text, json, jsonl, yaml or table, not "jsn"; did you mean json?'],
    [['chat', 'hi', '--effort=hihg'], '--effort must be off, low, medium, high or max, not "hihg"; did you mean high?'],
  ])('%j is refused with its hint', async (argv, message) => {
    expect(await read(...argv)).toBe(message);
  });

  it('of one word names the command that asks it', async () => {
    expect(await nextOf('hello')).toBe('Run `modelsvc --help` for the commands. To ask a model, run `modelsvc chat hello`.');
    expect(await nextOf('-m', 'x', 'hello')).toBe('Run `modelsvc --help` for the commands. To ask a model, run `modelsvc chat -m x hello`.');
  });

  it.each([
    [['images', 'list'], 'Commands of images: create. Run `modelsvc images --help`.'],
    [['coding', 'mcp', 'find'], 'Commands of mcp: list, add, remove. Run `modelsvc coding --help`.'],
  ])('%j names the commands of the group', async (argv, next) => {
    expect(await nextOf(...argv)).toBe(next);
  });

  it.each([
    [['help', 'chta'], 'there is no command "chta"; did you mean chat?'],
    [['help', 'accounts', 'lst'], 'there is no command "accounts lst"; did you mean accounts list?'],
    [['completion', 'bahs'], 'SHELL must be bash, zsh, fish or powershell, not "bahs"; did you mean bash?'],
    [['models', 'get', 'glm-53'], 'no model "glm-53": is neither listed by the service nor in the built-in catalogue; did you mean glm-5.3?'],
  ])('%j is refused with its hint by the command', async (argv, message) => {
    const { modelsvc } = await withFake();
    expect((await modelsvc(argv)).stderr.split('\n')[0]).toBe(`modelsvc: ${message}`);
  });
});

describe('another name of a command', () => {
  it.each([
    ['keys set work', 'accounts add work'],
    ['keys list', 'accounts list'],
    ['auth login work', 'accounts add work'],
    ['embed text', 'embeddings create text'],
  ])('%s is %s', async (argv, same) => {
    expect(await read(...argv.split(' '))).toEqual(await read(...same.split(' ')));
  });

  it('is completed, and has help', async () => {
    const { stdout } = await run(['__complete', 'keys', 'l']);
    expect(stdout).toBe((await run(['__complete', 'accounts', 'l'])).stdout);
    expect((await run(['help', 'keys'])).stdout).toBe((await run(['help', 'accounts'])).stdout);
  });
});

describe('a text that begins with a dash', () => {
  const texts = ['- [ ] first item', '-5 degrees outside', '--- \ntitle: x\n---', '-f is what flag?', '--json or yaml?', '-Hello there', '-\ttab'];

  it.each(texts)('%j is a prompt, with and without a command', async (text) => {
    for (const argv of [[text], ['chat', text], ['-m', 'glm-4.6', text], ['chat', text, '--usage'], ['chat', '--', text]])
      expect(await read(...argv), JSON.stringify(argv)).toEqual(await read('chat', '--', text));
  });

  it.each([
    'messages TEXT',
    'responses TEXT',
    'map TEXT',
    'embeddings create TEXT',
    'rerank TEXT TEXT',
    'moderate TEXT',
    'tokens count TEXT',
    'search TEXT',
    'images create TEXT',
    'videos create TEXT',
    'audio speak TEXT -O a.wav',
    'agents invoke general_translation TEXT',
    'logs search TEXT',
    'voices clone TEXT call.wav --text TEXT',
  ])('is an argument of every command that takes text: %s', async (words) => {
    for (const text of texts) {
      const parsed = await parse(
        words.split(' ').map((word) => (word === 'TEXT' ? text : word)),
        sections,
      );
      expect(parsed.kind === 'run' && parsed.input.args, words).toContain(text);
    }
  });

  it('is the value of an option, as it is', async () => {
    for (const text of texts) {
      const parsed = await parse(['chat', 'hi', '--system', text, `--stop=${text}`, '-p', text], sections);
      expect(parsed.kind === 'run' && [parsed.input.args, parsed.input.text('system'), parsed.input.list('stop')]).toEqual([['hi'], text, [text]]);
    }
    const attached = await parse(['chat', 'hi', '-sBe brief', '--stop=a b'], sections);
    expect(attached.kind === 'run' && [attached.input.text('system'), attached.input.list('stop')]).toEqual(['Be brief', ['a b']]);
  });

  it('and has no blank is an option, and the error names --', async () => {
    expect(await read('chat', '--sytem=Be brief', 'hi')).toMatch(/unknown option/);
    expect(await nextOf('chat', '--lowest')).toBe('Run `modelsvc chat --help`. A text that begins with a dash goes after `--`.');
    expect(await read('chat', '--', '--lowest')).toMatchObject({ args: ['--lowest'] });
  });
});
