// `map` loses no answer that was paid for: on interruption, on a failure that ends the run, and with --force.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type FakeRequest, type FakeService, fakeKey, faults, type Reply } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { answeredRows, parsed, rowOf, summary, until, untilRequests, withRows } from '../support/rows.ts';
import { program } from '../support/run.ts';

const answerOf = (request: FakeRequest, suffix: string = ''): Reply => ({ turn: { text: `re ${rowOf(request)}${suffix}` } });

/** Answers rows below `count`, all at the same time, and no other row. */
function answerTogether(fake: FakeService, count: number, isAnswered: (row: number) => boolean, before: () => void): void {
  const open = new Set<() => void>();
  fake.fallback('chat.create', async (request) => {
    if (rowOf(request) >= count || !isAnswered(rowOf(request))) return faults.silentBeforeHeaders();
    await new Promise<void>((resolve) => {
      open.add(resolve);
      if (fake.requests.length < count) return;
      before();
      for (const one of open) one();
    });
    return answerOf(request);
  });
}

describe('map, interrupted', () => {
  it.each([
    ['Ctrl-C', 'SIGINT', 130, ['-O', 'out.jsonl']],
    ['Ctrl-C with --ordered', 'SIGINT', 130, ['-O', 'out.jsonl', '--ordered']],
    ['SIGTERM', 'SIGTERM', 143, ['-O', 'out.jsonl']],
    ['Ctrl-C with results on stdout', 'SIGINT', 130, ['--ordered']],
  ] as const)('%s: every answer that was sent is written, in order after a gap too', async (_, signal, code, args) => {
    const { fake, mapWith, results } = await withRows(40);
    let child: ChildProcess | undefined;
    // Row 1 is a gap in the order. The program is stopped, so that it finds the signal and the answers at the same time.
    answerTogether(
      fake,
      8,
      (row) => row !== 1,
      () => child?.kill('SIGSTOP'),
    );
    const ended = mapWith({ onStart: (started) => (child = started) }, ...args, '--concurrency', '8');
    await until(() => answeredRows(fake).length === 7);
    child?.kill(signal);
    child?.kill('SIGCONT');
    const { stdout, stderr, code: given } = await ended;
    const resume = `. out.jsonl has the results so far.\nResume with: modelsvc map 'T {line}' rows.txt ${args.join(' ')} --concurrency 8 --base-url`;
    expect({ stderr, given }).toMatchObject({
      given: code,
      stderr: expect.stringContaining(`7 answered, 0 failed${args[0] === '-O' ? resume : ''}`) as string,
    });
    const rows = (args[0] === '-O' ? await results() : parsed(stdout)).map(({ index }) => index);
    expect([...rows].sort((a, b) => a - b)).toEqual(answeredRows(fake));
    if (args.includes('--ordered' as never)) expect(rows).toEqual([0, 2, 3, 4, 5, 6, 7]);
  });

  it('a second Ctrl-C ends the program at once, although stdout takes no more', async () => {
    const { fake, cwd } = await withRows(40);
    fake.fallback('chat.create', (request) => (rowOf(request) < 8 ? { turn: { text: 'x'.repeat(100_000) } } : { ...faults.silentBeforeHeaders() }));
    const child = spawn(process.execPath, [program, 'map', 'T {line}', 'rows.txt', '--concurrency', '8', '--base-url', fake.url], {
      cwd,
      env: { SVC_API_KEY: fakeKey, HOME: cwd },
      // The pipe of stdout is not read.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.resume();
    const code = new Promise((resolve) => child.on('exit', resolve));
    await until(() => answeredRows(fake).length === 8 && fake.requests.length > 8);
    child.kill('SIGINT');
    await until(() => fake.requests.filter(({ outcome }) => outcome === 'left').length > 0 && fake.exchanges === 0);
    expect(child.exitCode).toBeNull();
    child.kill('SIGINT');
    expect(await code).toBe(130);
  });
});

describe('map --force', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    '%s: the old results stay until the new ones are complete, and the same command goes on',
    async (signal) => {
      const { fake, cwd, map, mapWith } = await withRows(6);
      await map('-O', 'out.jsonl');
      await chmod(join(cwd, 'out.jsonl'), 0o640);
      await symlink('out.jsonl', join(cwd, 'link.jsonl'));
      const old = await readFile(join(cwd, 'out.jsonl'), 'utf8');
      const before = fake.requests.length;
      fake.fallback('chat.create', (request) => (rowOf(request) < 3 ? answerOf(request, ' again') : faults.silentBeforeHeaders()));
      let child: ChildProcess | undefined;
      const ended = mapWith({ onStart: (started) => (child = started) }, '-O', 'link.jsonl', '--force', '--concurrency', '1');
      await untilRequests(fake, before + 4);
      expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(old);
      child?.kill(signal);
      const { stderr } = await ended;
      if (signal === 'SIGINT')
        expect(stderr).toBe(
          `\n3 answered, 0 failed. ${join(cwd, 'out.jsonl')}.new has the results so far, and replaces link.jsonl once every row has an answer.\nResume with: modelsvc map 'T {line}' rows.txt -O link.jsonl --force --concurrency 1 --base-url ${fake.url}\n`,
        );
      expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(old);
      expect(parsed(await readFile(join(cwd, 'out.jsonl.new'), 'utf8')).map(({ output }) => output)).toEqual([
        're 0 again',
        're 1 again',
        're 2 again',
      ]);
      // A run without --force names the unfinished one.
      expect((await map('-O', 'out.jsonl')).stderr).toContain('out.jsonl.new has results of a run with --force that was not completed');
      const until4 = fake.requests.length;
      fake.fallback('chat.create', (request) => answerOf(request, ' again'));
      expect(await map('-O', 'link.jsonl', '--force')).toMatchObject({ code: 0, stderr: summary('3 answered, 0 failed, 3 there already') });
      expect(fake.requests.slice(until4).map(rowOf).sort()).toEqual([3, 4, 5]);
      // In the order of the answers.
      const outputs = parsed(await readFile(join(cwd, 'out.jsonl'), 'utf8')).map(({ output }) => output);
      expect(outputs.sort()).toEqual([0, 1, 2, 3, 4, 5].map((row) => `re ${row} again`));
      expect((await readdir(cwd)).sort()).toEqual(['link.jsonl', 'out.jsonl', 'rows.txt']);
      expect(await readlink(join(cwd, 'link.jsonl'))).toBe('out.jsonl');
      expect((await stat(join(cwd, 'out.jsonl'))).mode & 0o777).toBe(0o640);
    },
  );

  it('with a failed row the old results stay; the same command asks only for that row', async () => {
    const { fake, cwd, map, results } = await withRows(3);
    await map('-O', 'out.jsonl');
    const old = await readFile(join(cwd, 'out.jsonl'), 'utf8');
    fake.answer('chat.create', faults.error(400, '1210', 'bad row'));
    const { stderr, code } = await map('-O', 'out.jsonl', '--force', '--concurrency', '1');
    expect(code).toBe(8);
    expect(stderr).toEqual(
      summary(
        '2 answered, 1 failed',
        '  1 × bad row .*code 1210.* .first: row 0.\nmodelsvc: out.jsonl.new has the results so far, and replaces out.jsonl once every row has an answer\n',
      ),
    );
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(old);
    const before = fake.requests.length;
    expect(await map('-O', 'out.jsonl', '--force')).toMatchObject({ code: 0, stderr: summary('1 answered, 0 failed, 2 there already') });
    expect(fake.requests.slice(before).map(rowOf)).toEqual([0]);
    expect((await results()).map(({ index }) => index)).toEqual([1, 2, 0]);
    // Completed: the next run with --force asks all rows.
    expect(await map('-O', 'out.jsonl', '--force')).toMatchObject({ code: 0, stderr: summary('3 answered, 0 failed') });
  });

  it('results of another question in the unfinished run are refused and stay', async () => {
    const { fake, cwd, map, modelsvc } = await withRows(2);
    fake.answer('chat.create', { turn: { text: 'one' } }, faults.error(400, '1210', 'bad row'));
    await map('-O', 'out.jsonl', '--force', '--concurrency', '1');
    const kept = await readFile(join(cwd, 'out.jsonl.new'), 'utf8');
    const { stderr, code } = await modelsvc(['map', 'Other {line}', 'rows.txt', '-O', 'out.jsonl', '--force'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('-O: out.jsonl.new has the result of another question for row 0\n');
    expect(stderr).toContain('delete out.jsonl.new');
    expect(await readFile(join(cwd, 'out.jsonl.new'), 'utf8')).toMatch(/^[^\n]+\n$/);
    expect(kept).toContain(await readFile(join(cwd, 'out.jsonl.new'), 'utf8'));
  });
});

it.each([
  ['', 'out.jsonl'],
  ['--force', 'out.jsonl.new'],
])('map %s on a disk that is full within a line: the message has the file and its results, and a later run repairs it', async (option, file) => {
  const { fake, cwd, map, results } = await withRows(60);
  const force = option === '' ? [] : [option];
  if (option !== '') await map('-O', 'out.jsonl');
  const old = option === '' ? undefined : await readFile(join(cwd, 'out.jsonl'), 'utf8');
  const command = [process.execPath, program, 'map', 'T {line}', 'rows.txt', '-O', 'out.jsonl', ...force, '--base-url', fake.url, '-q'];
  const child = spawn('sh', ['-c', 'trap "" XFSZ; ulimit -f 4; exec "$@"', 'sh', ...command], { cwd, env: { SVC_API_KEY: fakeKey, HOME: cwd } });
  const stderr = text(child.stderr);
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1);
  const kept = await readFile(join(cwd, file), 'utf8');
  expect(kept).not.toMatch(/\n$/);
  const count = kept.split('\n').length - 1;
  expect(await stderr).toMatch(
    new RegExp(`(^|\n)modelsvc: -O: ${file}: .*\n${count} results are in ${file}\\. Run the same command again to continue\\.\n$`),
  );
  if (old !== undefined) expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(old);
  expect((await map('-O', 'out.jsonl', ...force)).stderr).toEqual(summary(`${60 - count} answered, 0 failed, ${count} there already`));
  expect(new Set((await results()).map(({ index }) => index)).size).toBe(60);
  expect(await results()).toHaveLength(60);
});
