import { spawn } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeService, fakeKey, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/cli/log/entry.ts';
import { LogReader } from '../../../src/cli/log/reader.ts';
import { type Ended, ends, newHome, prints, type RunOptions, run, withFake } from '../support/in-process.ts';
import { program } from '../support/run.ts';
import { addAll, entry, logOf } from './support.ts';

interface User {
  readonly fake: FakeService;
  readonly home: string;
  ask(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The log, oldest first. */
  entries(): LogEntry[];
}

async function newUser(): Promise<User> {
  const { fake, modelsvc } = await withFake();
  const home = await newHome();
  return {
    fake,
    home,
    ask: (args, { env, ...options } = {}) => modelsvc(args, { ...options, env: { HOME: home, ...env } }),
    entries: () => [...new LogReader(logOf(home)).entries({}, 'oldest first')],
  };
}

/** All bytes of all files below a folder. */
async function everything(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

describe('the log', () => {
  it('has each exchange of chat, messages, responses and chat repl, and each run of map, readable only by the user', async () => {
    const { fake, home, ask, entries } = await newUser();
    fake.chat.reply('one').reply('two').reply('r1').reply('r2').reply('m');
    fake.messages.reply('three');
    fake.responses.reply('four');
    await ask(['chat', 'first', '-m', 'glm-4.6', '-s', 'Be brief', '--service-rules', 'on']);
    await ask(['chat', '-c', 'second']);
    await ask(['messages', 'third']);
    await ask(['responses', 'fourth']);
    await ask(['chat', 'repl'], { stdin: 'fifth\nsixth\n' });
    await ask(['map', 'T {line}', '--service-rules', 'on'], { stdin: 'row\n' });
    const logged = entries();
    expect(logged.map(({ command, text }) => [command, text.prompt, text.answer])).toEqual([
      ['chat', 'first', 'one'],
      ['chat', 'second', 'two'],
      ['messages', 'third', 'three'],
      ['responses', 'fourth', 'four'],
      ['chat', 'fifth', 'r1'],
      ['chat', 'sixth', 'r2'],
      ['map', 'T {line}', '1 answered, 0 failed'],
    ]);
    expect(logged[0]).toMatchObject({ v: 1, model: 'glm-4.6', text: { system: 'Be brief' }, usage: { total_tokens: expect.any(Number) as number } });
    expect(logged[0]?.cost).toBeGreaterThan(0);
    const [first, second, third, , fifth, sixth, row] = logged.map(({ conversation }) => conversation);
    expect(second).toBe(first);
    expect(sixth).toBe(fifth);
    expect(row).toBeUndefined();
    expect(new Set([first, third, fifth]).size).toBe(3);
    expect(logged[6]).toMatchObject({ rows: 1, usage: { total_tokens: expect.any(Number) as number }, cost: expect.any(Number) as number });
    expect(logged[6]).not.toHaveProperty('file');
    const [name = ''] = await readdir(logOf(home));
    expect((await stat(join(logOf(home), name))).mode & 0o777).toBe(0o600);
    expect((await stat(logOf(home))).mode & 0o777).toBe(0o700);
  });

  it('--no-log leaves no prompt in any file, and excludes --save', async () => {
    const { fake, home, ask } = await newUser();
    fake.chat.reply('public');
    await ask(['chat', 'known']);
    const before = await everything(home);
    for (const args of [
      ['chat', 'hidden words'],
      ['messages', 'hidden words'],
      ['chat', '-c', 'hidden words'],
      ['map', '{line}'],
      ['chat', 'repl'],
    ])
      expect(await ask([...args, '--no-log'], { stdin: 'hidden words\n' })).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) as string });
    expect(await everything(home)).toBe(before);
    expect(await ask(['chat', 'x', '--save', 'trip', '--no-log'])).toMatchObject(ends(2, '--save and --no-log exclude each other'));
  });

  it('has neither keys, nor contents of files, nor whole URLs', async () => {
    const { home, ask, entries } = await newUser();
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
    const file = join(home, 'photo.png');
    await writeFile(file, png);
    await ask(['chat', `Is ${fakeKey} a key?`, '-f', file, '-f', 'https://files.example/scan.pdf?signature=s3cret', '-m', 'glm-5.3-flash']);
    const [logged] = entries();
    expect(logged?.text.prompt).toBe('Is [key] a key?');
    expect(logged?.text.files).toEqual([
      { kind: 'image', name: 'photo.png', bytes: 10, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      { kind: 'document', name: 'scan.pdf', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ]);
    const text = await everything(logOf(home));
    for (const secret of [fakeKey, 's3cret', 'files.example', png.toString('base64')]) expect(text).not.toContain(secret);
  });

  it('has a stopped answer with its mark, a cut one with its reason, and no question that was refused or only previewed', async () => {
    const { fake, ask, entries } = await newUser();
    fake.answer('chat.create', { ...faults.silentAfterHeaders(1), reply: { turn: { text: ['half ', 'more'] } } });
    await ask(['chat', 'first'], { onStart: (child) => child.stdout.once('data', () => child.kill('SIGINT')) });
    fake.chat.reply({ text: 'cut', finish: 'length' });
    await ask(['chat', 'second']);
    fake.answer('chat.create', faults.error(400, '1210'));
    await ask(['chat', 'third']);
    await ask(['chat', 'fourth', '--dry-run']);
    expect(entries().map(({ text, stopped, finish }) => [text.prompt, text.answer, stopped, finish])).toEqual([
      ['first', 'half ', true, undefined],
      ['second', 'cut', undefined, 'length'],
    ]);
  });

  it('a disk that is full in the middle of an entry: the answer is printed, with one note, and the next entry is complete', async () => {
    const { fake, home, ask, entries } = await newUser();
    await addAll(logOf(home), [entry({ time: new Date().toISOString() }, { prompt: 'earlier' })]);
    fake.chat.reply('x'.repeat(2000)).reply('later');
    const args = [program, 'chat', 'big', '--no-save', '--base-url', fake.url];
    const child = spawn('sh', ['-c', 'trap "" XFSZ; ulimit -f 2; exec "$@"', 'sh', process.execPath, ...args], {
      env: { HOME: home, XDG_STATE_HOME: join(home, '.state'), SVC_API_KEY: fakeKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(stdout).toBe(`${'x'.repeat(2000)}\n`);
    expect(stderr).toBe('modelsvc: the exchange could not be logged (EFBIG); --no-log turns this off\n');
    expect(await everything(logOf(home))).toMatch(/x$/);
    await ask(['chat', 'last']);
    expect(entries().map(({ text }) => text.prompt)).toEqual(['earlier', 'last']);
  });
});

describe('logs', () => {
  async function withEntries(...entries: readonly LogEntry[]): Promise<{ home: string; logs(...args: string[]): Promise<Ended> }> {
    const home = await newHome();
    await addAll(logOf(home), entries);
    return { home, logs: (...args) => run(['logs', ...args], { env: { HOME: home, TZ: 'UTC' } }) };
  }
  const [sky, sea, plan] = [
    entry({ cost: 0.25, usage: { prompt_tokens: 10, completion_tokens: 5 }, conversation: 'c1' }),
    entry(
      { time: '2026-11-03T10:00:00.000Z', usage: { input_tokens: 4, cache_read_input_tokens: 2, output_tokens: 1 }, model: 'own-1' },
      { prompt: 'The\nSEA', system: 'Be brief', answer: 'blue \x1b[31mtoo' },
    ),
    entry({ time: '2026-11-03T11:00:00.000Z', unpriced: 'plan', usage: { prompt_tokens: 1, completion_tokens: 1 } }, { prompt: 'on the plan' }),
  ];

  it('list shows the newest first, up to --limit, and search those with all words', async () => {
    const { logs } = await withEntries(sky, sea, plan);
    expect(await logs('list', '--limit', '2')).toEqual(
      prints(
        `${plan.id}\t2026-11-03 11:00\tglm-5.3\t\ton the plan\n${sea.id}\t2026-11-03 10:00\town-1\t\tThe SEA\n`,
        0,
        'There are more; --limit shows them.\n',
      ),
    );
    expect((await logs('search', 'blue', 'sea')).stdout).toBe(`${sea.id}\t2026-11-03 10:00\town-1\t\tThe SEA\n`);
    expect(await logs('search', 'green')).toEqual({ stdout: '', stderr: 'No exchange has these words.\n', code: 0 });
    expect(JSON.parse((await logs('list', '--json', '--until', '2026-11-02')).stdout)).toEqual([sky]);
    expect(await logs('list', '--since', 'soon')).toMatchObject(ends(2, '--since must be a date'));
  });

  it('show prints one, the last one without ID; an unknown id is exit code 4', async () => {
    const { logs } = await withEntries(sky, sea);
    expect((await logs('show')).stdout).toContain('[system]\nBe brief\n\n[prompt]\nThe\nSEA\n\n[answer]\nblue ');
    expect((await logs('show', sky.id)).stdout).toContain('10 tokens in, 5 out, about $0.25');
    expect(await logs('show', 'nope')).toMatchObject(ends(4, /^modelsvc: there is no exchange nope\n/));
  });

  it.each([
    ['chat', 'a'],
    ['messages', 'a'],
    ['responses', 'a'],
    ['chat', 'repl'],
    ['map', '{line}'],
  ])('cost leaves out what a mock answered to %s %s, and has what a gateway with the rules of the service did', async (...args) => {
    const { home, ask } = await newUser();
    const cost = () => run(['logs', 'cost', '--json'], { env: { HOME: home, XDG_STATE_HOME: '' } });
    const options = { stdin: 'a\n', env: { XDG_STATE_HOME: '' } };
    await ask(args, options);
    expect(await cost()).toMatchObject({ stdout: '[]\n', stderr: 'Left out: 1 answered on this machine, by a mock or a gateway.\n' });
    await ask([...args, '--service-rules', 'on'], options);
    const { stdout, stderr } = await cost();
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ exchanges: 1, unpriced: 0 })]);
    expect(stderr).toContain('Left out: 1 answered on this machine');
  });

  it('cost sums up by day and model, and names exchanges without a known price', async () => {
    const { logs } = await withEntries(sky, sea, plan);
    expect(await logs('cost')).toEqual(
      prints(
        '2026-11-03\tglm-5.3\t1\t1\t1\tunknown\t1\n2026-11-03\town-1\t1\t6\t1\tunknown\t1\n2026-11-02\tglm-5.3\t1\t10\t5\t$0.25\t0\n',
        0,
        'about $0.25 in total; without a known price: 1 on the plan, 1 of own-1\n',
      ),
    );
    expect((await logs('cost', '--by', 'model')).stdout).toBe('glm-5.3\t2\t11\t6\t$0.25\t1\nown-1\t1\t6\t1\tunknown\t1\n');
  });

  it('cost by month has a bar for each, and null as JSON where no exchange has a price', async () => {
    const { home } = await withEntries(
      sky,
      sea,
      plan,
      entry({ time: '2026-10-03T10:00:00.000Z', cost: 0.5 }),
      entry({ time: '2026-09-03T10:00:00.000Z', unpriced: 'plan' }),
    );
    const logs = (...args: string[]): Promise<Ended> => run(['logs', 'cost', ...args], { env: { HOME: home, TZ: 'UTC' }, columns: 100 });
    const { stdout } = await logs('--by', 'month', '-o', 'table', '--color', 'never');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toMatchObject([
      ['MONTH', 'EXCHANGES', 'INPUT', 'OUTPUT', 'COST', 'UNPRICED'],
      ['2026-11', '3', '17', '7', '$0.25', '2', expect.stringMatching(/^█+░+$/) as string],
      ['2026-10', '1', '0', '0', '$0.50', '0', expect.stringMatching(/^█+$/) as string],
      ['2026-09', '1', '0', '0', 'unknown', '1'],
      ['about $0.75 in total; without a known price: 2 on the plan, 1 of own-1'],
      [''],
    ]);
    const { stdout: json } = await run(['logs', 'cost', '--json'], { env: { HOME: home, TZ: 'UTC' } });
    expect((JSON.parse(json) as { cost: unknown }[]).map(({ cost }) => cost)).toEqual([null, null, 0.25, 0.5, null]);
  });

  it.each([
    ['a half line', '{"v":1,"id":"a","time":"2026-11-0'],
    ['zero bytes', '\0'.repeat(40)],
    ['another program', '{"hello":1}'],
    ['an entry without texts', '{"v":1,"id":"a","time":"2026-11-02T10:00:00.000Z","command":"chat","model":"m"}'],
    ['10 MB', 'x'.repeat(10_000_000)],
  ])('lines that cannot be read are counted, with the place of the first: %s', async (_, line) => {
    const { home, logs } = await withEntries(sky, sea);
    const path = join(logOf(home), '2026-11.jsonl');
    await writeFile(path, `${await readFile(path, 'utf8')}${line}\n\n${line}`);
    const at = (await readFile(path, 'utf8')).split('\n').indexOf(line) + 1;
    const said = `modelsvc: 2 lines of the log cannot be read and are left out: ${path}, line ${at}\n`;
    for (const command of [['list'], ['search', 'a'], ['cost'], ['export'], ['rm', sea.id, '--yes']])
      expect((await logs(...command)).stderr).toContain(said);
  });

  it('export prints all, the oldest first; rm removes by id, conversation, date or all', async () => {
    const { home, logs } = await withEntries(sky, sea, plan);
    expect((await logs('export')).stdout).toBe([sky, sea, plan].map((one) => `${JSON.stringify(one)}\n`).join(''));
    expect(await logs('rm', '--all')).toMatchObject(ends(2, /^modelsvc: Remove 3 exchanges from the log\?\n/));
    expect(await logs('rm')).toMatchObject({ code: 2 });
    expect(await logs('rm', sea.id, 'nope', '--yes')).toMatchObject({ code: 4 });
    const left = async (...args: string[]): Promise<string[]> => {
      expect(await logs('rm', '--yes', ...args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Removed 1 exchange\.\n$/) as string });
      return [...new LogReader(logOf(home)).entries({}, 'oldest first')].map(({ id }) => id);
    };
    expect(await left('--conversation', 'c1')).toEqual([sea.id, plan.id]);
    expect(await left('--before', '2026-11-03T10:30Z')).toEqual([plan.id]);
    expect(await left(plan.id)).toEqual([]);
    expect(await readdir(logOf(home))).toEqual([]);
  });

  it('entries of a newer version are named, never called broken', async () => {
    const { home, logs } = await withEntries(sky);
    await addAll(logOf(home), [{ ...sea, v: 2 }]);
    const { stdout, stderr, code } = await logs('list');
    expect({ lines: stdout.split('\n').length - 1, stderr, code }).toEqual({
      lines: 1,
      stderr: 'modelsvc: 1 exchange was logged by a newer modelsvc; update this one to read them\n',
      code: 0,
    });
  });
});

describe('logs continue', () => {
  it.each(['chat', 'messages', 'responses'] as const)('%s: an exchange becomes the last conversation, with those before it', async (command) => {
    const { fake, ask, entries, home } = await newUser();
    fake[command].reply('one').reply('two').reply('three').reply('other').reply('on').reply('end');
    await ask([command, 'first', '-s', 'Be brief']);
    await ask([command, '-c', 'second']);
    await ask([command, '-c', 'third']);
    await ask([command, 'unrelated']);
    const second = entries().find(({ text }) => text.prompt === 'second');
    const { stdout, code } = await ask(['logs', 'continue', second?.id ?? '']);
    expect({ stdout, code }).toEqual({ stdout: 'It is the last conversation now; continue it with `modelsvc chat -c`.\n', code: 0 });
    const { stderr } = await ask(['chat', '-c', 'go on']);
    expect(stderr).toMatch(/^Continues "second" /);
    const body = fake.requests.at(-1)?.body as { messages?: { role: string; content: string }[]; input?: { role: string; content: string }[] };
    expect((body.messages ?? body.input)?.filter(({ role }) => role !== 'system').map(({ content }) => content)).toEqual([
      'first',
      'one',
      'second',
      'two',
      'go on',
    ]);
    expect(JSON.stringify(body)).toContain('Be brief');
    expect(await ask(['logs', 'continue', 'nope'])).toMatchObject({ code: 4 });
    const map = entry({ command: 'map', time: new Date().toISOString() });
    await addAll(logOf(home), [map]);
    expect((await ask(['logs', 'continue'])).code).toBe(0);
    expect((await ask(['chat', '-c', 'and'])).stderr).toMatch(/^Continues "go on" /);
    expect(await ask(['logs', 'continue', map.id])).toMatchObject(ends(2, 'an exchange of map is not a conversation'));
  });
});
