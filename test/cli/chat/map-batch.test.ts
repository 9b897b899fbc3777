// `map --via batch`: rows as batches, with the files and the resume of `map`.
import { existsSync, readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeFile, FakeService } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../support/in-process.ts';
import { ends, fails } from '../support/in-process.ts';
import { type Line, parsed, quick, withRows } from '../support/rows.ts';

const viaBatch = ['-O', 'out.jsonl', '--via', 'batch', '-m', 'glm-5.1', '--rows-per-batch', '10'];

/** The prompts of each upload, in order. */
function uploads(fake: FakeService): unknown[][] {
  return fake.requests
    .filter(({ operation }) => operation === 'files.upload')
    .map(({ body }) =>
      Buffer.from((body as { file: FakeFile }).file.bytes)
        .toString()
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { body: { messages: { content: string }[] } }).body.messages.at(-1)?.content),
    );
}

function operations(fake: FakeService, name: string): number {
  return fake.requests.filter(({ operation }) => operation === name).length;
}

function expectAll(lines: readonly Line[], rows: number): void {
  const sorted = lines.toSorted((one, other) => one.index - other.index);
  expect(sorted.map(({ index, output }) => [index, output])).toEqual(Array.from({ length: rows }, (_, at) => [at, `re T row ${at}`]));
}

/** Options that kill the process when a request of an operation arrives and the condition holds. */
function killedAt(fake: FakeService, operation: 'batch.create' | 'batch.retrieve' | 'files.content', isTime: () => boolean): RunOptions {
  return {
    onStart: (child) => {
      const look = (): undefined => void (child.exitCode === null && isTime() && child.kill('SIGKILL'));
      fake.answer(operation, ...Array.from({ length: 20 }, () => look));
    },
  };
}

describe('map --via batch', () => {
  it('writes the lines that calls write', async () => {
    const { fake, cwd, map } = await withRows(25);
    const options = ['-m', 'glm-5.1', '--system', 'Be brief.', '--effort', 'off', '--max-tokens', '99'];
    expect((await map('-O', 'calls.jsonl', ...options)).code).toBe(0);
    const called = fake.requests[0]?.body as object;
    quick(fake, 3);
    expect(await map(...viaBatch, ...options)).toMatchObject(fails(0, '25 answered, 0 failed; '));
    const [calls = [], batches = []] = ['calls.jsonl', 'out.jsonl'].map((name) => parsed(readFileSync(join(cwd, name), 'utf8')));
    const byIndex = (lines: readonly Line[]): Line[] => lines.toSorted((one, other) => one.index - other.index);
    expect(byIndex(batches)).toEqual(byIndex(calls));
    const upload = fake.requests.find(({ operation }) => operation === 'files.upload')?.body as { file: FakeFile };
    const { stream: _, ...request } = called as { stream?: unknown };
    const [first = ''] = Buffer.from(upload.file.bytes).toString().split('\n');
    expect(JSON.parse(first)).toMatchObject({ custom_id: 'request-0', body: { ...request, messages: expect.any(Array) as unknown[] } });
    expect(uploads(fake).map(({ length }) => length)).toEqual([10, 10, 5]);
    expect((await readdir(cwd)).filter((name) => name.startsWith('out'))).toEqual(['out.jsonl']);
  });

  it('failed rows and rows that do not fit are lines with an error; the next run asks only for them, beside batches in flight', async () => {
    const { fake, cwd, modelsvc, results } = await withRows(25);
    const rows = Array.from({ length: 25 }, (_, at) => JSON.stringify({ name: `row ${at}` }));
    await writeFile(join(cwd, 'rows.jsonl'), [...rows.slice(0, 5), 'no json', ...rows.slice(6)].join('\n'));
    let fails = true;
    fake.fallback('chat.create', ({ body }) => {
      const text = String((body as { messages: { content: string }[] }).messages.at(-1)?.content);
      return fails && text === 'T row 3'
        ? { status: 400, body: { error: { code: '1301', message: 'Sensitive.' } } }
        : { turn: { text: `re ${text}` } };
    });
    const run = (options: RunOptions = {}): ReturnType<typeof modelsvc> =>
      modelsvc(['map', 'T {name}', 'rows.jsonl', ...viaBatch], { ...options, cwd });
    // The first batch is complete at its first poll, the second takes longer.
    fake.task({ kind: 'batch', states: ['completed'] }).task({ kind: 'batch', states: ['in_progress', 'in_progress', 'in_progress', 'completed'] });
    const isFirstStored = (): boolean => {
      const isAnswered = existsSync(join(cwd, 'out.jsonl')) && readFileSync(join(cwd, 'out.jsonl'), 'utf8').includes('"index":10,');
      const { slices } = JSON.parse(readFileSync(join(cwd, 'out.jsonl.state'), 'utf8')) as { slices: { ranges: [number, number][] }[] };
      return isAnswered && slices.every(({ ranges }) => ranges[0]?.[0] !== 0);
    };
    // A kill between the upload and the creation of the last batch would upload its rows again.
    const killed = await run(killedAt(fake, 'batch.retrieve', () => operations(fake, 'batch.create') === 3 && isFirstStored()));
    expect(killed.code).toBeUndefined();
    const answered = await results();
    expect(
      answered
        .filter(({ error }) => error)
        .map(({ index }) => index)
        .sort(),
    ).toEqual([3, 5]);
    // The row is in a batch of its own, and fails again.
    expect((await run()).code).toBe(8);
    expect(uploads(fake)).toContainEqual(['T row 3']);
    const asked = uploads(fake).flat();
    expect(asked.filter((prompt) => prompt !== 'T row 3').sort()).toEqual([...new Set(asked)].filter((prompt) => prompt !== 'T row 3').sort());
    fails = false;
    await writeFile(join(cwd, 'rows.jsonl'), rows.join('\n'));
    expect(await run()).toMatchObject(ends(0, '2 answered, 0 failed, 23 there already; '));
    expect(uploads(fake).at(-1)).toEqual(['T row 3', 'T row 5']);
    expectAll(await results(), 25);
  });

  it('a run with calls is refused while rows are in batches', async () => {
    const { fake, map, mapWith } = await withRows(25);
    await mapWith(
      killedAt(fake, 'batch.retrieve', () => true),
      ...viaBatch,
    );
    const before = fake.requests.length;
    const { stderr, code } = await map('-O', 'out.jsonl', '-m', 'glm-5.1');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'modelsvc: -O: rows of out.jsonl are in batches\nContinue with --via batch, or delete out.jsonl.state to ask these rows again.\n',
    });
    expect(fake.requests).toHaveLength(before);
  });

  it('--force keeps the old results until every row has an answer', async () => {
    const { fake, cwd, map, results } = await withRows(3);
    await writeFile(join(cwd, 'out.jsonl'), '{"index":0,"hash":"0000000000000000","output":"old"}\n');
    quick(fake, 1);
    expect((await map(...viaBatch, '--force')).code).toBe(0);
    expectAll(await results(), 3);
    expect((await readdir(cwd)).filter((name) => name.startsWith('out'))).toEqual(['out.jsonl']);
  });

  it('Ctrl-C leaves the batches, and prints how to resume', async () => {
    const { fake, mapWith } = await withRows(3);
    expect(
      await mapWith(
        {
          onStart: (child) => {
            fake.answer('batch.retrieve', () => void child.kill('SIGINT'), { body: { id: 'x', status: 'in_progress' } });
          },
        },
        ...viaBatch,
      ),
    ).toMatchObject(ends(130, "The batches go on. out.jsonl has the results so far.\nResume with: modelsvc map 'T {line}' rows.txt"));
    expect(operations(fake, 'batch.cancel')).toBe(0);
  });

  it('a model that the vendor does not list for batches needs a confirmation before anything is sent', async () => {
    const { fake, cwd, map } = await withRows(3);
    expect(await map(...viaBatch, '-m', 'glm-5.3')).toMatchObject(
      ends(2, "The vendor's list of models for batches lacks glm-5.3. Send the requests?\nConfirm with --yes."),
    );
    expect(fake.requests).toHaveLength(0);
    expect(existsSync(join(cwd, 'out.jsonl.state'))).toBe(false);
  });

  it.each([
    [['--via', 'batch', '-m', 'glm-5.1'], '--via batch needs -O'],
    [['--via', 'batch', '-O', 'out.jsonl'], '--via batch needs --model'],
    [[...viaBatch, '--ordered'], '--via batch and --ordered exclude each other'],
    [[...viaBatch, '--concurrency', '2'], '--via batch and --concurrency exclude each other'],
    [['--batches', '2'], '--batches needs --via batch'],
    [['--via', 'mail'], '--via must be calls or batch, not "mail"'],
  ])('%j is refused before anything is sent', async (args, problem) => {
    const { fake, cwd, map } = await withRows(3);
    const { stderr, code } = await map(...args);
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toContain(problem);
    expect(fake.requests).toHaveLength(0);
    expect(existsSync(join(cwd, 'out.jsonl.state'))).toBe(false);
  });
});
