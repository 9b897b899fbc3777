import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { type CommandSpec, loadAll } from '../../src/cli/table/spec.ts';
import { ends, newHome, run, withFake } from './support/in-process.ts';
import { program } from './support/run.ts';

const prompts = (fake: FakeService): unknown[] =>
  fake.requests.map(({ body }) => (body as { messages: { content: unknown }[] }).messages.at(-1)?.content);

it('reads a bundled -nq as -n and -q', async () => {
  const { fake, modelsvc } = await withFake();
  const { stdout, stderr, code } = await modelsvc(['models', 'list', '-nq']);
  expect({ stderr, code, requests: fake.requests.length }).toEqual({ stderr: '', code: 0, requests: 0 });
  expect(stdout).toContain('GET ');
});

it.skipIf(!existsSync('/proc/1'))('names a home in which no folder can be made, and ends', async () => {
  const home = await newHome();
  await writeFile(join(home, 'key.txt'), `${fakeKey}\n`);
  expect(
    await run(['accounts', 'add', 'work', '--api-key-file', join(home, 'key.txt'), '--no-validate'], {
      cwd: home,
      env: { HOME: '/proc/1', XDG_CONFIG_HOME: '' },
    }),
  ).toMatchObject(ends(1, 'cannot write the store'));
});

it.each([
  [['-m=glm-4.6', '-t=0.5'], { model: 'glm-4.6', temperature: 0.5 }],
  [['-s==x'], { messages: [{ role: 'system', content: '=x' }, { role: 'user' }] }],
])('reads the value of a short option after an equals sign: %j', async (options, body) => {
  const { fake, modelsvc } = await withFake();
  expect((await modelsvc(['chat', 'hi', ...options])).code).toBe(0);
  expect(fake.requests[0]?.body).toMatchObject(body);
});

const needed = (await loadAll(sections)).flatMap(function neededIn({
  name,
  options = [],
  commands = [],
}: CommandSpec): (readonly [string, string])[] {
  return [
    ...options.flatMap((one) => (one.required ? [[name, one.name] as const] : [])),
    ...commands.flatMap(neededIn).map(([path, one]) => [`${name} ${path}`, one] as const),
  ];
});

it('some option is required', () => expect(needed).toContainEqual(['voices clone', 'text']));

it.each(needed)('%s without --%s is refused before a request, with the words of its help', async (command, name) => {
  const { fake, modelsvc } = await withFake();
  const { stderr, code } = await modelsvc([...command.split(' '), 'anna', 'call.wav']);
  expect({ code, requests: fake.requests.length }).toEqual({ code: 2, requests: 0 });
  expect(stderr).toMatch(new RegExp(`--${name} is missing[\\s\\S]*Pass --${name} [A-Z]+: `));
});

/** Each option that a command had once. */
const gone = (await loadAll(sections)).flatMap(function goneOf({
  name,
  gone = {},
  options = [],
  commands = [],
}: CommandSpec): (readonly [string, string])[] {
  expect(options.map((one) => one.name).filter((one) => one in gone)).toEqual([]);
  return [
    ...Object.keys(gone).map((one) => [name, one] as const),
    ...commands.flatMap(goneOf).map(([path, one]) => [`${name} ${path}`, one] as const),
  ];
});

it('options that are gone', () => {
  expect(gone.map((one) => one.join(' --'))).toEqual(
    expect.arrayContaining(['map --via', 'batches run --budget', 'batches run --rows-per-batch', 'batches run --batches']),
  );
});

it.each(gone)('%s refuses --%s with the way that replaced it, before any request', async (path, name) => {
  const { fake, modelsvc } = await withFake();
  for (const words of [[`--${name}=1`], [`--${name}`, '1']]) {
    const { stdout, stderr, code } = await modelsvc([...path.split(' '), 'x', '-O', 'y', ...words]);
    expect({ stdout, code, requests: fake.requests.length }).toEqual({ stdout: '', code: 2, requests: 0 });
    expect(stderr.split('\n')[0]).toMatch(new RegExp(`^modelsvc: --${name} is gone: .*\\w`));
  }
});

it.skipIf(!existsSync('/dev/full'))('reports a full disk for --version too', async () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [program, '--version'], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
  closeSync(full);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('the disk is full') as string });
});

describe('a word alone that is nearly a command', () => {
  it.each([
    ['repll', 'repl'],
    ['rep', 'repl'],
    ['erpl', 'repl'],
  ])('%s is a slip of %s, and no prompt', async (word, command) => {
    const { fake, modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['chat', word]);
    expect({ stderr, code }).toEqual({
      stderr: `modelsvc: chat has no command ${word}; did you mean ${command}?\nTo send the word as it is, run \`modelsvc chat -- ${word}\`.\n`,
      code: 2,
    });
    expect(fake.requests).toEqual([]);
  });

  it.each([
    [['chat', 'replace'], 'replace'],
    [['chat', 'repll', 'it'], 'repll it'],
    [['chat', '--', 'repll'], 'repll'],
    [['chat', '--', 'repl'], 'repl'],
    [['chat', '--', '--json'], '--json'],
  ])('%j is a prompt', async (words, prompt) => {
    const { fake } = await withFake();
    const { code } = await run(['--base-url', fake.url, ...words], { env: { SVC_API_KEY: fakeKey } });
    expect({ code, prompts: prompts(fake) }).toEqual({ code: 0, prompts: [prompt] });
  });
});

describe('--json without a command', () => {
  it.each([
    ['--json', 'help --json'],
    ['-o json', 'help --json'],
    ['--help --json', 'help --json'],
    ['chat repl --json --help', 'help chat repl --json'],
  ])('%s prints the JSON of %s', async (words, same) => {
    const { stdout, stderr, code } = await run(words.split(' '));
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await run(same.split(' '))).stdout));
  });

  it('in a group is its help as JSON', async () => {
    const { stdout, stderr, code } = await run(['accounts', '--json']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'accounts' });
  });
});

it('stdin that has the key has no prompt, and is not sent as one', async () => {
  const { fake, modelsvc } = await withFake();
  const { stderr, code } = await modelsvc(['chat', '-', '--api-key-stdin'], { stdin: 'secret-id.secret-0123456789\n' });
  expect([stderr, code]).toEqual([expect.stringContaining('stdin contains the API key already'), 2]);
  expect([stderr.includes('secret-id'), fake.requests]).toEqual([false, []]);
});
