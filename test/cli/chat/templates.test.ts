import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filledText, variablesIn } from '../../../src/cli/settings/templates.ts';
import { ends, newHome, type RunOptions, run as runBare, withFake } from '../support/in-process.ts';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [field: string]: unknown;
}

async function withTemplates(files: Readonly<Record<string, string>> = {}) {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  const folder = join(home, '.config', 'modelsvc', 'templates');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.yaml`), text);
  const run = async (args: readonly string[], options: RunOptions = {}) => {
    const ended = await modelsvc(args, { cwd: home, ...options, env: { HOME: home, ...options.env } });
    return { ...ended, calls: fake.requests.length, body: fake.requests.at(-1)?.body as Body | undefined };
  };
  return { home, folder, run };
}

test('--save-template saves what the command line has instead of asking, and -T asks with it', async () => {
  const { home, run } = await withTemplates();
  await writeFile(join(home, 's.txt'), 'Answer in {lang}.');
  await writeFile(join(home, 't.json'), '{"name":"clock","parameters":{"type":"object","properties":{}}}');
  const line = ['chat', '-s', '@s.txt', '--schema', 'name, age int', '--tool', '@t.json', '-t', '0.25', '-m', 'glm-4.6', 'Who is {who}? {"a": 1}'];
  const saved = await run([...line, '-p', 'lang=German', '--save-template', 'who']);
  expect(saved).toMatchObject({ code: 0, stdout: '', stderr: 'Saved; use it with -T who. Variables: who, lang (German).\n', calls: 0 });
  const { body } = await run(['chat', '-T', 'who', '-p', 'who=Ann', '-t', '0.5'], { cwd: '/' });
  expect(body).toMatchObject({
    model: 'glm-4.6',
    temperature: 0.5,
    tools: [{ function: { name: 'clock' } }],
    response_format: { type: 'json_object' },
  });
  expect(body?.messages[0]?.content).toMatch(/^Answer in German\./);
  expect(body?.messages[0]?.content).toContain('"age"');
  expect(body?.messages.at(-1)?.content).toBe('Who is Ann? {"a": 1}');
});

test('words and stdin follow the prompt of a template, and each surface can use it', async () => {
  const { run } = await withTemplates({ commit: 'prompt: Write a commit message.\n' });
  const { body } = await run(['messages', '-T', 'commit', 'Be short.'], { stdin: 'the diff' });
  expect(body?.messages).toMatchObject([{ content: 'Write a commit message.\n\nBe short.\n\n<stdin>\nthe diff\n</stdin>' }]);
  expect((await run(['responses', '-T', 'commit'])).code).toBe(0);
});

test('a template comes after options, and before variables of the environment and settings', async () => {
  const { home, run } = await withTemplates({ t: 'prompt: Hi\noptions: { model: glm-4.6, thinking: on }\n' });
  await writeFile(join(home, '.config', 'modelsvc', 'config.json'), '{ "settings": { "model": "glm-5", "effort": "low", "temperature": 0.25 } }');
  const { body } = await run(['chat', '-T', 't'], { env: { SVC_MODEL: 'glm-4.5' } });
  expect(body).toMatchObject({ model: 'glm-4.6', thinking: { type: 'enabled' }, temperature: 0.25 });
});

test('a value of a variable may come from a file, and is not searched for variables', async () => {
  const { home, run } = await withTemplates({ t: 'prompt: "{text} {{text}}"\n' });
  await writeFile(join(home, 'text.txt'), 'a {text} $& b');
  expect((await run(['chat', '-T', 't', '-p', 'text=@text.txt'])).body?.messages).toMatchObject([{ content: 'a {text} $& b {text}' }]);
});

test('variables are names in braces; other braces stay', () => {
  expect(variablesIn('{a} {{b}} { c } {d1_é} {a} {"e": 1} {}', undefined, '{f}')).toEqual(['a', 'd1_é', 'f']);
  expect(filledText('{a} {{b}} { c } {"e": {}}', { a: '1' })).toBe('1 {b} { c } {"e": {}}');
});

test('list, show and rm', async () => {
  const { home, folder, run } = await withTemplates({ broken: 'prompt: [1\n', two: 'prompt: Tell me of {x}\n' });
  expect(await run(['templates', 'list'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^broken\t\t.*\ntwo\tx\tTell me of \{x\}\n$/) });
  expect(await run(['templates', 'show', 'two'])).toMatchObject({ stdout: 'prompt: Tell me of {x}\n' });
  expect(JSON.parse((await run(['templates', 'show', 'two', '--json'])).stdout)).toEqual({ prompt: 'Tell me of {x}', options: {}, defaults: {} });
  expect(await runBare(['__complete', 'chat', '-T', 't'], { env: { HOME: home } })).toMatchObject({ stdout: 'two\n' });
  expect(await run(['templates', 'rm', 'two'])).toMatchObject(ends(2, '--yes'));
  expect(await run(['templates', 'rm', 'two', '--yes'])).toMatchObject({ code: 0 });
  expect(await run(['templates', 'show', '../templates/broken'])).toMatchObject({ code: 4 });
  await expect(readFile(join(folder, 'two.yaml'))).rejects.toThrow();
});

test('an existing template is replaced after a question only', async () => {
  const { folder, run } = await withTemplates({ old: 'prompt: Old\n' });
  expect(await run(['chat', 'New', '--save-template', 'old'])).toMatchObject(ends(2, '--yes'));
  expect(await run(['chat', 'New', '--save-template', 'old', '--yes'])).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'old.yaml'), 'utf8')).toBe('version: 1\nprompt: New\noptions: {}\ndefaults: {}\n');
});

describe('bad input is one error before any network', () => {
  test.each([
    [['-T', 't'], 2, 'template t: the variables lang, topic have no value\nPass -p lang=VALUE -p topic=VALUE.\n'],
    [['-T', 't', '-p', 'lang=x', '-p', 'topik=y'], 2, 'there is no variable "topik"; did you mean topic?'],
    [['-T', 't', '-p', 'lang'], 2, '-p must be NAME=VALUE'],
    [['-T', 'nope'], 4, 'there is no template "nope"'],
    [['-p', 'a=b', 'Hi'], 2, '-p needs a template'],
    [['-T', 'option'], 2, 'template option: chat has no option temprature; did you mean temperature?'],
    [['-T', 'again'], 2, 'template again: chat has no option continue'],
    [['-T', 'value'], 2, 'template value: temperature must be a number, not "hot"'],
    [['-T', 'field'], 2, '"promt", which is unknown; did you mean prompt?'],
    [['-T', 'notYaml'], 2, 'notYaml.yaml is broken: it is not valid YAML'],
    [['--save-template', '../x', 'Hi'], 2, '"../x" is not a name'],
    [['--save-template', 'x'], 2, 'the template is empty'],
    [['--save-template', 'x', '--dry-run', 'Hi'], 2, '--save-template sends no request'],
  ])('%j', async (args, code, problem) => {
    const { run } = await withTemplates({
      t: 'prompt: "{lang} {topic}"\n',
      option: 'options: { temprature: 1 }\n',
      again: 'options: { continue: true }\n',
      value: 'options: { temperature: hot }\n',
      field: 'promt: Hi\n',
      notYaml: 'prompt: "Hi\n',
    });
    const ended = await run(['chat', ...args]);
    expect({ code: ended.code, stderr: ended.stderr, calls: ended.calls }).toEqual({ code, stderr: expect.stringContaining(problem), calls: 0 });
  });
});
