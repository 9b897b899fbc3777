import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newClient } from 'modelsvc';
import { faults } from 'modelsvc/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { withFake } from '../support/in-process.ts';

const picture = '/media/generated/20260711074512d7a09e3c.png';

describe('images', () => {
  it('create prints the link, and the reply of the service as JSON', async () => {
    const { modelsvc } = await withFake();
    expect(await modelsvc(['images', 'create', 'a', 'cat', '--size', '1280x1280'])).toMatchObject({
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/media\/images\/\w+\.png\n$/),
      code: 0,
    });
    const { stdout } = await modelsvc(['images', 'create', '--json'], { stdin: 'a cat from a pipe' });
    expect(JSON.parse(stdout)).toMatchObject({ created: expect.any(Number), data: [{ url: expect.any(String) }] });
  });

  it('create --async prints the id, which result and wait take', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-1', states: ['PROCESSING', 'PROCESSING', 'SUCCESS'] });
    expect(await modelsvc(['images', 'create', 'a cat', '--async'])).toEqual({ stdout: 'job-1\n', stderr: '', code: 0 });
    expect(await modelsvc(['jobs', 'result', 'job-1'])).toEqual({ stdout: 'PROCESSING\n', stderr: '', code: 0 });
    expect(await modelsvc(['jobs', 'wait', 'job-1', '--interval', '100ms'])).toEqual({ stdout: `${fake.url}${picture}\n`, stderr: '', code: 0 });
  });

  it('create --wait polls until the job ends', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-1', states: ['PROCESSING', 'SUCCESS'] });
    const { stdout, stderr, code } = await modelsvc(['images', 'create', 'a cat', '--wait', '--interval', '100ms']);
    expect({ stdout, stderr, code }).toEqual({ stdout: `${fake.url}${picture}\n`, stderr: 'job job-1\n', code: 0 });
    expect(fake.requests.map(({ operation }) => operation)).toEqual(['images.generateAsync', 'client.getAsyncResult', 'client.getAsyncResult']);
  });

  it('-O with --async alone is refused, and so is an empty prompt', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['images', 'create', 'a cat', '--async', '-O', '.'])).code).toBe(2);
    const empty = await modelsvc(['images', 'create']);
    expect(empty).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^modelsvc: PROMPT is missing, and stdin is empty\nRun the command/),
      code: 2,
    });
    expect(fake.requests).toHaveLength(0);
  });
});

describe('videos', () => {
  it('create sends files as data URIs and prints the id', async () => {
    const { fake, modelsvc } = await withFake();
    const folder = await newFolder();
    const path = join(folder, 'a.png');
    const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    await writeFile(path, png);
    fake.task({ kind: 'video', id: 'job-2' });
    const args = ['videos', 'create', 'waves', '--image', path, '--image', 'https://example.com/b.png', '--duration', '5', '--with-audio'];
    expect(await modelsvc(args)).toEqual({ stdout: 'job-2\n', stderr: '', code: 0 });
    expect(fake.requests[0]?.body).toEqual({
      model: 'cogvideox-3',
      prompt: 'waves',
      image_url: [`data:image/png;base64,${png.toString('base64')}`, 'https://example.com/b.png'],
      duration: 5,
      with_audio: true,
    });
  });

  it('create -O waits and saves the video', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const result = { video_result: [{ url: storage.host('/v.mp4', { body: 'the video' }) }] };
    fake.task({ kind: 'video', states: ['PROCESSING', 'SUCCESS'], result });
    const path = join(await newFolder(), 'cat.mp4');
    expect(await modelsvc(['videos', 'create', 'a cat', '-O', path, '--interval', '100ms', '-q'])).toEqual({
      stdout: `${path}\n`,
      stderr: '',
      code: 0,
    });
    expect(await readFile(path, 'utf8')).toBe('the video');
  });
});

describe('wait and result', () => {
  it('print the answer of a chat job', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'chat', id: 'job-3', states: ['PROCESSING', 'SUCCESS'] });
    expect((await modelsvc(['jobs', 'wait', 'job-3', '--interval', '100ms'])).stdout).toBe('Hello! What can I do for you?\n');
    const { stdout } = await modelsvc(['jobs', 'result', 'job-3', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ task_status: 'SUCCESS', choices: [{ message: { role: 'assistant' } }] });
    const path = join(await newFolder(), 'answer.txt');
    await modelsvc(['jobs', 'wait', 'job-3', '-O', path]);
    expect(await readFile(path, 'utf8')).toBe('Hello! What can I do for you?');
  });

  it('a failed job is exit code 1 for both', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-4', states: ['FAIL'] });
    const waited = await modelsvc(['jobs', 'wait', 'job-4', '--json']);
    expect(waited).toMatchObject({ stdout: '', code: 1 });
    expect(JSON.parse(waited.stderr)).toMatchObject({ error: { kind: 'task', id: 'job-4', status: 'FAIL', exit_code: 1 } });
    expect(await modelsvc(['jobs', 'result', 'job-4'])).toEqual({ stdout: 'FAIL\n', stderr: '', code: 1 });
  });

  it('Ctrl-C leaves the job, and prints how to resume', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job 5', states: ['PROCESSING'] });
    const ended = await modelsvc(['jobs', 'wait', 'job 5', '--interval', '100ms', '--region', 'china'], {
      onStart: async (child) => {
        await expect.poll(() => fake.requests.length).toBeGreaterThan(1);
        child.kill('SIGINT');
      },
    });
    expect(ended).toEqual({ stdout: '', stderr: `\nResume with: modelsvc jobs wait 'job 5' --region china --base-url ${fake.url}\n`, code: 130 });
  });

  it('`jobs` takes the id of any kind of job', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-7', states: ['PROCESSING', 'PROCESSING', 'SUCCESS'] });
    fake.task({ kind: 'parser', id: 'doc-7', states: ['processing', 'succeeded'] });
    fake.task({ kind: 'agent', id: 'run-7', states: ['pending', 'success'] });
    fake.task({ kind: 'batch', id: 'batch_7', states: ['in_progress', 'completed'] });
    const wait = async (...ids: string[]) => modelsvc(['jobs', 'wait', ...ids, '--interval', '100ms']);
    expect(await wait('job-7')).toEqual({ stdout: `${fake.url}${picture}\n`, stderr: '', code: 0 });
    expect(await wait('doc-7')).toMatchObject({ stdout: '# Handbook\n\nWelcome to the team.\n', code: 0 });
    expect(await wait('doc_translation_agent', 'run-7')).toMatchObject({ stdout: expect.stringContaining('/media/'), code: 0 });
    expect(await wait('batch_7')).toMatchObject({ stdout: expect.stringMatching(/^completed/) });
    await modelsvc(['jobs', 'result', 'doc-7', '--format', 'link']);
    expect(fake.requests.at(-1)?.path).toMatch(/doc-7\/download_link$/);
    expect(await modelsvc(['jobs', 'wait', 'batch_7', '-O', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('batches results batch_7 -O FILE'),
    });
  });

  it.each(['image', 'chat', 'video', 'parser', 'batch'] as const)('`jobs` takes the id that the fake gives a task of kind %s', async (kind) => {
    const { fake, modelsvc } = await withFake();
    const client = newClient(fake.configFor());
    onTestFinished(() => client.close());
    fake.task({ kind });
    const started = {
      image: () => client.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a cat' }),
      chat: () => client.chat().createAsync(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'hi' }] }),
      video: () => client.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'a cat' }),
      parser: () => client.fileParser().create(undefined, { file: new Uint8Array(3), filename: 'a.pdf', tool_type: 'lite', file_type: 'PDF' }),
      batch: () => client.batch().start(undefined, [{ body: { model: 'glm-5.3', messages: [{ role: 'user', content: 'hi' }] } }]),
    };
    const { id, task_id } = (await started[kind]()) as { readonly id?: string; readonly task_id?: string };
    const ended = await modelsvc(['jobs', 'wait', id ?? task_id ?? '', '--interval', '100ms']);
    expect(ended).toMatchObject({ stderr: '', code: 0 });
    expect(ended.stdout).not.toBe('');
  });

  it('`jobs` with an id that no group has ends with its name, whatever groups have been used', async () => {
    const { fake, modelsvc } = await withFake();
    for (const operation of ['client.getAsyncResult', 'fileParser.result', 'batch.retrieve'] as const)
      fake.answer(operation, { status: 404, body: {} }, { status: 404, body: {} });
    for (const command of ['wait', 'result'])
      expect(await modelsvc(['jobs', command, 'lost-7'])).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('no job, document or batch has the id lost-7'),
        code: 4,
      });
    expect(fake.requests).toHaveLength(6);
  });

  it('--max-wait and a broken connection print how to resume', async () => {
    const { fake, modelsvc } = await withFake();
    fake.task({ kind: 'image', id: 'job-6', states: ['PROCESSING'] });
    const over = await modelsvc(['jobs', 'wait', 'job-6', '--interval', '100ms', '--max-wait', '300ms']);
    expect(over.code).toBe(1);
    expect(over.stderr).toContain(`Resume with: modelsvc jobs wait job-6 --base-url ${fake.url}\n`);
    // The poll that finds the kind of the job, and the first one of the wait.
    fake.answer('client.getAsyncResult', faults.resetBeforeHeaders(), faults.resetBeforeHeaders());
    const broken = await modelsvc(['jobs', 'wait', 'job-6', '--retries', '0']);
    expect(broken.code).toBe(7);
    expect(broken.stderr).toContain(`Resume with: modelsvc jobs wait job-6 --base-url ${fake.url}\n`);
  });
});
