import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test as it } from '../support/fixture.ts';
import { builtExamples, emptyFolder, ended, outcome } from './run.ts';

const start = builtExamples();

describe('batch', () => {
  const line = (city: string): string =>
    JSON.stringify({
      custom_id: city,
      response: { status_code: 200, body: { choices: [{ index: 0, message: { content: `${city} is a city.` } }] } },
    });
  const failedLine = JSON.stringify({ custom_id: 'Nice', response: { status_code: 400, body: { error: { code: '1301', message: 'no' } } } });

  it('survives a kill: the next run continues with the same batch', async ({ fake }) => {
    const cwd = await emptyFolder();
    let killed = false;
    const batch = {
      id: 'batch_7',
      object: 'batch',
      endpoint: '/v4/chat/completions',
      input_file_id: 'input_7',
      request_counts: { total: 3, completed: 1, failed: 0 },
    };
    fake.fallback('batch.create', { body: { ...batch, status: 'validating' } });
    fake.fallback('batch.retrieve', () => ({
      body: { ...batch, ...(killed ? { status: 'completed', output_file_id: 'output_7' } : { status: 'in_progress' }) },
    }));
    fake.fallback('files.content', { body: `${line('Lyon')}\n${line('Paris')}\n${failedLine}\n` });

    const first = start('batch', fake, { cwd });
    await first.shows('batch_7 is in_progress, 1 of 3 done\n');
    first.child.kill('SIGKILL');
    expect(await first.end).toBe('SIGKILL');
    expect(await readFile(join(cwd, 'batch.state'), 'utf8')).toBe('batch_7');

    killed = true;
    const lines = ['continue with batch_7', 'batch_7 is completed', 'Paris: Paris is a city.', 'Lyon: Lyon is a city.', 'Nice: failed, ApiError'];
    expect(await outcome(start('batch', fake, { cwd }))).toEqual(ended(`${lines.join('\n')}\n`));
    expect(fake.requests.filter(({ operation }) => operation === 'batch.create')).toHaveLength(1);
    expect(existsSync(join(cwd, 'batch.state'))).toBe(false);
  });
});

describe('video', () => {
  it('prints the progress of the job, and downloads its file', async ({ fake }) => {
    const cwd = await emptyFolder();
    fake.task({ kind: 'video', result: { video_result: [{ url: fake.host('/b.mp4', { body: 'a video' }) }] } });
    expect(await outcome(start('video', fake, { cwd }))).toEqual(ended('PROCESSING\nvideo.mp4: 7 bytes\n'));
    expect(readFileSync(join(cwd, 'video.mp4'), 'utf8')).toBe('a video');
  });

  it('reports a failed job', async ({ fake }) => {
    fake.task({ kind: 'video', states: ['FAIL'] });
    expect(await outcome(start('video', fake, { cwd: await emptyFolder() }))).toEqual(ended('FAIL\n', 1));
  });
});

it('tokens-cost-quota prints tokens, cost and the windows of the plan', async ({ fake }) => {
  fake.answer('tools.tokenize', { body: { id: '1', usage: { prompt_tokens: 11, total_tokens: 11 } } });
  fake.chat.reply({ text: 'Rain.', usage: { input: 1000, output: 100 } });
  const limits = [
    { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 42, nextResetTime: Date.UTC(2030, 0, 2, 3, 4, 5) },
    { type: 'TIME_LIMIT', unit: 5, number: 1 },
  ];
  fake.answer('quota.getLimit', { body: { code: 200, success: true, data: { limits } } });
  const lines = [
    'prompt: 11 tokens',
    'call: 1100 tokens, $0.001840',
    'all model calls: 1000 input tokens, 100 output tokens',
    'five-hour: 42 % used, resets at 2030-01-02T03:04:05.000Z',
    'monthly-tools: unknown use, not started',
  ];
  expect(await outcome(start('tokens-cost-quota', fake))).toEqual(ended(`${lines.join('\n')}\n`));
});

it('fake-service.test passes, without a service', async () => {
  const { code, stdout, stderr } = await outcome(start('fake-service.test', 'http://127.0.0.1:9', { flags: ['--test-reporter=tap'] }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^(not )?ok .*$/gm)).toEqual([
    'ok 1 - sends the text and returns the summary',
    'ok 2 - survives two failures of the server',
    'ok 3 - reports a used-up quota without a retry',
    'ok 4 - notices a stream that is cut off',
  ]);
});
