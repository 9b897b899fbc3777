// `batches run` with more requests than one batch takes: split, in flight, killed in every stage, continued, merged.
import { watch } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeFile, type FakeService, faults } from 'modelsvc/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../support/storage.ts';
import { type Ended, ends, type RunOptions, withFake } from '../support/in-process.ts';

const lineOf = (row: number): string =>
  `${JSON.stringify({ custom_id: `row-${row}`, body: { model: 'glm-5.1', messages: [{ role: 'user', content: `ask ${row}` }] } })}\n`;
const linesOf = (rows: number): string => Array.from({ length: rows }, (_, row) => lineOf(row)).join('');

let folder: string;
let path: string;
let out: string;

beforeEach(async () => {
  folder = await newFolder();
  path = join(folder, 'requests.jsonl');
  out = join(folder, 'results.jsonl');
  await writeFile(path, linesOf(25));
});

interface Bench {
  readonly fake: FakeService;
  /** `batches run` with ten rows a batch. */
  batches(options?: RunOptions, ...more: readonly string[]): Promise<Ended>;
}

async function bench(): Promise<Bench> {
  const { fake, modelsvc } = await withFake();
  const args = ['batches', 'run', path, '-O', out, '--rows-per-batch', '10', '--interval', '100ms'];
  return { fake, batches: (options, ...more) => modelsvc([...args, ...more], options) };
}

function operations(fake: FakeService, name: string): number {
  return fake.requests.filter(({ operation }) => operation === name).length;
}

/** Ids of the rows of each upload, in order. */
function uploads(fake: FakeService): string[][] {
  return fake.requests
    .filter(({ operation }) => operation === 'files.upload')
    .map(({ body }) => idsIn(Buffer.from((body as { file: FakeFile }).file.bytes).toString()));
}

function idsIn(text: string): string[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
}

const allIds = (rows: number): string[] => Array.from({ length: rows }, (_, row) => `row-${row}`);

async function expectComplete(ended: Ended, rows = 25): Promise<void> {
  expect(ended.stderr.replace(/^(continuing )?batch .*\n/gm, '')).toBe('');
  expect(ended).toMatchObject({ stdout: `${out}: ${rows} of ${rows} requests succeeded\n`, code: 0 });
  expect(idsIn(await readFile(out, 'utf8'))).toEqual(allIds(rows));
  expect((await readdir(folder)).filter((name) => !['.config', '.state'].includes(name)).sort()).toEqual(['requests.jsonl', 'results.jsonl']);
}

/** Options that stop the process at the n-th request of an operation, and kill it once the service has answered. */
function killedAt(fake: FakeService, operation: 'files.upload' | 'batch.create' | 'batch.retrieve' | 'files.content', time: number): RunOptions {
  return {
    onStart: (child) => {
      const stop = (): undefined => {
        child.kill('SIGSTOP');
        const last = fake.requests.findLast((request) => request.operation === operation);
        void expect
          .poll(() => last?.outcome)
          .toBe('answered')
          .then(() => child.kill('SIGKILL'));
        return undefined;
      };
      fake.answer(operation, ...Array.from({ length: time - 1 }, () => () => undefined), stop);
    },
  };
}

describe('batches run with several batches', () => {
  it('splits the input, and joins the results in its order', async () => {
    const { fake, batches } = await bench();
    await expectComplete(await batches());
    expect(uploads(fake).map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(uploads(fake).flat()).toEqual(allIds(25));
    const marks = fake.requests.filter(({ operation }) => operation === 'batch.create').map(({ body }) => (body as { metadata: object }).metadata);
    expect(new Set(marks.map((mark) => JSON.stringify(mark))).size).toBe(3);
  });

  it('keeps at most --batches in flight', async () => {
    const { fake, batches } = await bench();
    await expectComplete(await batches({}, '--batches', '2'));
    const order = fake.requests.map(({ operation }) => operation);
    const third = order.lastIndexOf('batch.create');
    expect(order.slice(0, third)).toContain('files.content');
  });

  it('joins batches that end in another order than they began', async () => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch', states: ['validating', 'in_progress', 'in_progress', 'completed'] }).task({ kind: 'batch', states: ['completed'] });
    await expectComplete(await batches());
  });

  it.each([
    ['files.upload', 1],
    ['files.upload', 2],
    ['batch.create', 1],
    ['batch.create', 3],
    ['batch.retrieve', 1],
    ['batch.retrieve', 6],
    ['files.content', 1],
    ['files.content', 3],
  ] as const)('killed with SIGKILL right after the service answered %s, time %i: the next run creates no batch twice', async (operation, time) => {
    const { fake, batches } = await bench();
    expect((await batches(killedAt(fake, operation, time))).code).toBeUndefined();
    await expectComplete(await batches());
    expect(operations(fake, 'batch.create')).toBe(3);
    // The rows of a batch that exists are not uploaded again.
    if (operation !== 'files.upload') expect(operations(fake, 'files.upload')).toBe(3);
  });

  it('a lost reply to a creation is not retried, and the next run goes on', async () => {
    await writeFile(path, linesOf(10));
    const { fake, batches } = await bench();
    fake.answer('batch.create', faults.resetBeforeHeaders());
    const lost = await batches();
    expect(lost.code).toBe(7);
    expect(lost.stderr).toContain(`Resume with: modelsvc batches run ${path} -O ${out} `);
    expect(operations(fake, 'batch.create')).toBe(1);
    await expectComplete(await batches(), 10);
  });

  it('killed with SIGKILL at the n-th change of a file: the next run goes on', async () => {
    const { fake, batches } = await bench();
    for (let kills = 1; ; kills++) {
      let changes = 0;
      const ended = await batches({
        onStart: (child) => {
          const watcher = watch(folder, () => {
            if (++changes === kills * 4) child.kill('SIGKILL');
          });
          child.on('close', () => watcher.close());
        },
      });
      if (ended.code === undefined) continue;
      // A kill may have come after the end of the work, before the lock was released.
      const isOver = ended.stderr.includes(`${out} already exists`);
      if (isOver) await rm(`${out}.lock`, { recursive: true, force: true });
      await expectComplete(isOver ? { ...ended, stderr: '', stdout: `${out}: 25 of 25 requests succeeded\n`, code: 0 } : ended);
      break;
    }
    expect(operations(fake, 'batch.create')).toBe(3);
  });

  it('killed after the results got their name: the next run reports them, and removes its own files', async () => {
    const { fake, batches } = await bench();
    let state = '';
    fake.answer(
      'files.content',
      () => undefined,
      () => undefined,
      async () => void (state = await readFile(`${out}.state`, 'utf8')),
    );
    await expectComplete(await batches());
    const { slices } = JSON.parse(state) as { slices: object[] };
    await writeFile(`${out}.state`, JSON.stringify({ version: 2, slices: slices.map((slice) => ({ ...slice, failed: 0 })), isMerged: true }));
    const before = fake.requests.length;
    await expectComplete(await batches());
    expect(fake.requests).toHaveLength(before);
  });

  it('a wrong line late in a file is named before anything is sent', async () => {
    const { fake, batches } = await bench();
    for (const [line, problem] of [
      ['{"body":{"model":"glm-5.1","messages":[]}}\n', `${path}, line 26: body.messages must not be empty`],
      ['no json\n', `${path}, line 26 is not JSON`],
      [lineOf(3), `${path}, line 26 has the "custom_id" of an earlier line`],
    ] as const) {
      await writeFile(path, `${linesOf(25)}${line}`);
      const { stderr, code } = await batches();
      expect({ code, problem: stderr.split('\n')[0] }).toEqual({ code: 2, problem: `modelsvc: ${problem}` });
    }
    expect(fake.requests).toHaveLength(0);
    expect((await readdir(folder)).filter((name) => name.startsWith('results'))).toEqual([]);
  });

  it('models that the vendor does not list for batches need a confirmation before anything is sent, and unknown ones do not', async () => {
    const { fake, batches } = await bench();
    const withModels = (...models: readonly string[]): string => models.map((model, row) => lineOf(row).replace('glm-5.1', model)).join('');
    await writeFile(path, withModels('glm-5.1', 'glm-5.3', 'glm-9', 'glm-4.7', 'glm-5.3'));
    const { stderr, code } = await batches();
    expect({ stderr, code }).toEqual({
      stderr: "modelsvc: The vendor's list of models for batches lacks glm-5.3, glm-4.7. Send the requests?\nConfirm with --yes.\n",
      code: 2,
    });
    expect(fake.requests).toHaveLength(0);
    expect((await readdir(folder)).filter((name) => name.startsWith('results'))).toEqual([]);
    await expectComplete(await batches(undefined, '--yes'), 5);
  });

  it.each([
    ['such a model', lineOf(24).replace('glm-5.1', 'glm-4.7'), 'lacks glm-4.7. Send the requests?'],
    ['a wrong line', 'no json', 'stdin, line 25 is not JSON'],
  ])('%s in stdin: the batches before it have begun, and go on once it is right', async (_, last, problem) => {
    const { fake, modelsvc } = await withFake();
    const args = ['batches', 'run', '-', '-O', out, '--rows-per-batch', '10', '--interval', '100ms'];
    expect(await modelsvc(args, { stdin: linesOf(24) + last })).toMatchObject(ends(2, problem));
    expect(operations(fake, 'batch.create')).toBe(2);
    await expectComplete(await modelsvc(args, { stdin: linesOf(25) }));
    expect(operations(fake, 'batch.create')).toBe(3);
  });

  it('a batch that failed as a whole: the others are kept, and the next run asks only its requests again', async () => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch' }).task({ kind: 'batch', states: ['failed'] });
    expect(await batches()).toMatchObject(
      ends(1, /batch batch_\w+ failed[\s\S]*Run the same command again to start a new batch for its 10 requests\./),
    );
    // The reason of a failure is often in a line, which may be changed.
    await writeFile(path, linesOf(25).replace('ask 12', 'ask twelve'));
    await expectComplete(await batches());
    expect(uploads(fake).map(([first]) => first)).toEqual(['row-0', 'row-10', 'row-20', 'row-10']);
  });

  it('a batch that is refused for its limit waits until another has ended', async () => {
    const { fake, batches } = await bench();
    fake.answer('batch.create', () => undefined, { status: 429, body: { error: { code: '1302', message: 'Rate limit reached.' } } });
    await expectComplete(await batches());
    expect(operations(fake, 'files.upload')).toBe(3);
    expect(operations(fake, 'batch.create')).toBe(4);
  });

  it('a batch that is refused for its content leaves no state', async () => {
    const { fake, batches } = await bench();
    fake.answer('batch.create', { status: 400, body: { error: { code: '1210', message: 'Wrong model.' } } });
    expect((await batches()).stderr).toContain('Wrong model.');
    expect((await readdir(folder)).filter((name) => name.startsWith('results'))).toEqual([]);
  });

  it('results that arrive twice, and results of other requests, change no row', async () => {
    const { fake, batches } = await bench();
    await writeFile(path, linesOf(2));
    const answer = (id: string): string =>
      `${JSON.stringify({ custom_id: id, response: { status_code: 200, body: { choices: [{ index: 0, message: { role: 'assistant', content: id } }] } } })}\n`;
    fake.answer('files.content', { body: `${answer('row-1')}${answer('row-9')}${answer('row-0')}${answer('row-1')}` });
    const ended = await batches();
    expect(ended.stderr).toContain('belong to no request');
    await expectComplete({ ...ended, stderr: '' }, 2);
  });

  it('a change of the input is refused, and the state is kept', async () => {
    const { fake, batches } = await bench();
    await batches(killedAt(fake, 'batch.retrieve', 1));
    const before = fake.requests.length;
    const state = await readFile(`${out}.state`, 'utf8');
    await writeFile(path, linesOf(25).replace('ask 3', 'ask four'));
    const { stderr, code } = await batches();
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stderr: `modelsvc: ${out}.state belongs to other requests` });
    expect(fake.requests).toHaveLength(before);
    expect(await readFile(`${out}.state`, 'utf8')).toBe(state);
  });

  it.each([
    ['--rows-per-batch', '0', '--rows-per-batch must be from 1 to 50000, not 0'],
    ['--rows-per-batch', '50001', '--rows-per-batch must be from 1 to 50000, not 50001'],
    ['--batches', '0', '--batches must be at least 1, not 0'],
  ])('%s %s is refused', async (name, value, problem) => {
    const { fake, batches } = await bench();
    const { stderr, code } = await batches({}, name, value);
    expect({ code, problem: stderr.split('\n')[0] }).toEqual({ code: 2, problem: `modelsvc: ${problem}` });
    expect(fake.requests).toHaveLength(0);
  });
});

describe('a batch that has ended before its results are there', () => {
  const early = ({ parameters }: { readonly parameters: Readonly<Record<string, string>> }): { body: object } => ({
    body: {
      id: parameters['batch_id'],
      object: 'batch',
      status: 'completed',
      output_file_id: null,
      error_file_id: null,
      request_counts: { total: 10, completed: 10, failed: 0 },
    },
  });

  it('is asked again', async () => {
    const { fake, batches } = await bench();
    fake.answer('batch.retrieve', ...Array.from({ length: 4 }, () => early));
    await expectComplete(await batches());
    expect(operations(fake, 'batch.create')).toBe(3);
  });

  it('is named after a bounded time; the next run continues it, and creates no second batch', async () => {
    await writeFile(path, linesOf(10));
    const { fake, batches } = await bench();
    fake.answer('batch.retrieve', ...Array.from({ length: 14 }, () => early));
    const ended = await batches();
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /modelsvc: batch (batch_\S+) has ended, and its results are not there yet\n.*creates no second batch.*batches results \1/s,
    );
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['results.jsonl.state']) as string[]);
    await expectComplete(await batches(), 10);
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('and whose file has fewer lines than requests are done is named with both numbers; the next run takes the rest', async () => {
    await writeFile(path, linesOf(10));
    const { fake, batches } = await bench();
    const line = JSON.stringify({ custom_id: 'row-3', response: { status_code: 200, body: { choices: [{ message: { content: 'x' } }] } } });
    fake.answer('files.content', { body: `${line}\n` });
    const ended = await batches();
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/modelsvc: batch \S+ has ended, and its files have the results of 1 of 10 requests that are done\n/);
    await expectComplete(await batches(), 10);
    expect(operations(fake, 'batch.create')).toBe(1);
  });
});
