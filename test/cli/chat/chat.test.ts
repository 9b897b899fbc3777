import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import { type FakeService, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { defaultModels } from '../../../src/generated/model-ids.ts';
import { newHome, withFake } from '../support/in-process.ts';

const lastBody = (fake: FakeService): ChatRequest => fake.requests.at(-1)?.body as ChatRequest;

describe('chat: the prompt', () => {
  it.each([
    ['arguments', ['chat', 'Why', 'blue?'], undefined, 'Why blue?'],
    ['stdin', ['chat'], 'From a pipe\n', 'From a pipe\n'],
    ['both', ['chat', 'Explain'], 'a\nb', 'Explain\n\n<stdin>\na\nb\n</stdin>'],
    ['- reads stdin', ['chat', '-'], 'all of it', 'all of it'],
  ])('%s', async (_, args, stdin, content) => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('An answer');
    const { stdout, stderr, code } = await modelsvc(args, stdin === undefined ? {} : { stdin });
    expect({ stdout, stderr, code }).toEqual({ stdout: 'An answer\n', stderr: '', code: 0 });
    expect(lastBody(fake)).toEqual({ model: defaultModels.text, messages: [{ role: 'user', content }], stream: true });
  });

  it.each([['chat'], ['messages'], ['responses'], ['chat', 'repl']])(
    '%s %s: a table of an answer is refused before a request',
    async (...command) => {
      const { fake, modelsvc } = await withFake();
      const { stderr, code } = await modelsvc([...command, '-o', 'table'], { stdin: 'hi' });
      expect({ stderr, code }).toEqual({ stderr: 'modelsvc: --output table: an answer is no list\nUse text, json, jsonl or yaml.\n', code: 2 });
      expect(fake.requests).toEqual([]);
    },
  );

  it.each([
    ['chat', 'chat.create'],
    ['messages', 'anthropic.create'],
    ['responses', 'responses.create'],
  ] as const)('%s: a model that the service does not know', async (command, operation) => {
    const { fake, modelsvc } = await withFake();
    fake.answer(operation, faults.unknownModel());
    const { stderr, code } = await modelsvc([command, 'hi', '-m', 'glm-5.9', '--no-stream']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/check its name.*\nSee the models of the key: `modelsvc models list`\.\n$/);
  });

  it('options become fields of the request', async () => {
    const { fake, modelsvc } = await withFake();
    const options = '-m glm-4.6 -s Be-brief -t 0.5 --top-p 0.9 --max-tokens 100 --stop END --stop STOP --thinking on --json-mode';
    expect((await modelsvc(['chat', 'hi', ...options.split(' ')])).code).toBe(0);
    expect(lastBody(fake)).toEqual({
      model: 'glm-4.6',
      messages: [
        { role: 'system', content: 'Be-brief' },
        { role: 'user', content: 'hi' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 100,
      stop: ['END', 'STOP'],
      thinking: { type: 'enabled' },
      response_format: { type: 'json_object' },
      stream: true,
    });
  });

  it('SVC_MODEL sets the model, a system prompt comes from a file, and --web-search declares the tool', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    await writeFile(join(home, 'system.txt'), 'You are a poet.');
    const env = { SVC_MODEL: 'glm-4.5', HOME: home };
    fake.chat.reply({ text: 'a', webSearch: [{ title: 'A page', link: 'https://example.com/a' }] });
    const { stdout, stderr } = await modelsvc(['chat', 'hi', '-s', '@system.txt', '--web-search'], { env, cwd: home });
    expect({ stdout, stderr }).toEqual({ stdout: 'a\n', stderr: 'source: A page https://example.com/a\n' });
    expect(lastBody(fake)).toMatchObject({
      model: 'glm-4.5',
      messages: [{ role: 'system', content: 'You are a poet.' }, {}],
      tools: [{ type: 'web_search', web_search: { enable: true, search_result: true } }],
    });
  });
});

describe('chat: the answer', () => {
  it('prints the text as it arrives; Ctrl-C closes the stream, keeps the text and exits with 130', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(2), reply: { turn: { text: ['first ', 'second ', 'third'] } } });
    const { stdout, stderr, code } = await modelsvc(['chat', 'hi'], {
      onStart: (child) => child.stdout.on('data', (text: string) => String(text).includes('second') && child.kill('SIGINT')),
    });
    expect({ stdout, stderr, code }).toEqual({ stdout: 'first second \n', stderr: '', code: 130 });
    await fake.idle();
    expect(fake.requests.at(-1)?.outcome).toBe('left');
  });

  it('reasoning goes to stderr, and -R hides it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ reasoning: 'hm, hm', text: 'Blue.' }).reply({ reasoning: 'hm, hm', text: 'Blue.' });
    expect(await modelsvc(['chat', 'hi'])).toEqual({ stdout: 'Blue.\n', stderr: 'hm, hm\n', code: 0 });
    expect(await modelsvc(['chat', 'hi', '-R'])).toEqual({ stdout: 'Blue.\n', stderr: '', code: 0 });
  });

  it('--json prints the response, -o jsonl one chunk a line, --no-stream asks without a stream', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('a b').reply('a b').reply('a b');
    const json = JSON.parse((await modelsvc(['chat', 'hi', '--json'])).stdout) as unknown;
    expect(json).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'a b' } }],
      usage: { prompt_tokens: 10 },
    });
    const chunks = (await modelsvc(['chat', 'hi', '-o', 'jsonl'])).stdout.trim().split('\n');
    expect(chunks.map((line) => (JSON.parse(line) as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content)).toEqual([
      'a',
      ' b',
      '',
    ]);
    expect((await modelsvc(['chat', 'hi', '--no-stream'])).stdout).toBe('a b\n');
    expect(lastBody(fake)).not.toHaveProperty('stream');
  });

  it('--usage prints tokens and the estimated cost on stderr', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ text: 'a', usage: { input: 1000, output: 500 } });
    expect((await modelsvc(['chat', 'hi', '-u', '-m', 'glm-4.6'])).stderr).toBe('1000 tokens in, 500 out, about $0.0017\n');
    fake.chat.reply({ text: 'a', usage: { input: 1000, cached: 640, output: 500 } });
    expect((await modelsvc(['chat', 'hi', '-u', '-m', 'glm-4.6'])).stderr).toBe('1000 tokens in (64% cached), 500 out, about $0.0014\n');
  });

  it('--extract prints only the first code block', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('Here:\n```sh\necho hi\n```\nand\n```\nother\n```').reply('no code');
    expect((await modelsvc(['chat', 'hi', '-x'])).stdout).toBe('echo hi\n');
    expect(await modelsvc(['chat', 'hi', '-x'])).toMatchObject({ stdout: 'no code\n', stderr: 'The answer has no code block.\n' });
  });

  it('--schema asks for JSON of the short form, and an answer that does not fit is exit code 1', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('{"name":"Ann","age":7}').reply('{"name":"Ann"}');
    const args = ['chat', 'Who?', '--schema', 'name, age int: in years'];
    expect(await modelsvc(args)).toEqual({ stdout: '{"name":"Ann","age":7}\n', stderr: '', code: 0 });
    const { messages, response_format: format } = lastBody(fake);
    expect(format).toEqual({ type: 'json_object' });
    expect(messages[0]?.content).toContain('"age":{"type":"integer","description":"in years"}');
    const misfit = await modelsvc(args);
    expect(misfit.code).toBe(1);
    expect(misfit.stderr).toBe('modelsvc: structured output: the answer does not match the schema at age\nAsk again, or loosen the schema.\n');
  });

  it('--tool declares tools and prints their calls without running them', async () => {
    const { fake, modelsvc } = await withFake();
    const home = await newHome();
    await writeFile(
      join(home, 'tool.json'),
      JSON.stringify({ name: 'weather', description: 'Weather', parameters: { type: 'object', properties: {} } }),
    );
    fake.chat.toolCall('weather', { city: 'Köln' }, { text: 'I look.' });
    const { stdout, code } = await modelsvc(['chat', 'hi', '--tool', '@tool.json'], { cwd: home });
    expect({ stdout, code }).toEqual({ stdout: 'I look.\n{"name":"weather","arguments":{"city":"Köln"}}\n', code: 0 });
    expect(lastBody(fake).tools).toEqual([
      { type: 'function', function: { name: 'weather', description: 'Weather', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('--async prints the id of a job, and `jobs result` its answer', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ id: 'job-1', kind: 'chat', states: ['PROCESSING', 'SUCCESS'] });
    expect(await modelsvc(['chat', 'hi', '--async'])).toEqual({ stdout: 'job-1\n', stderr: '', code: 0 });
    expect((await modelsvc(['jobs', 'result', 'job-1'])).stdout).toBe('PROCESSING\n');
    const { stdout, code } = await modelsvc(['jobs', 'wait', 'job-1', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ task_status: 'SUCCESS', choices: [{}] });
  });
});

describe('chat: broken answers', () => {
  const reply = { turn: { text: ['first ', 'second ', 'third'] } };
  it.each([
    ['a stream that ends early', { ...faults.truncatedStream(), reply }, 1, /chat\.stream: .*/],
    ['a connection that breaks', { ...faults.resetMidBody(700), reply }, 7, /chat\.stream: .*/],
    ['an error in the stream', { ...faults.inBandError('1305', 'busy', 2), reply }, 5, /busy/],
  ])('%s: the text stays, and one line says so', async (_, fault, exitCode, text) => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', fault);
    const { stdout, stderr, code } = await modelsvc(['chat', 'hi']);
    expect(code).toBe(exitCode);
    expect(stdout).toMatch(/^first second .*\n$/);
    expect(stderr.split('\n')[0]).toMatch(text);
  });

  it('a content block is exit code 6 with the text so far; the token limit is exit code 1', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply({ text: 'half', finish: 'sensitive' }).reply({ text: 'half', finish: 'length' });
    const blocked = await modelsvc(['chat', 'hi']);
    expect(blocked).toMatchObject({ stdout: 'half\n', code: 6 });
    expect(blocked.stderr).toMatch(/^modelsvc: finish reason sensitive: /);
    expect(await modelsvc(['chat', 'hi'])).toEqual({
      stdout: 'half\n',
      stderr: 'modelsvc: the answer was cut off at the token limit; raise --max-tokens\n',
      code: 1,
    });
  });

  it('with --json the error is JSON, and stdout has the response or is empty', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('chat.create', { ...faults.truncatedStream(), reply });
    const cut = await modelsvc(['chat', 'hi', '--json']);
    expect({ stdout: cut.stdout, code: cut.code }).toEqual({ stdout: '', code: 1 });
    expect(JSON.parse(cut.stderr)).toMatchObject({ error: { kind: 'stream', exit_code: 1 } });
  });
});
