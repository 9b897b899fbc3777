import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatRequest } from 'modelsvc';
import type { FakeService } from 'modelsvc/testing';
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
    expect(misfit.stderr).toBe(
      'modelsvc: structured output: the answer does not match the schema: age is required\nAsk again, or loosen the schema. The call is billed; running it again is billed once more.\n',
    );
    fake.chat.reply('{"身高":1.5,"ok":true}');
    expect((await modelsvc(['chat', 'Who?', '--schema', '身高 float\nok bool: is it, really'])).code).toBe(0);
    expect(lastBody(fake).messages[0]?.content).toContain('"身高":{"type":"number"},"ok":{"type":"boolean","description":"is it, really"}');
  });
});
