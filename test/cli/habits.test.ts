// Command lines typed from habit or by a slip, and their messages.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeKey } from 'modelsvc/testing';
import { describe, expect, test } from 'vitest';
import { sections } from '../../src/cli/commands/table.ts';
import { parse } from '../../src/cli/input/parse.ts';
import { globalOptions } from '../../src/cli/table/global-options.ts';
import { type CommandSpec, groupsOf, loadAll } from '../../src/cli/table/spec.ts';
import { ends, newHome, run, withFake } from './support/in-process.ts';
import { hasPty, openPty } from './support/pty.ts';

const specs = await loadAll(sections);

test.each([
  ['chat hi -o out.txt', /--output must be .*, not "out\.txt"\n-o is the form of the output\. To write a file, pass -O FILE .*/],
  ['images create cat -o pic.png', /not "pic\.png"\n-o is the form of the output\. To write a file, pass -O FILE/],
  ['chat hi -n 2', /-n is --dry-run and takes no 2\nThe command has no number of results\./],
  ['logs list -n 5', /-n is --dry-run and takes no 5\nFor a number, pass --limit 5\./],
  ['chat -a notes.txt hi', /no account "notes\.txt"\n-a is the account; -f adds a file to a question\./],
])('%s is refused with the right option', async (line, words) => {
  const { fake, modelsvc } = await withFake();
  const cwd = await newHome();
  await writeFile(join(cwd, 'notes.txt'), 'x');
  const { stdout, stderr, code } = await modelsvc(line.split(' '), { cwd });
  expect(stdout).toBe('');
  expect(stderr).toMatch(words);
  expect(code).not.toBe(0);
  expect(fake.requests).toEqual([]);
});

test.each([
  ['song.wav', 'RIFF1234WAVE\0', /is a sound\nFor its words, run `modelsvc audio transcribe song\.wav`/],
  ['song.mp3', 'ID3\0\0', /is a sound\n/],
  ['photo.heic', '\0\0\0\x18ftypheic', /is a picture in a form that the service does not read\nConvert it to PNG or JPEG\./],
  ['photo.bmp', 'BM\0\0', /is a picture in a form .*\nConvert/],
  ['all.zip', 'PK\x03\x04\0', /is an archive\nUnpack it/],
  ['all.gz', '\x1f\x8b\0', /is an archive\n/],
  ['page.pdf', '%PDF-1.7\0', /is a document, which the service takes only by URL\n.*parse sync/],
  ['film.mp4', '\0\0\0\x18ftypisom', /is a video, which the service takes only by URL/],
  ['program', '\x7fELF\0\0\x01\0\x02', /is binary\nPass a text/],
])('-f %s: the advice depends on the kind', async (name, bytes, words) => {
  const { fake, modelsvc } = await withFake();
  const cwd = await newHome();
  await writeFile(join(cwd, name), bytes, 'latin1');
  const { stderr, code } = await modelsvc(['chat', 'hi', '-f', name], { cwd });
  expect(stderr).toMatch(words);
  expect(code).toBe(2);
  expect(fake.requests).toEqual([]);
});

describe('a group', () => {
  const grouped = specs.filter(({ load, commands = [] }) => !load && commands.length > 0);
  const listing = groupsOf(sections).flatMap(({ name, alone }) => (alone === undefined ? [] : [[name, alone] as const]));
  test('of things that are many lists them', () => expect(listing.map(([name]) => name)).toEqual(['logs', 'conversations', 'models']));

  test.each(listing)('%s alone is %s, and --help is help', async (name, alone) => {
    const { modelsvc } = await withFake();
    const HOME = await newHome();
    await modelsvc(['chat', 'hi', '--save', 'trip'], { env: { HOME } });
    for (const options of [[], ['--json'], ['-q'], ['-o', 'jsonl']]) {
      const listed = await modelsvc([name, alone, ...options], { env: { HOME } });
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/trip|hi|glm-/) as string });
      expect(await modelsvc([name, ...options], { env: { HOME } })).toEqual(listed);
      expect(await modelsvc([...options, name], { env: { HOME } })).toEqual(listed);
    }
    const spec = specs.find((one) => one.name === name)?.commands?.find((one) => one.name === alone);
    for (const { name: option, kind, choices, complete, value } of spec?.options ?? []) {
      const words =
        kind === undefined
          ? [`--${option}`]
          : [`--${option}`, choices?.[0] ?? (value === 'DATE' ? '2026-01-01' : complete === 'model' ? 'glm-5.3' : '7')];
      const given = async (line: string[]) => {
        const parsed = await parse(line, sections);
        return parsed.kind === 'run' && parsed.input.given;
      };
      expect(await given([name, ...words]), option).toEqual(await given([name, alone, ...words]));
    }
    for (const help of ['--help', '-h']) expect((await modelsvc([name, help])).stdout).toContain('Commands');
    expect(await modelsvc([name, `${alone}x`])).toMatchObject({ code: 2 });
  });

  const helping = grouped.filter(({ name }) => !listing.some(([one]) => one === name));
  test.each(helping.map(({ name }) => name))('%s alone is help on stdout, exit code 0', async (name) => {
    const { stdout, stderr, code } = await run([name]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toBe((await run([name, '--help'])).stdout);
    expect((await run([name, '--json'])).code).toBe(0);
  });

  const single = grouped.filter(({ commands = [] }) => commands.length === 1);
  test.each(single.map(({ name, commands: [only] = [] }) => [name, only as CommandSpec] as const))(
    '%s with one command needs no second word, but a slip of it is one',
    async (name, only) => {
      const parsed = await parse([name, '-q', 'hello', 'you'], sections);
      if (parsed.kind !== 'run') throw new Error(parsed.kind);
      expect(parsed.input.args).toEqual(['hello', 'you']);
      expect(await parse([name, only.name, 'hello'], sections)).toMatchObject({ kind: 'run' });
      await expect(parse([name, 'list'], sections)).rejects.toThrow("unknown command 'list'");
      await expect(parse([name, `${only.name}x`, 'hello'], sections)).rejects.toThrow(/did you mean/);
    },
  );
  test('there are such groups', () => expect(single.map(({ name }) => name)).toEqual(expect.arrayContaining(['embeddings', 'tokens'])));
});

describe('one letter wrong, swapped, missing or doubled', () => {
  function slips(word: string): string[] {
    const places = [...word].map((_, at) => at).slice(1);
    return [
      ...places.map((at) => `${word.slice(0, at)}q${word.slice(at + 1)}`),
      ...places.slice(1).map((at) => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)),
      ...places.map((at) => word.slice(0, at) + word.slice(at + 1)),
      ...places.map((at) => word.slice(0, at) + word[at] + word.slice(at)),
    ].filter((slip) => slip !== word);
  }
  const groups = groupsOf(sections).map(({ name }) => name);
  /** The words that a message offers: `did you mean one of a, b?` */
  const offered = (message: string): string[] => /did you mean (?:one of )?(.*?)\??$/m.exec(message)?.[1]?.split(/, | or /) ?? [];
  const messageOf = async (words: readonly string[]): Promise<string | undefined> =>
    parse(words, sections).then(
      () => undefined,
      (error: Error) => error.message,
    );

  test.each(groups)('the command %s: the hint is right, or there is none', async (name) => {
    for (const slip of slips(name)) {
      if (groups.includes(slip)) continue;
      const hints = offered((await messageOf([slip])) ?? '');
      expect(hints.length === 0 || hints.some((hint) => groups.includes(hint)), `${slip}: ${hints}`).toBe(true);
    }
  });

  const leaves = specs.flatMap((spec) => [
    ...(spec.load ? [{ path: [spec.name], spec }] : []),
    ...(spec.commands ?? []).filter(({ load }) => load).map((one) => ({ path: [spec.name, one.name], spec: one })),
  ]);
  test.each(leaves.map(({ path, spec }) => [path.join(' '), path, spec] as const))('options of %s', async (_, path, spec) => {
    const names = [...globalOptions, ...(spec.options ?? [])].map(({ name }) => name);
    for (const { name } of spec.options ?? [])
      for (const slip of slips(name)) {
        if (names.includes(slip) || slip.length < 3) continue;
        const message = await messageOf([...path, 'x', `--${slip}`, '1']);
        const hints = offered(message ?? '');
        // Another option may be as near as the one that was meant.
        expect(hints.length === 0 || hints.every((hint) => names.includes(hint.replace(/^--/, ''))), `--${slip}: ${message}`).toBe(true);
      }
  });
});

describe('a key', () => {
  test('of a first account needs no name; a second one does', async () => {
    const HOME = await newHome();
    const add = (...words: string[]) =>
      run([...words, '--no-validate'], { env: { HOME, XDG_CONFIG_HOME: join(HOME, '.config') }, stdin: `${fakeKey}\n` });
    expect((await add('login')).stdout).toContain('Stored account default ');
    const again = await add('keys', 'set');
    expect(again).toMatchObject(ends(2, 'a second account needs a name\nRun `modelsvc accounts add NAME`. Stored: default.'));
    expect((await add('login', 'work')).code).toBe(0);
  });

  test.runIf(hasPty)('of a second account: a terminal is asked for the name', async () => {
    const HOME = await newHome();
    const env = { HOME, XDG_CONFIG_HOME: join(HOME, '.config') };
    await run(['login', '--no-validate'], { env, stdin: `${fakeKey}\n` });
    const terminal = await openPty(['login', '--no-validate'], { env });
    await terminal.shows('Name of the account');
    terminal.type('work\r');
    await terminal.shows('API key of account work');
    terminal.type('another-id.another-secret\r');
    await terminal.shows('Stored account work');
    expect((await terminal.ended).code).toBe(0);
  });
});

test('-O with a slash at its end makes the folder; a dry run makes none', async () => {
  const { modelsvc } = await withFake();
  const cwd = await newHome();
  await mkdir(join(cwd, 'there'));
  const before = await readdir(cwd);
  expect((await modelsvc(['images', 'create', 'cat', '-O', 'pictures/', '--dry-run'], { cwd })).code).toBe(0);
  expect(await readdir(cwd)).toEqual(before);
  for (const folder of ['pictures/', 'a/b/', 'there/']) {
    expect((await modelsvc(['images', 'create', 'cat', '-O', folder], { cwd })).code).toBe(0);
    expect(await readdir(join(cwd, folder))).toHaveLength(1);
  }
});

test('an error begins in red where there are colors, and not in a pipe', async () => {
  const env = { HOME: await newHome(), TERM: 'xterm' };
  expect((await run(['chat', 'hi', '--modle', 'x'], { columns: 80, env })).stdout.startsWith('\x1b[31mmodelsvc:\x1b[39m unknown option')).toBe(true);
  expect((await run(['chat', 'hi', '--modle', 'x'], { env })).stderr).toMatch(/^modelsvc: unknown option/);
});
