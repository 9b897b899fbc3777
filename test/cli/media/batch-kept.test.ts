// `batches run` killed at any moment: the same command goes on, and no row is paid for twice.
import { execFile, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeFile, type FakeService, fakeKey, faults } from 'modelsvc/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../support/storage.ts';
import { type Ended, ends, type RunOptions, withFake } from '../support/in-process.ts';
import { until } from '../support/rows.ts';
import { program, start } from '../support/run.ts';

const lineOf = (row: number): string =>
  `${JSON.stringify({ custom_id: `row-${row}`, body: { model: 'glm-5.1', messages: [{ role: 'user', content: `ask ${row}` }] } })}\n`;
const linesOf = (rows: number): string => Array.from({ length: rows }, (_, row) => lineOf(row)).join('');
const rows = 5;

let folder: string;
let path: string;
let out: string;

beforeEach(async () => {
  folder = await newFolder();
  path = join(folder, 'requests.jsonl');
  out = join(folder, 'results.jsonl');
  await writeFile(path, linesOf(rows));
});

interface Bench {
  readonly fake: FakeService;
  batches(options?: RunOptions, ...more: readonly string[]): Promise<Ended>;
}

async function bench(): Promise<Bench> {
  const { fake, modelsvc } = await withFake();
  const args = ['batches', 'run', path, '-O', out, '--interval', '100ms'];
  return { fake, batches: (options, ...more) => modelsvc([...args, ...more], options) };
}

function operations(fake: FakeService, name: string): number {
  return fake.requests.filter(({ operation }) => operation === name).length;
}

/** The body of the first request of an operation. */
function bodyOf<Body>(fake: FakeService, name: string): Body {
  return fake.requests.find(({ operation }) => operation === name)?.body as Body;
}

function idsIn(text: string): string[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
}

/** The files of the folder. A download that was killed leaves a part, which is of no use to the next run. */
const names = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => !['.config', '.state'].includes(name) && !/^results\.jsonl\.\w+\.part$/.test(name)).sort();
const stateText = (): Promise<string> => readFile(`${out}.state`, 'utf8');

/** All rows have a result, and no other file is left next to the file. */
async function expectStored(ended: Ended): Promise<void> {
  expect(ended).toMatchObject({ stdout: `${out}: ${rows} of ${rows} requests succeeded\n`, code: 0 });
  expect(idsIn(await readFile(out, 'utf8'))).toEqual(Array.from({ length: rows }, (_, row) => `row-${row}`));
  expect(await names()).toEqual(['requests.jsonl', 'results.jsonl']);
}

/** Options that stop the process at the n-th request of an operation, and kill it once the service has answered. */
function killedAt(fake: FakeService, operation: 'files.upload' | 'batch.create' | 'batch.retrieve' | 'files.content', time = 1): RunOptions {
  return {
    onStart: (child) => {
      const stop = (): undefined => {
        child.kill('SIGSTOP');
        const last = fake.requests.findLast((request) => request.operation === operation);
        void until(() => last?.outcome === 'answered').then(() => child.kill('SIGKILL'));
        return undefined;
      };
      fake.answer(operation, ...Array.from({ length: time - 1 }, () => () => undefined), stop);
    },
  };
}

/** The id in the advice `--resume ID`. */
const advised = ({ stderr }: Ended): string => / --resume (\S+)/.exec(stderr)?.[1] ?? '';

describe('batches run, killed with SIGKILL', () => {
  it.each([
    ['right after its upload was stored', 'files.upload', 1, 2],
    ['after the id was written', 'batch.retrieve', 1, 1],
    ['during the wait', 'batch.retrieve', 3, 1],
    ['while it fetched the results', 'files.content', 1, 1],
  ] as const)('%s: the same command goes on with one batch', async (_, operation, time, uploads) => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch', states: ['validating', 'in_progress', 'in_progress', 'completed'] });
    expect((await batches(killedAt(fake, operation, time))).code).toBeUndefined();
    await expectStored(await batches());
    expect([operations(fake, 'batch.create'), operations(fake, 'files.upload')]).toEqual([1, uploads]);
  });

  it.each([
    ['its metadata', (batch: object) => batch, 0],
    ['the name of its input file', (batch: object) => ({ ...batch, metadata: null }), 1],
  ] as const)('between the creation and its reply: the next run names the batch by %s, and creates none', async (_, listed, lists) => {
    const { fake, batches } = await bench();
    expect((await batches(killedAt(fake, 'batch.create'))).code).toBeUndefined();
    expect(JSON.parse(await stateText())).toEqual({ version: 3, rows: expect.any(String) as string, input: expect.any(String) as string });
    expect((await stat(`${out}.state`)).mode & 0o777).toBe(0o600);
    const { metadata, input_file_id } = bodyOf<{ metadata: object; input_file_id: string }>(fake, 'batch.create');
    const other = { id: 'batch_other', object: 'batch', status: 'completed', input_file_id: 'file-other', metadata: { modelsvc_rows: 'other' } };
    const own = listed({ id: 'batch_own', object: 'batch', status: 'in_progress', input_file_id, metadata });
    fake.answer('batch.list', { body: { object: 'list', data: [other, { ...other, metadata: null }, own], has_more: false } });
    const { name } = bodyOf<{ file: FakeFile }>(fake, 'files.upload').file;
    const files = [
      { id: 'file-other', object: 'file', filename: 'requests.jsonl' },
      { id: input_file_id, object: 'file', filename: name },
    ];
    fake.answer('files.list', { body: { object: 'list', data: files, has_more: false } });
    const next = await batches();
    expect(next).toMatchObject({ ...ends(1, 'modelsvc: a batch of these rows exists: batch_own (in_progress)\n'), stdout: '' });
    expect(next.stderr).toContain(`Resume with: modelsvc batches run ${path} -O ${out} --resume batch_own`);
    expect(next.stderr).toContain(`To start another, which is billed too, delete ${out}.state first.`);
    expect([operations(fake, 'batch.create'), operations(fake, 'files.upload'), operations(fake, 'files.list')]).toEqual([1, 1, lists]);
  });

  it('between the creation and its reply: --resume with the id that the next run names goes on', async () => {
    const { fake, batches } = await bench();
    await batches(killedAt(fake, 'batch.create'));
    await expectStored(await batches({}, '--resume', advised(await batches())));
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('between the creation and its reply, and the batch failed as a whole: the next run starts another', async () => {
    const { fake, batches } = await bench();
    await batches(killedAt(fake, 'batch.create'));
    const { metadata } = bodyOf<{ metadata: object }>(fake, 'batch.create');
    fake.answer('batch.list', { body: { object: 'list', data: [{ id: 'b', object: 'batch', status: 'failed', metadata }], has_more: false } });
    await expectStored(await batches());
    expect(operations(fake, 'batch.create')).toBe(2);
  });

  it('after the results had got their name: the next run reports it, and --force fetches them again', async () => {
    const { fake, batches } = await bench();
    await batches(killedAt(fake, 'files.content'));
    await writeFile(out, 'whole');
    expect(await batches()).toMatchObject(ends(2, `-O: ${out} already exists, and ${out}.state has batch_`));
    expect(await readFile(out, 'utf8')).toBe('whole');
    await expectStored(await batches({}, '--force'));
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('at the n-th change of a file, and then as it is advised: one batch, and all results', async () => {
    for (let kills = 1, isOver = false; !isOver; kills++) {
      const { fake, batches } = await bench();
      const killed = await batches({
        onStart: (child) => {
          let changes = 0;
          const watcher = watch(folder, () => {
            if (++changes === kills * 3) child.kill('SIGKILL');
          });
          child.on('close', () => watcher.close());
        },
      });
      isOver = killed.code !== undefined;
      const next = isOver ? killed : await batches();
      const again = advised(next);
      const isStored = next.stderr.includes('already exists');
      const last = isStored ? await batches({}, '--force') : again === '' ? next : await batches({}, '--resume', again);
      await expectStored(last);
      // A kill after the end of the work leaves no state: --force is then a new run.
      expect(operations(fake, 'batch.create')).toBe(isStored && !next.stderr.includes('.state has') ? 2 : 1);
      await rm(out);
    }
  });
});

describe('the state of batches run', () => {
  it('keeps a second process away from the file while one waits', async () => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch', id: 'batch_1', states: ['in_progress'] });
    const first = start(['batches', 'run', path, '-O', out, '--interval', '100ms', '--base-url', fake.url], {
      cwd: folder,
      env: { SVC_API_KEY: fakeKey, HOME: folder },
    });
    await until(() => operations(fake, 'batch.retrieve') > 0);
    expect(await batches({}, '--max-wait', '1')).toMatchObject(ends(1, `-O: process ${first.child.pid} is writing ${out}\n`));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('a process that gets the lock when another has ended looks at -O again, before it creates a batch', async () => {
    const { fake, batches } = await bench();
    const late = spawn(process.execPath, [program, 'batches', 'run', '-', '-O', out, '--base-url', fake.url], {
      cwd: folder,
      env: { SVC_API_KEY: fakeKey, HOME: folder },
    });
    onTestFinished(() => void late.kill('SIGKILL'));
    let stderr = '';
    late.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<number | null>((resolve) => late.on('close', resolve));
    // It reads its requests after it has looked at -O.
    await new Promise<void>((resolve) => late.stdin.write(linesOf(40_000), () => resolve()));
    await expectStored(await batches());
    late.stdin.end();
    expect([await ended, stderr]).toEqual([2, expect.stringContaining(`-O: ${out} already exists`)]);
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('a creation whose reply is lost is not repeated; the next run looks for it, and starts one if there is none', async () => {
    const { fake, batches } = await bench();
    fake.answer('batch.create', faults.resetBeforeHeaders());
    expect(await batches()).toMatchObject(ends(7, 'There may be a batch. Run the same command again: it looks for one before it creates another.\n'));
    expect(operations(fake, 'batch.create')).toBe(1);
    fake.answer('batch.list', { body: { object: 'list', data: [], has_more: false } });
    await expectStored(await batches());
    expect([operations(fake, 'batch.list'), operations(fake, 'batch.create')]).toEqual([1, 2]);
  });

  it('an upload is retried, and a creation is not', async () => {
    const { fake, batches } = await bench();
    fake.answer('files.upload', faults.error(503, '503', 'busy'));
    fake.answer('batch.create', faults.error(503, '503', 'busy'));
    const { code, stderr } = await batches();
    expect({ code, stderr }).toMatchObject(ends(1, /There may be a batch/));
    expect([operations(fake, 'files.upload'), operations(fake, 'batch.create')]).toEqual([2, 1]);
  });

  it.each([
    ['files.upload', faults.error(400, '1210', 'Wrong file.'), 'Wrong file.'],
    ['files.upload', faults.error(503, '503', 'Busy now.'), 'Busy now.'],
    ['files.upload', faults.resetBeforeHeaders(), 'connection'],
    ['batch.create', faults.error(400, '1210', 'Wrong model.'), 'Wrong model.'],
    ['batch.create', faults.error(429, '1302', 'Too many.'), 'Too many.'],
  ] as const)('%s refused: no state is left, and other rows may follow', async (operation, fault, problem) => {
    const { fake, batches } = await bench();
    fake.answer(operation, fault);
    const refused = await batches({}, '--retries', '0');
    expect(refused.stderr).toContain(problem);
    expect(refused.stderr).not.toContain('There may be a batch');
    expect(await names()).toEqual(['requests.jsonl']);
    await writeFile(path, linesOf(rows).replace('ask 3', 'ask three'));
    await expectStored(await batches());
    expect(operations(fake, 'batch.list')).toBe(0);
  });

  it('a refusal after a creation whose reply was lost keeps the state: the earlier one may have made a batch', async () => {
    const { fake, batches } = await bench();
    await batches(killedAt(fake, 'batch.create'));
    fake.answer('batch.list', { body: { object: 'list', data: [], has_more: false } });
    fake.answer('batch.create', faults.error(400, '1210', 'Wrong model.'));
    await batches();
    expect(await batches()).toMatchObject(ends(1, 'a batch of these rows exists: batch_'));
  });

  it('a state that cannot be written after the creation: the id is in the advice', async () => {
    const { fake, batches } = await bench();
    fake.answer('batch.create', async () => {
      await rm(`${out}.state`);
      await mkdir(`${out}.state`);
      await writeFile(join(`${out}.state`, 'mine'), '');
      return undefined;
    });
    const { code, stderr } = await batches();
    expect({ code, stderr }).toMatchObject(
      ends(1, /^batch (batch_\w+)\nmodelsvc: cannot write the store: [\s\S]*Resume with: modelsvc batches run .* --resume \1/),
    );
  });

  it('a batch that failed as a whole leaves no state, and the next run starts another', async () => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch', states: ['failed'] });
    expect((await batches()).code).toBe(1);
    expect(await names()).toEqual(['requests.jsonl']);
    await expectStored(await batches());
  });

  it('a wait that ends at its bound keeps the state', async () => {
    const { fake, batches } = await bench();
    fake.task({ kind: 'batch', id: 'batch_1', states: ['in_progress'] });
    expect(await batches({}, '--max-wait', '0.2')).toMatchObject(ends(1, '--resume batch_1'));
    expect(JSON.parse(await stateText())).toMatchObject({ batch: 'batch_1' });
  });

  it('other rows are refused before a request, also with --resume, and the state stays', async () => {
    const { fake, batches } = await bench();
    await batches({}, '--no-wait');
    const [state, before] = [await stateText(), fake.requests.length];
    await writeFile(path, linesOf(rows).replace('ask 3', 'ask four'));
    for (const more of [[], ['--resume', 'batch_2'], ['--no-wait']]) {
      const refused = await batches({}, ...more);
      expect(refused).toMatchObject(ends(2, `modelsvc: ${out}.state belongs to other requests\n`));
      expect(refused.stderr).toMatch(/choose another -O\. To give the batch up, delete the state: its batch is batch_\w+\.\n/);
    }
    await writeFile(path, linesOf(rows));
    expect(await batches({}, '--resume', 'batch_2')).toMatchObject(ends(2, /\.state has batch batch_\w+, not batch_2\nLeave out --resume/));
    expect([fake.requests.length, await stateText()]).toEqual([before, state]);
  });

  it('the same rows in another form of the file are the same rows', async () => {
    const { fake, batches } = await bench();
    await batches({}, '--no-wait');
    await writeFile(path, `\n${linesOf(rows).replaceAll('\n', ' \r\n\n')}`);
    await expectStored(await batches());
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('--no-wait twice starts one batch, and the command without it goes on', async () => {
    const { fake, batches } = await bench();
    const [first, second] = [await batches({}, '--no-wait'), await batches({}, '--no-wait')];
    expect([second.stdout, second.stderr]).toEqual([first.stdout, `continuing batch ${first.stdout.trim()} of ${out}.state\n`]);
    await expectStored(await batches());
    expect([operations(fake, 'batch.create'), operations(fake, 'files.upload')]).toEqual([1, 1]);
  });

  it('--resume without a state waits for the batch, and writes none', async () => {
    const { fake, batches } = await bench();
    const id = (await batches({}, '--no-wait')).stdout.trim();
    await rm(`${out}.state`);
    fake.answer('batch.retrieve', async () => void expect(await names()).not.toContain('results.jsonl.state'));
    await expectStored(await batches({}, '--resume', id));
  });

  it('of a batch keeps `map` away from its -O', async () => {
    const { fake, modelsvc } = await withFake();
    await modelsvc(['batches', 'run', path, '-O', out, '--no-wait']);
    const refused = await modelsvc(['map', '{line}', path, '-O', out]);
    expect(refused).toMatchObject(ends(2, /results\.jsonl\.state is of `modelsvc batches run`\nRun that command again, or choose another -O\./));
    expect(operations(fake, 'chat.create')).toBe(0);
  });
});

describe('more rows than one batch takes', () => {
  it('50,001 are refused before a request, with the line that cuts the file; 50,000 are not', async () => {
    const { fake, batches } = await bench();
    await writeFile(path, linesOf(50_001));
    const line = `split -l 50000 ${path} part- && ls part-?? | xargs -I{} modelsvc batches run {} -O {}.results`;
    const refused = await batches();
    expect(refused).toMatchObject({ ...ends(2, `modelsvc: ${path} has more than 50000 requests\nRun: ${line}\n`), stdout: '' });
    expect([fake.requests.length, await names()]).toEqual([0, ['requests.jsonl']]);
    await writeFile(path, linesOf(50_000));
    expect((await batches({}, '--dry-run', '--json')).stdout).toContain('/files');
  });

  it('a file of more bytes than one batch takes is refused before a request', async () => {
    const { fake, batches } = await bench();
    const word = 'word '.repeat(200_000);
    await writeFile(path, linesOf(110).replaceAll('ask', word));
    expect(await batches()).toMatchObject(ends(2, /requests must be at most 104857600 bytes .*\nCut the file with `split -l`/));
    expect([fake.requests.length, await names()]).toEqual([0, ['requests.jsonl']]);
  });

  it('the line cuts the file, and each part is a batch; run again, it does the parts that are missing', async () => {
    const { fake } = await bench();
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin/modelsvc'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
    await chmod(join(folder, 'bin/modelsvc'), 0o755);
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      SVC_API_KEY: fakeKey,
      SVC_API_BASE_URL: fake.url,
    };
    const line = `split -l 2 ${path} part- && ls part-?? | xargs -I{} modelsvc batches run {} -O {}.results`;
    const shell = (): Promise<void> => new Promise((resolve) => execFile('sh', ['-c', line], { cwd: folder, env }, () => resolve()));
    fake.answer('batch.create', () => undefined, faults.error(400, '1210', 'Wrong model.'));
    await shell();
    expect((await names()).filter((name) => name.endsWith('.results'))).toEqual(['part-aa.results', 'part-ac.results']);
    await shell();
    const parts = await Promise.all(['aa', 'ab', 'ac'].map((part) => readFile(join(folder, `part-${part}.results`), 'utf8')));
    expect(idsIn(parts.join(''))).toEqual(Array.from({ length: rows }, (_, row) => `row-${row}`));
    expect(operations(fake, 'batch.create')).toBe(4);
  });
});
