import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { ends, fails, prints, withFake } from '../support/in-process.ts';

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

  it('-O with --async alone is refused, and so is an empty prompt', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['images', 'create', 'a cat', '--async', '-O', '.'])).code).toBe(2);
    const empty = await modelsvc(['images', 'create']);
    expect(empty).toMatchObject(fails(2, /^modelsvc: PROMPT is missing, and stdin is empty\nPass it as an argument/));
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
    expect(await modelsvc(['videos', 'create', 'a cat', '-O', path, '--interval', '100ms', '-q'])).toEqual(prints(`${path}\n`));
    expect(await readFile(path, 'utf8')).toBe('the video');
  });
});

describe('wait and result', () => {
  it.each([
    ['images create cat --async', { kind: 'image' }, /^http.*\/media\/generated\/\w+\.png\n$/],
    ['videos create cat', { kind: 'video' }, /^http.*\/media\/.*\n/],
    ['chat hi --async', { kind: 'chat' }, /^Hello! What can I do for you\?\n$/],
    ['parse create page.docx --tier prime', { kind: 'parser' }, /^# Handbook\n\nWelcome to the team\.\n$/],
    ['agents invoke doc_translation_agent --file-id f1', { kind: 'agent' }, /\/media\/translated\/report\.pdf\n$/],
    ['batches run requests.jsonl -O results.jsonl --no-wait', { kind: 'batch' }, /^completed/],
  ] as const)('%s prints an id, of which result prints the state, and wait the end', async (words, { kind }, end) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newFolder();
    await writeFile(join(cwd, 'page.docx'), 'PK');
    await writeFile(join(cwd, 'requests.jsonl'), '{"body":{"model":"glm-5.1","messages":[{"role":"user","content":"hi"}]}}\n');
    const running = { image: 'PROCESSING', video: 'PROCESSING', chat: 'PROCESSING', parser: 'processing', agent: 'pending', batch: 'in_progress' }[
      kind
    ];
    fake.task({ kind, states: [running, running, { parser: 'succeeded', agent: 'success', batch: 'completed' }[kind as string] ?? 'SUCCESS'] });
    const started = await modelsvc(words.split(' '), { cwd });
    expect(started).toMatchObject({ stdout: expect.stringMatching(/^\S+\n$/) as string, code: 0 });
    const id = [...(kind === 'agent' ? ['doc_translation_agent'] : []), started.stdout.trim()];
    const early = await modelsvc(['jobs', 'result', ...id]);
    expect(early.stdout + early.stderr).toContain(running);
    expect(await modelsvc(['jobs', 'wait', ...id, '--interval', '100ms'])).toEqual(prints(expect.stringMatching(end)));
  });

  it('are JSON, or the answer in a file; a job that has not ended has none', async () => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newFolder();
    fake.task({ kind: 'chat', id: 'job-3', states: ['SUCCESS'] });
    for (const command of ['result', 'wait'])
      expect(JSON.parse((await modelsvc(['jobs', command, 'job-3', '--json'])).stdout)).toMatchObject({
        task_status: 'SUCCESS',
        choices: [{ message: { role: 'assistant' } }],
      });
    await modelsvc(['jobs', 'wait', 'job-3', '-O', 'answer.txt'], { cwd });
    expect(await readFile(join(cwd, 'answer.txt'), 'utf8')).toBe('Hello! What can I do for you?');
    fake.task({ kind: 'parser', id: 'doc-7', states: ['processing', 'processing', 'succeeded'] });
    fake.task({ kind: 'image', id: 'job-7', states: ['processing'] });
    for (const id of ['doc-7', 'job-7'])
      expect(await modelsvc(['jobs', 'result', id, '-O', 'early'], { cwd })).toMatchObject(ends(1, 'the job has no result yet: processing'));
    await modelsvc(['jobs', 'result', 'doc-7', '--format', 'link']);
    expect(fake.requests.at(-1)?.path).toMatch(/doc-7\/download_link$/);
    fake.task({ kind: 'batch', id: 'batch_7', states: ['completed'] });
    expect(await modelsvc(['jobs', 'wait', 'batch_7', '-O', 'x'])).toMatchObject(ends(2, 'batches results batch_7 -O FILE'));
  });

  const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Metz",}' } };
  it.each<[name: string, choices: readonly object[], printed: string | RegExp, code: number]>([
    [
      'calls of tools',
      [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
      /^{"name":"weather","arguments":{"city":"Metz"}}\n$/,
      0,
    ],
    ['text and a call', [{ message: { content: 'I look.', tool_calls: [call] } }], /^I look\.\n\{"name":"weather".*\}\n$/, 0],
    ['parts of text', [{ message: { content: [{ text: 'a' }, null, { text: 'b' }] }, finish_reason: 'stop' }], 'ab\n', 0],
    [
      'the choice 0 behind another',
      [
        { index: 1, message: { content: 'b' } },
        { index: 0, message: { content: 'a' } },
      ],
      'a\n',
      0,
    ],
    ['a reason without its call', [{ message: { content: '' }, finish_reason: 'tool_calls' }], /./, 1],
    ['an empty answer', [{ message: { content: '' }, finish_reason: 'stop' }], /./, 1],
    ['a choice without a message', [{}], /"choices"/, 1],
  ])('the answer of a chat: %s', async (_, choices, printed, exit) => {
    const { fake, modelsvc } = await withFake();
    for (const id of ['job-8', 'job-9']) fake.task({ kind: 'chat', id, states: ['SUCCESS'], result: { choices } });
    for (const words of [
      ['result', 'job-8'],
      ['wait', 'job-9', '--interval', '100ms'],
    ]) {
      const { stdout, code } = await modelsvc(['jobs', ...words]);
      expect({ words, stdout, code }).toEqual({ words, stdout: typeof printed === 'string' ? printed : expect.stringMatching(printed), code: exit });
    }
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

  it('`jobs` with an id that no group has ends with its name, whatever groups have been used', async () => {
    const { fake, modelsvc } = await withFake();
    for (const operation of ['client.getAsyncResult', 'fileParser.result', 'batch.retrieve'] as const)
      fake.answer(operation, { status: 404, body: {} }, { status: 404, body: {} });
    for (const command of ['wait', 'result'])
      expect(await modelsvc(['jobs', command, 'lost-7'])).toMatchObject(fails(4, 'no job, document or batch has the id lost-7'));
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
