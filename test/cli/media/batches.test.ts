import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeFile, type FakeService, faults } from 'modelsvc/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../support/storage.ts';
import { ends, prints, withFake } from '../support/in-process.ts';

const body = (word: string): object => ({ model: 'glm-5.1', messages: [{ role: 'user', content: word }] });
const input = [{ custom_id: 'a', body: body('rain') }, { body: body('snow') }].map((line) => `${JSON.stringify(line)}\n`).join('');
const answered = (id: string): string =>
  `${JSON.stringify({ custom_id: id, response: { status_code: 200, body: { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `about ${id}` } }] } } })}\n`;
const failed = (id: string): string =>
  `${JSON.stringify({ custom_id: id, response: { status_code: 400, body: { error: { code: '1301', message: 'The input may contain sensitive content.' } } } })}\n`;

let folder: string;
let path: string;
let out: string;

beforeEach(async () => {
  folder = await newFolder();
  path = join(folder, 'requests.jsonl');
  out = join(folder, 'results.jsonl');
  await writeFile(path, input);
});

function operations(fake: FakeService, name: string): number {
  return fake.requests.filter(({ operation }) => operation === name).length;
}

function script(fake: FakeService, states: readonly string[], ...contents: readonly string[]): void {
  fake.task({ kind: 'batch', id: 'batch_1', states, result: { output_file_id: 'out-1', error_file_id: contents.length > 1 ? 'error-1' : '' } });
  fake.answer('files.content', ...contents.map((text) => ({ body: text })));
}

describe('batches run', () => {
  it('uploads the requests, waits, and saves a result for each', async () => {
    const { fake, modelsvc } = await withFake();
    script(fake, ['validating', 'completed'], answered('request-1') + answered('a'));
    const { stdout, stderr, code } = await modelsvc(['batches', 'run', path, '-O', out, '--interval', '100ms']);
    expect({ stdout, stderr, code }).toEqual({ stdout: `${out}: 2 of 2 requests succeeded\n`, stderr: 'batch batch_1\n', code: 0 });
    const [sent] = fake.requests;
    const upload = sent?.body as { file: FakeFile; purpose: string };
    expect(upload.purpose).toBe('batch');
    expect(linesOf(Buffer.from(upload.file.bytes).toString())).toEqual([
      { custom_id: 'a', method: 'POST', url: '/v4/chat/completions', body: body('rain') },
      { custom_id: 'request-1', method: 'POST', url: '/v4/chat/completions', body: body('snow') },
    ]);
    expect(linesOf(await readFile(out, 'utf8'))).toMatchObject([
      { custom_id: 'a', response: { choices: [{ message: { content: 'about a' } }] } },
      { custom_id: 'request-1', response: { choices: [{ message: { content: 'about request-1' } }] } },
    ]);
    expect((await readdir(folder)).sort()).toEqual(['requests.jsonl', 'results.jsonl']);
  });

  it('exit code 8 and an error line if some requests failed', async () => {
    const { fake, modelsvc } = await withFake();
    script(fake, ['completed'], answered('a'), failed('request-1'));
    const { stdout, code } = await modelsvc(['batches', 'run', path, '-O', out, '--json']);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ path: out, total: 2, failed: 1, batch: { id: 'batch_1', status: 'completed' } });
    expect(linesOf(await readFile(out, 'utf8'))[1]).toMatchObject({
      custom_id: 'request-1',
      error: { kind: 'api', status: 400, code: '1301', category: 'content' },
    });
  });

  it('takes lines in the form of the vendor, from stdin too', async () => {
    const { fake, modelsvc } = await withFake();
    script(fake, ['completed'], answered('x'));
    const line = JSON.stringify({ custom_id: 'x', method: 'POST', url: '/v4/chat/completions', body: body('rain') });
    expect((await modelsvc(['batches', 'run', '-', '-O', out], { stdin: `\n${line}\n\n` })).code).toBe(0);
  });

  it('a lost reply to the creation is not retried', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('batch.create', faults.halfHeader());
    expect((await modelsvc(['batches', 'run', path, '-O', out])).code).not.toBe(0);
    expect(operations(fake, 'batch.create')).toBe(1);
  });

  it('--dry-run prints the upload, and leaves no state', async () => {
    const { fake, modelsvc } = await withFake();
    const { stdout, code } = await modelsvc(['batches', 'run', path, '-O', out, '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', url: `${fake.url}/files` });
    expect(fake.requests).toHaveLength(0);
    expect(await readdir(folder)).toEqual(['requests.jsonl']);
  });

  it('Ctrl-C leaves the batch, and prints how to resume', async () => {
    const { fake, modelsvc } = await withFake();
    script(fake, ['in_progress']);
    expect(
      await modelsvc(['batches', 'run', path, '-O', out, '--interval', '100ms'], {
        onStart: async (child) => {
          await expect.poll(() => operations(fake, 'batch.retrieve')).toBeGreaterThan(1);
          child.kill('SIGINT');
        },
      }),
    ).toMatchObject(ends(130, `\nResume with: modelsvc batches run ${path} -O ${out} --resume batch_1 --base-url ${fake.url}\n`));
    expect(operations(fake, 'batch.cancel')).toBe(0);
  });

  it.each([
    ['[1]', 'line 1 is not an object'],
    ['{"custom_id":"1","model":"glm-5.1"}', 'line 1 has no object "body"'],
    ['{"custom_id":1,"body":{}}', 'line 1 has a "custom_id" that is not a string'],
    ['{"url":"/v4/embeddings","body":{}}', 'line 1 must have the "url" /v4/chat/completions'],
    [' \n \n', 'contains no requests'],
    ['', 'is empty'],
  ])('the input %j is refused', async (text, problem) => {
    const { fake, modelsvc } = await withFake();
    await writeFile(path, text);
    const { stderr, code } = await modelsvc(['batches', 'run', path, '-O', out]);
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toContain(problem);
    expect(fake.requests).toHaveLength(0);
  });

  it('--no-wait starts it with its options, and --resume waits for it', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'batch', id: 'batch_1' });
    const args = ['batches', 'run', path, '-O', out];
    const started = await modelsvc([...args, '--metadata', 'project=reviews', '--keep-input', '--no-wait']);
    expect(started).toMatchObject({ stdout: 'batch_1\n', code: 0 });
    expect(operations(fake, 'batch.retrieve')).toBe(0);
    expect(await modelsvc([...args, '--interval', '100ms', '--resume', 'batch_1'])).toMatchObject({
      stdout: `${out}: 2 of 2 requests succeeded\n`,
      code: 0,
    });
    expect(operations(fake, 'files.upload')).toBe(1);
    expect(fake.requests.find(({ operation }) => operation === 'batch.create')?.body).toMatchObject({
      completion_window: '24h',
      metadata: { project: 'reviews' },
      auto_delete_input_file: false,
    });
    expect(await modelsvc([...args, '--metadata', 'nothing'])).toMatchObject({ code: 2 });
  });
});

describe('batches', () => {
  it('list, get, wait and cancel show batches', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['batches', 'list'])).stdout).toMatch(/^batch_\d+\t\w+\t\d+\t\d+\t\d+\t[\d-]+ [\d:]+Z$/m);
    expect(JSON.parse((await modelsvc(['batches', 'list', '--limit', '1', '--json'])).stdout)).toMatchObject([{ object: 'batch' }]);
    expect((await modelsvc(['jobs', 'result', 'batch_1943517204867710976'])).stdout).toMatch(/^status: completed$/m);
    fake.task({
      kind: 'batch',
      id: 'batch_2',
      states: ['in_progress', 'completed'],
      result: { request_counts: { total: 3, completed: 2, failed: 1 } },
    });
    expect(await modelsvc(['jobs', 'wait', 'batch_2', '--interval', '100ms'])).toEqual(prints('completed, 2 of 3, 1 failed\n', 8));
    expect((await modelsvc(['batches', 'cancel', 'batch_2'])).code).toBe(0);
  });

  it('results joins the files of a batch, and refuses a batch without any', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'batch', id: 'batch_1', states: ['completed'], result: { output_file_id: 'o', error_file_id: 'e' } });
    fake.answer('files.content', { body: '{"custom_id":"a"}' }, { body: '{"custom_id":"b"}\n' });
    expect(await modelsvc(['batches', 'results', 'batch_1', '-O', out])).toEqual({ stdout: `${out}\n`, stderr: '', code: 8 });
    expect(linesOf(await readFile(out, 'utf8'))).toEqual([{ custom_id: 'a' }, { custom_id: 'b' }]);
    fake.task({ kind: 'batch', id: 'batch_2', states: ['in_progress'], result: { output_file_id: '', error_file_id: '' } });
    const early = await modelsvc(['batches', 'results', 'batch_2', '-O', '-']);
    expect(early).toMatchObject({ stdout: '', code: 1 });
    expect(early.stderr).toContain('the batch has no results: in_progress');
  });
});

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
