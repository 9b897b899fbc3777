import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, test } from 'vitest';
import { settingRanges } from '../../src/cli/table/settings.ts';
import { ChatRequest } from '../../src/generated/rules.ts';
import { type Ended, ends, newHome, type RunOptions, run, withFake } from './support/in-process.ts';

interface Place {
  readonly home: string;
  readonly file: string;
  modelsvc(args: readonly string[], options?: RunOptions): Promise<Ended>;
}

/** A home folder with the text of its config.json. */
async function place(text?: string | object): Promise<Place> {
  const home = await newHome();
  const folder = join(home, '.config', 'modelsvc');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'config.json');
  if (text !== undefined) await writeFile(file, typeof text === 'string' ? text : JSON.stringify(text));
  const modelsvc = (args: readonly string[], options: RunOptions = {}) => run(args, { ...options, env: { HOME: home, ...options.env } });
  return { home, file, modelsvc };
}

async function withService(text?: string | object) {
  const { fake } = await withFake();
  const there = await place(text);
  const ask = async (args: readonly string[], options: RunOptions = {}) => {
    const ended = await there.modelsvc([...args, '--base-url', fake.url], { ...options, env: { SVC_API_KEY: fakeKey, ...options.env } });
    return { ...ended, body: fake.requests.at(-1)?.body as Record<string, unknown> | undefined };
  };
  return { ...there, fake, ask };
}

test('a setting is the default of its option: option, variable, folder, user, built in', async () => {
  const { home, modelsvc, ask } = await withService();
  const inner = join(home, 'work', 'inner');
  await mkdir(inner, { recursive: true });
  await modelsvc(['config', 'set', 'model', 'user-model']);
  await modelsvc(['config', 'set', 'temperature', '0.25']);
  expect((await ask(['chat', 'Hi'])).body).toMatchObject({ model: 'user-model', temperature: 0.25 });
  expect(await modelsvc(['config', 'set', 'model', 'folder-model', '--folder'], { cwd: join(home, 'work') })).toMatchObject({ code: 0, stderr: '' });
  expect((await ask(['messages', 'Hi'], { cwd: inner })).body).toMatchObject({ model: 'folder-model', temperature: 0.25 });
  const SVC_MODEL = 'variable-model';
  expect((await ask(['chat', 'Hi'], { cwd: inner, env: { SVC_MODEL } })).body).toMatchObject({ model: SVC_MODEL });
  expect((await ask(['chat', '-m', 'option-model', '-t', '0.5', 'Hi'], { cwd: inner, env: { SVC_MODEL } })).body).toMatchObject({
    model: 'option-model',
    temperature: 0.5,
  });
  const { stdout } = await modelsvc(['config', 'list'], { cwd: inner });
  expect(stdout).toContain(`model\tfolder-model\tfolder ${join(home, 'work')}\n`);
  expect(stdout).toContain('temperature\t0.25\tuser\n');
  expect(stdout).toContain('output\ttext\tbuilt in\n');
  expect(stdout).toContain('effort\t\t\n');
});

test('set prints which value comes first, and unset removes one', async () => {
  const { home, modelsvc } = await place();
  await modelsvc(['config', 'set', 'effort', 'low', '--folder']);
  expect(await modelsvc(['config', 'set', 'effort', 'high'])).toMatchObject({ stderr: `Here folder ${home} comes first: low.\n` });
  expect(await modelsvc(['config', 'get', 'effort'])).toMatchObject({ stdout: 'low\n' });
  await mkdir(join(home, 'below'));
  await modelsvc(['config', 'unset', 'effort', '--folder'], { cwd: join(home, 'below') });
  expect(await modelsvc(['config', 'get', 'effort', '--json'])).toMatchObject({ stdout: expect.stringContaining('"origin": "user"') });
  await modelsvc(['config', 'unset', 'effort']);
  expect(await modelsvc(['config', 'get', 'effort'])).toMatchObject(ends(4, 'effort is not set'));
});

test('an alias is a model wherever questions name one', async () => {
  const { fake, modelsvc, ask } = await withService({ settings: { 'alias.fast': 'glm-5.3-flash', model: 'fast' } });
  expect((await ask(['chat', 'Hi'])).body).toMatchObject({ model: 'glm-5.3-flash' });
  expect((await ask(['responses', '-m', 'fast', 'Hi'])).body).toMatchObject({ model: 'glm-5.3-flash' });
  fake.answer('chat.create', faults.error(400, '1211'));
  expect((await ask(['chat', '-m', 'glm-5.2', '--fallback', 'fast', 'Hi'])).body).toMatchObject({ model: 'glm-5.3-flash' });
  expect(await modelsvc(['__complete', 'chat', '-m', 'fa'])).toMatchObject({ stdout: 'fast\n' });
  expect(await modelsvc(['config', 'set', 'alias.a b', 'x'])).toMatchObject({ code: 2 });
});

test('a continued conversation keeps its model, and images go to the vision model', async () => {
  const { home, modelsvc, ask } = await withService();
  await ask(['chat', '-m', 'glm-4.6', 'Hi']);
  await modelsvc(['config', 'set', 'model', 'glm-5']);
  expect((await ask(['chat', '-c', 'More'])).body).toMatchObject({ model: 'glm-4.6' });
  await writeFile(join(home, 'photo.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  expect((await ask(['chat', '-f', 'photo.png', 'Look'])).body).toMatchObject({ model: 'glm-5.3-flash' });
});

test('an option of the other kind turns a setting off', async () => {
  const { ask } = await withService({ settings: { effort: 'max' } });
  expect((await ask(['chat', '--thinking', 'on', 'Hi'])).code).toBe(0);
});

test('the account of a folder is used in it, and only an account that exists can be set', async () => {
  const { home, modelsvc } = await place();
  for (const name of ['one', 'two'])
    await modelsvc(['accounts', 'add', name, '--no-validate', '--api-key-stdin', '--region', 'global'], { stdin: `${name}-secret-key-0123456789` });
  expect(await modelsvc(['config', 'set', 'account', 'three', '--folder'])).toMatchObject({ code: 4 });
  expect(await modelsvc(['config', 'set', 'account', 'two', '--folder'])).toMatchObject({ code: 0 });
  const key = async (cwd: string) => JSON.parse((await modelsvc(['config', 'get', 'account', '--json'], { cwd })).stdout);
  expect(await key(home)).toEqual({ name: 'account', value: 'two', origin: `folder ${home}` });
  expect(await key('/')).toEqual({ name: 'account', value: 'one', origin: 'accounts use' });
  await modelsvc(['config', 'set', 'account', 'two']);
  expect(await key('/')).toMatchObject({ value: 'two' });
  await modelsvc(['accounts', 'rename', 'two', 'other']);
  expect(await modelsvc(['models', 'list'])).toMatchObject(
    ends(4, /no account "two".*, the account of this folder\n.*config unset account --folder/),
  );
});

/** The questions, each with the words that follow it. */
const questions: readonly string[][] = [
  ['chat', 'Hi'],
  ['messages', 'Hi'],
  ['responses', 'Hi'],
  ['map', '{line}'],
  ['chat', 'repl'],
];

describe.each(Object.entries(settingRanges))('%s, from %j', (name, [least, most]) => {
  test('is refused if no host takes it, and stored with a note outside of the range of the service', async () => {
    const { modelsvc } = await place();
    const set = (value: string) => modelsvc(['config', 'set', name, '--', value]);
    for (const value of ['abc', '', ' ', '-1', '-0.5', 'NaN', 'Infinity', '1,5'])
      expect(await set(value), value).toMatchObject({ code: 2, stderr: expect.stringContaining(name) as string });
    expect(await modelsvc(['config', 'get', name])).toMatchObject({ code: 4 });
    for (const value of [String(least), String(most)]) expect(await set(value), value).toEqual({ stdout: '', stderr: '', code: 0 });
    for (const value of [String(most + 1), ...(least > 0 ? ['0'] : [])])
      expect(await set(value), value).toEqual({
        stdout: '',
        stderr: `The service takes a ${name} from ${least} to ${most}; ${value} is for other hosts only.\n`,
        code: 0,
      });
  });

  test("the range is the document's", () => {
    const rule = ChatRequest.properties?.[name.replace('-', '_')] as { minimum: number; maximum?: number } | undefined;
    expect([least, most]).toEqual([rule?.minimum, rule?.maximum ?? most]);
  });

  test.each(questions)('if a rule refuses it later, %s %s names the setting and the command that removes it', async (...args) => {
    const { home, modelsvc, ask } = await withService();
    const [value, problem] = name === 'max-tokens' ? ['0', 'at least 1'] : [String(most + 1), `at most ${most}`];
    for (const folder of [false, true]) {
      await modelsvc(['config', 'set', name, value, ...(folder ? ['--folder'] : [])]);
      const { stdout, stderr, code } = await ask([...args, '--service-rules', 'on'], { stdin: 'Hi\n', cwd: home });
      // An error of a row is in its result.
      if (args[0] === 'map')
        expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining(`the setting ${name}`) as string } });
      else expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`the setting ${name} must be ${problem}`) as string });
      if (args[0] !== 'map') expect(stderr).toContain(`Run \`modelsvc config unset ${name}${folder ? ' --folder' : ''}\`, or pass --${name}.`);
    }
  });
});

describe('bad input', () => {
  test('an unknown setting is named with a hint before any network, and can be removed', async () => {
    const { file, fake, modelsvc, ask } = await withService({ version: 1, settings: { efort: 'low' }, kept: undefined });
    const { code, stderr } = await ask(['chat', 'Hi']);
    expect({ code, calls: fake.requests.length }).toEqual({ code: 2, calls: 0 });
    expect(stderr).toBe(
      `modelsvc: ${file}: there is no setting "efort"; did you mean effort?\nCorrect it there, or run \`modelsvc config unset efort\`.\n`,
    );
    expect(await modelsvc(['completion', 'bash'])).toMatchObject(ends(0, 'there is no setting "efort"'));
    expect(await modelsvc(['config', 'unset', 'efort'])).toMatchObject({ code: 0 });
    expect((await ask(['chat', 'Hi'])).code).toBe(0);
  });

  test.each([
    ['{', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['{ "settings": [] }', 'has no valid settings'],
    ['{ "model": "glm-5" }', '"model", which is unknown; settings are under settings'],
    ['{ "settings": { "temperature": "hot" } }', 'temperature must be a number, not "hot"'],
    ['{ "settings": { "log": true } }', 'log must be a text or a number'],
    ['{ "settings": { "api-key": "sk-very-secret-0123456789" } }', 'there is no setting "api-key"'],
  ])('%s is one clear error', async (text, problem) => {
    const { file, modelsvc } = await place(text);
    const { code, stderr } = await modelsvc(['chat', 'Hi'], { env: { SVC_API_KEY: fakeKey } });
    expect({ code, stderr }).toMatchObject(ends(2, problem));
    expect(stderr).toContain(file);
    expect(stderr).not.toContain('very-secret');
  });

  test('a value that the service would refuse is named as the setting', async () => {
    const { modelsvc } = await place({ settings: { temperature: 3 } });
    expect(await modelsvc(['chat', '--dry-run', 'Hi'])).toMatchObject(ends(2, 'the setting temperature'));
  });

  test('no setting is a key or a host, and its value is not repeated', async () => {
    const { modelsvc } = await place();
    const { code, stderr } = await modelsvc(['config', 'set', 'api-key', 'sk-very-secret-0123456789']);
    expect({ code, stderr }).toMatchObject(ends(2, 'modelsvc accounts add'));
    expect(stderr).not.toContain('very-secret');
    expect(await modelsvc(['config', 'set', 'base-url', 'http://127.0.0.1:1'])).toMatchObject({ code: 2 });
  });

  test('errors are JSON if the setting of the output is', async () => {
    const { modelsvc } = await place({ settings: { output: 'json' } });
    const { stderr } = await modelsvc(['models', 'get', 'nope']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { message: expect.any(String) } });
  });
});

test('no file of the working folder is read', async () => {
  const { home, ask } = await withService();
  for (const name of ['config.json', '.modelsvc.json', '.modelsvc/config.json']) {
    await mkdir(join(home, '.modelsvc'), { recursive: true });
    await writeFile(join(home, name), '{ "settings": { "model": "foreign", "account": "other" } }');
  }
  expect((await ask(['chat', 'Hi'], { cwd: home })).body).toMatchObject({ model: 'glm-5.3' });
});
