import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, fakeKey } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { globalOptions } from '../../src/cli/table/global-options.ts';
import { type CommandSpec, loadAll, type OptionSpec } from '../../src/cli/table/spec.ts';
import { ends, newHome, run, withFake } from './support/in-process.ts';
import { program } from './support/run.ts';

const prompts = (fake: FakeService): unknown[] =>
  fake.requests.map(({ body }) => (body as { messages: { content: unknown }[] }).messages.at(-1)?.content);

/** Each command with its own short options and the program's. */
const shorts = (await loadAll(sections)).flatMap(function shortsOf({
  name,
  load,
  options = [],
  commands = [],
}: CommandSpec): [string, OptionSpec[]][] {
  const own: [string, OptionSpec[]][] = load ? [[name, options.filter(({ short }) => short !== undefined)]] : [];
  return [...own, ...commands.flatMap(shortsOf).map(([path, one]): [string, OptionSpec[]] => [`${name} ${path}`, one])];
});
const programFlags = globalOptions.filter(
  ({ short, kind = 'flag', optional }) => short !== undefined && short !== 'h' && (kind === 'flag' || optional),
);

it.each(shorts)('%s takes short flags together as it takes them apart, whatever table they come from', async (path, own) => {
  const word = ({ kind = 'flag', short }: OptionSpec) => (kind === 'flag' ? `-${short}` : `-${short} 7`);
  const read = async (line: string) => {
    const parsed = await parse([...path.split(' '), ...line.split(' ')], sections).catch((error: Error) => ({ error: error.message }));
    return 'globals' in parsed && parsed.kind === 'run' ? { given: parsed.input.given, globals: parsed.globals, args: parsed.input.args } : parsed;
  };
  for (const one of own)
    for (const flag of programFlags) {
      const flagsFirst = await read(`-${flag.short}${word(one).slice(1)} x`);
      expect(flagsFirst, `-${flag.short}${one.short}`).toEqual(await read(`-${flag.short} ${word(one)} x`));
      if (one.kind === undefined || one.kind === 'flag') expect(await read(`${word(one)}${flag.short} x`)).toEqual(flagsFirst);
      else expect(await read(`-${flag.short}${one.short}7 x`)).toEqual(flagsFirst);
    }
  for (const one of own)
    for (const other of own)
      if (one !== other && (one.kind ?? 'flag') === 'flag')
        expect(await read(`${word(one)}q${word(other).slice(1)} x`)).toEqual(await read(`${word(one)} -q ${word(other)} x`));
});

it.each<[string[], object, string[]]>([
  [['-uqm', 'MODEL', 'hi there'], { usage: true, model: 'MODEL' }, ['hi there']],
  [['chat', '-s', '-xq', 'hi'], { system: '-xq' }, ['hi']],
  [['chat', '-uq', '--', '-cq'], { usage: true }, ['-cq']],
  [['chat', '-uqs=kind', 'hi'], { usage: true, system: 'kind' }, ['hi']],
])('reads %j', async (words, given, args) => {
  const parsed = await parse(words, sections);
  expect(parsed.kind === 'run' && { given: parsed.input.given, args: parsed.input.args }).toEqual({ given, args });
});

it.each(['-uqz', '-z', '-u5', '-zq'])('%s has a letter that is not an option, and is refused', async (word) => {
  await expect(parse(['chat', word, 'hi'], sections)).rejects.toThrow(/^unknown option '-[z5]/);
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
