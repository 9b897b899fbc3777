import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { appendFile, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { ends, fails, newHome, prints, withFake } from '../support/in-process.ts';
import { parsed, prompts, summary, untilRequests, withRows } from '../support/rows.ts';

describe('map', () => {
  it('answers each line; results have the index of the line', async () => {
    const { fake, map } = await withRows(20);
    const { stdout, stderr, code } = await map('--ordered', '-m', 'glm-4.6');
    expect({ stderr, code }).toEqual({ stderr: summary('20 answered, 0 failed'), code: 0 });
    expect(parsed(stdout).map(({ index, output }) => [index, output])).toEqual(Array.from({ length: 20 }, (_, at) => [at, `re T row ${at}`]));
    expect(parsed(stdout)[0]).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{16}$/) as string, usage: { prompt_tokens: 10 } });
    expect(fake.requests[0]?.body).toMatchObject({ model: 'glm-4.6', stream: true });
  });

  it('fills fields of JSONL from stdin; rows that do not fit are lines with an error, and exit code 8', async () => {
    const { fake, modelsvc } = await withFake();
    const stdin = '\ufeff{"name":"Ann","at":{"city":"Köln"}}\r\n\nnot json\n{"name":"Bob"}\n{"name":1,"at":{"city":["x"]}}';
    fake.chat.reply('one').reply('two');
    const { stdout, stderr, code } = await modelsvc(['map', '{name} of {at.city}', '--ordered', '--concurrency', '1'], { stdin });
    const reasons = '  1 × the row is not JSON \\(first: row 2\\)\n  1 × the row has no field at.city \\(first: row 3\\)\n';
    expect({ stderr, code }).toEqual({ stderr: summary('2 answered, 2 failed', reasons), code: 8 });
    expect(parsed(stdout).map(({ index, output, error }) => [index, output ?? error?.message])).toEqual([
      [0, 'one'],
      [2, 'the row is not JSON'],
      [3, 'the row has no field at.city'],
      [4, 'two'],
    ]);
    expect(prompts(fake)).toEqual(['Ann of Köln', '1 of ["x"]']);
  });

  const noRow = (name: string, rest: string): string => `modelsvc: TEMPLATE: no row has {${name}}${rest}\n`;
  const texts = 'The rows are text: write {line}, or pass --csv for a table with a header.\n';
  const fields = 'The first row has {line}, {name}, {First Name}.\n';
  it.each([
    ['a text', 'a\nb\n', '{lin}', `${noRow('lin', '; did you mean {line}?')}${texts}`],
    ['a text with another field', '\ufeffa,b\n1,2\n', '{a} {line}', `${noRow('a', '')}${texts}`],
    ['a row of JSON', '\n{"name":1,"First Name":2}\n{"name":2}\n', '{nam}', `${noRow('nam', '; did you mean {name}?')}${fields}`],
    ['two fields', '{"name":1,"First Name":2}\n', '{name} {x}', `${noRow('x', '')}${fields}`],
    ['an inner field', '{"name":{"a":1},"First Name":2}\n', '{name.b}', `${noRow('name.b', '')}${fields}`],
  ])('a field that no row has, for %s: one sentence, before a request and with --dry-run too', async (_, rows, template, stderr) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newHome();
    await writeFile(join(cwd, 'rows'), rows);
    const isText = stderr.endsWith(texts);
    for (const options of [[], ['--dry-run'], ['-O', 'out.jsonl']])
      expect(await modelsvc(['map', template, 'rows', ...options], { cwd })).toEqual({ stdout: '', stderr, code: 2 });
    // A pipe is read once: its first row decides, and only if it is a text.
    if (isText) expect(await modelsvc(['map', template], { stdin: rows })).toEqual({ stdout: '', stderr, code: 2 });
    expect(fake.requests).toEqual([]);
  });

  it('a name with blanks is a field, and a dry run has the exit code of a run that sends no request', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('one');
    expect(await modelsvc(['map', 'T {First Name}', '--concurrency', '1'], { stdin: '{"First Name":"Ann"}' })).toMatchObject({ code: 0 });
    expect(prompts(fake)).toEqual(['T Ann']);
    for (const dry of [[], ['--dry-run']])
      expect(await modelsvc(['map', '{b}', ...dry], { stdin: '{"a":1}\nx\n' })).toMatchObject(ends(8, '2 failed'));
  });

  it('a template has braces of its own, inner fields and names with a dot, no inherited names, and a row is not a template', async () => {
    const { fake, modelsvc } = await withFake();
    const template = '{{b}} {a.b} {x.y} {line} {constructor}';
    const rows = [
      '{"a":{"b":1},"x.y":"{line} {{ $&","constructor":2}',
      '{"a":{"b":1},"x.y":"{line} {{ $&"}',
      '{"a":{"b":1},"x.y":"{line} {{ $&","constructor":2,"line":"own"}',
    ];
    const { stdout } = await modelsvc(['map', template, '--ordered'], { stdin: rows.join('\n') });
    expect(prompts(fake).sort()).toEqual(['{b} 1 {line} {{ $& own 2', `{b} 1 {line} {{ $& ${rows[0]} 2`]);
    expect(parsed(stdout)[1]?.error?.message).toBe('the row has no field constructor');
  });

  it('--schema gives values, and an answer that does not fit is a failure', async () => {
    const { fake, modelsvc } = await withFake();
    fake.chat.reply('{"a":1}').reply('{"b":1}').reply({ text: 'no', finish: 'sensitive' });
    const { stdout, code } = await modelsvc(['map', '{line}', '--schema', 'a int', '--concurrency', '1', '--ordered'], { stdin: 'x\ny\nz' });
    expect(code).toBe(8);
    expect(parsed(stdout)).toMatchObject([{ output: { a: 1 } }, { error: { kind: 'output' } }, { error: { kind: 'finish', reason: 'sensitive' } }]);
  });

  it('uses as many places as the service gives', async () => {
    const { fake, map } = await withRows(40);
    fake.capacity({ atOnce: 3 });
    expect(await map()).toMatchObject(ends(0, '40 answered, 0 failed'));
    expect(fake.mostAtOnce).toBeLessThanOrEqual(3);
  });

  it('a wrong key ends the run at once with exit code 3', async () => {
    const { fake, mapWith } = await withRows(200);
    expect(await mapWith({ env: { SVC_API_KEY: 'wrong.key-of-a-user' } })).toMatchObject(fails(3, '0 answered, 0 failed'));
    expect(fake.requests.length).toBeLessThan(200);
  });
});

describe('map -O', () => {
  it('a second run asks only for failed and new rows', async () => {
    const { fake, cwd, map, results } = await withRows(5);
    fake.answer('chat.create', faults.error(400, '1210', 'bad row'));
    expect((await map('-O', 'out.jsonl', '--concurrency', '1')).code).toBe(8);
    expect((await results()).filter(({ error }) => error)).toHaveLength(1);
    await appendFile(join(cwd, 'rows.txt'), 'row 5\n');
    const before = fake.requests.length;
    expect(await map('-O', 'out.jsonl', '--concurrency', '1')).toEqual(prints('', 0, summary('2 answered, 0 failed, 4 there already')));
    expect(prompts(fake).slice(before)).toEqual(['T row 0', 'T row 5']);
    expect((await results()).map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('killed with SIGKILL at any time and run again: every row once', async () => {
    const { fake, cwd, map, mapWith, results } = await withRows(60);
    for (const lines of [1, 17, 40]) {
      // The kill comes with a request, while results of others are being written.
      const limit = fake.requests.length + lines;
      let child: { kill(signal: 'SIGKILL'): unknown } | undefined;
      fake.fallback('chat.create', ({ body }) => {
        if (fake.requests.length >= limit) child?.kill('SIGKILL');
        return { turn: { text: `re ${(body as { messages: { content: string }[] }).messages.at(-1)?.content}` } };
      });
      const killed = await mapWith({ onStart: (started) => (child = started) }, '-O', 'out.jsonl');
      expect(killed.code).toBeUndefined();
      child = undefined;
      // A torn last line, as a kill within a write leaves it.
      if (await stat(join(cwd, 'out.jsonl')).catch(() => undefined))
        await appendFile(join(cwd, 'out.jsonl'), '{"index":59,"hash":"0123456789abcdef","out');
    }
    expect(await map('-O', 'out.jsonl')).toMatchObject({ code: 0 });
    const done = await results();
    expect(done.map(({ index, output }) => [index, output]).sort(([a], [b]) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 60 }, (_, at) => [at, `re T row ${at}`]),
    );
    const before = fake.requests.length;
    expect(await map('-O', 'out.jsonl')).toMatchObject({ code: 0, stderr: '0 answered, 0 failed, 60 there already\n' });
    expect(fake.requests).toHaveLength(before);
  });

  it('a second run on one file is refused while the first runs, and changes no file', async () => {
    const { fake, cwd, map, mapWith, results } = await withRows(3);
    fake.chat.reply('one');
    fake.fallback('chat.create', faults.silentBeforeHeaders());
    let child: ChildProcess | undefined;
    const first = mapWith({ onStart: (started) => (child = started) }, '-O', 'out.jsonl', '--concurrency', '1');
    await untilRequests(fake, 2);
    await symlink('out.jsonl', join(cwd, 'link.jsonl'));
    for (const args of [[], ['--force']]) {
      const { stderr, code } = await map('-O', 'link.jsonl', ...args);
      expect({ stderr, code }).toEqual({
        stderr: `modelsvc: -O: process ${child?.pid} is writing link.jsonl\nWait for it or end it, or pass another file.\n`,
        code: 1,
      });
    }
    expect(fake.requests).toHaveLength(2);
    child?.kill('SIGINT');
    expect((await first).code).toBe(130);
    expect(await results()).toHaveLength(1);
    expect((await readdir(cwd)).sort()).not.toContain('out.jsonl.lock');
  });

  it('a run whose lock was taken over while it was stopped writes no more', async () => {
    const { fake, cwd, mapWith, results } = await withRows(2);
    fake.chat.reply('one');
    fake.fallback('chat.create', () => {
      rmSync(join(cwd, 'out.jsonl.lock'), { recursive: true });
      return { turn: { text: 'two' } };
    });
    expect(await mapWith({}, '-O', 'out.jsonl', '--concurrency', '1')).toMatchObject(
      ends(1, 'another process took over the lock out.jsonl.lock\nRun the command again.'),
    );
    expect(await results()).toHaveLength(1);
  });

  it('--dry-run --force leaves the results as they are', async () => {
    const { fake, cwd, map } = await withRows(2);
    await map('-O', 'out.jsonl');
    const [stored, before] = [await readFile(join(cwd, 'out.jsonl'), 'utf8'), fake.requests.length];
    const { stdout, code } = await map('-O', 'out.jsonl', '--force', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('POST ');
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(stored);
    expect(await map('-O', 'out.jsonl', '--dry-run')).toMatchObject({ code: 0, stdout: '' });
    expect(await map('-O', 'new.jsonl', '--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining('POST ') as string });
    expect((await readdir(cwd)).sort()).toEqual(['out.jsonl', 'rows.txt']);
    expect(fake.requests).toHaveLength(before);
  });

  it('results of another question, and files that are not results, are refused and left as they are', async () => {
    const { cwd, map, modelsvc } = await withRows(3);
    await map('-O', 'out.jsonl');
    const stored = await readFile(join(cwd, 'out.jsonl'), 'utf8');
    const other = await modelsvc(['map', 'Other {line}', 'rows.txt', '-O', 'out.jsonl'], { cwd });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('-O: out.jsonl has the result of another question for row 0');
    expect(await readFile(join(cwd, 'out.jsonl'), 'utf8')).toBe(stored);
    await writeFile(join(cwd, 'list.txt'), 'milk\nbread\n');
    const list = await map('-O', 'list.txt');
    expect(list).toMatchObject(ends(2, 'line 1 of list.txt is not a result of map'));
    expect(await readFile(join(cwd, 'list.txt'), 'utf8')).toBe('milk\nbread\n');
    await writeFile(join(cwd, 'note.txt'), 'no line feed');
    expect((await map('-O', 'note.txt')).code).toBe(2);
    expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('no line feed');
    expect((await modelsvc(['map', 'Other {line}', 'rows.txt', '-O', 'out.jsonl', '--force'], { cwd })).code).toBe(0);
    expect(parsed(await readFile(join(cwd, 'out.jsonl'), 'utf8'))).toHaveLength(3);
  });

  it.each([
    ['no field', ['map', 'text', 'rows.txt'], 'TEMPLATE has no field'],
    ['a single brace', ['map', '{line} {', 'rows.txt'], 'TEMPLATE has a { that is not part of a field'],
    ['a missing file', ['map', '{line}', 'nope.txt'], 'nope.txt does not exist'],
    ['a directory', ['map', '{line}', '.'], '. is a directory'],
    ['a folder as output', ['map', '{line}', 'rows.txt', '-O', '.'], '-O: . is not a regular file'],
    ['a folder that does not exist', ['map', '{line}', 'rows.txt', '-O', 'no/out.jsonl'], '-O: no/out.jsonl cannot be locked: no does not exist'],
    ['--force alone', ['map', '{line}', 'rows.txt', '--force'], '--force needs -O'],
  ])('%s is exit code 2', async (_, args, text) => {
    const { cwd, fake, modelsvc } = await withRows(1);
    expect(await modelsvc(args, { cwd })).toMatchObject(fails(2, `modelsvc: ${text}`));
    expect(fake.requests).toEqual([]);
  });
});
