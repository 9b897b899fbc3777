import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeFile, type FakeRequest, faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../support/storage.ts';
import { prints, withFake } from '../support/in-process.ts';

const uploaded = (id: string): { body: object } => ({ body: { id, object: 'file', bytes: 2, filename: `${id}.jsonl`, purpose: 'batch' } });

describe('files', () => {
  it('list prints the files of a purpose, all pages of them', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer(
      'files.list',
      { body: { data: [{ id: 'a', filename: 'a.jsonl', bytes: 114, created_at: 1783733412 }], has_more: true } },
      { body: { data: [{ id: 'b', fileName: 'b.jsonl', created_at: 1783733412000 }], has_more: false } },
    );
    const { stdout } = await modelsvc(['files', 'list', '--purpose', 'agent']);
    expect(stdout).toBe('a\ta.jsonl\t114\t2026-07-11 01:30:12Z\nb\tb.jsonl\t\t2026-07-11 01:30:12Z\n');
    expect(fake.requests.map(({ parameters }) => parameters)).toEqual([{ purpose: 'agent' }, { purpose: 'agent', after: 'a' }]);
    expect(JSON.parse((await modelsvc(['files', 'list', '--json', '--limit', '1'])).stdout)).toMatchObject([{ object: 'file', purpose: 'batch' }]);
    expect((await modelsvc(['files', 'list', '--limit', '0'])).code).toBe(2);
  });

  it('upload sends the bytes and the name, and prints the id', async () => {
    const { fake, modelsvc } = await withFake();
    const path = join(await newFolder(), 'requests.jsonl');
    await writeFile(path, '{}\n');
    fake.answer('files.upload', uploaded('f1'));
    expect(await modelsvc(['files', 'upload', path])).toEqual({ stdout: 'f1\n', stderr: '', code: 0 });
    const [sent] = fake.requests;
    const { file, purpose } = (sent as FakeRequest).body as { file: FakeFile; purpose: string };
    expect({ purpose, name: file.name, text: Buffer.from(file.bytes).toString() }).toEqual({
      purpose: 'batch',
      name: 'requests.jsonl',
      text: '{}\n',
    });
    const { stdout } = await modelsvc(['files', 'upload', '-', '--name', 'x.jsonl', '--json'], { stdin: '{}' });
    expect(JSON.parse(stdout)).toMatchObject([{ object: 'file' }]);
    expect(fake.requests[1]?.body).toMatchObject({ file: { name: 'x.jsonl' } });
  });

  it('upload of several continues after a failure, with exit code 8', async () => {
    const { fake, modelsvc } = await withFake();
    const folder = await newFolder();
    for (const name of ['a', 'b', 'c']) await writeFile(join(folder, `${name}.jsonl`), '{}');
    fake.answer('files.upload', uploaded('f1'), faults.error(400, '1214', 'Bad file.'), uploaded('f3'));
    const { stdout, stderr, code } = await modelsvc(['files', 'upload', 'a.jsonl', 'b.jsonl', 'c.jsonl'], { cwd: folder });
    expect({ stdout, code }).toEqual({ stdout: 'f1\ta.jsonl\nf3\tc.jsonl\n', code: 8 });
    expect(stderr).toMatch(/^modelsvc: b\.jsonl: .*Bad file.*\n$/);
  });

  it('download saves a file', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('files.content', { body: 'line\n' }, { body: 'line\n' });
    const folder = await newFolder();
    const { stdout } = await modelsvc(['files', 'download', 'file-1', '-O', folder, '--json']);
    expect(JSON.parse(stdout)).toEqual({ path: join(folder, 'file-1'), content_type: expect.any(String) });
    expect(await readFile(join(folder, 'file-1'), 'utf8')).toBe('line\n');
    expect((await modelsvc(['files', 'download', 'file-1', '-O', '-'])).stdout).toBe('line\n');
    expect((await modelsvc(['files', 'download', 'file-1'])).code).toBe(2);
  });

  it('download leaves no file when the connection breaks', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('files.content', { ...faults.resetMidBody(500), reply: { body: new Uint8Array(1000) } });
    const folder = await newFolder();
    expect((await modelsvc(['files', 'download', 'file-1', '-O', join(folder, 'x')])).code).toBe(7);
    expect(await readdir(folder)).toEqual([]);
  });

  it('delete needs --yes without a terminal', async () => {
    const { fake, modelsvc } = await withFake();
    expect(await modelsvc(['files', 'delete', 'a', 'b'])).toEqual(prints('', 2, 'modelsvc: Delete 2 files?\nConfirm with --yes.\n'));
    expect(fake.requests).toHaveLength(0);
    fake.fallback('files.delete', { example: 'deleted' });
    expect(await modelsvc(['files', 'delete', 'a', 'b', '--yes'])).toEqual({ stdout: 'deleted a\ndeleted b\n', stderr: '', code: 0 });
    expect(fake.requests.map(({ parameters }) => parameters['file_id'])).toEqual(['a', 'b']);
  });
});

describe('a file argument', () => {
  it.each([
    [['files', 'upload', 'good.jsonl', 'no.jsonl'], 'no.jsonl does not exist in FOLDER'],
    [['files', 'upload', 'dir'], 'dir is a directory'],
    [['files', 'upload', 'empty.jsonl'], 'empty.jsonl is empty'],
    [['files', 'upload', '-'], 'stdin is empty'],
    [['audio', 'transcribe', 'no.wav'], 'no.wav does not exist in FOLDER'],
    [['audio', 'transcribe', '-'], 'stdin is empty'],
    [['ocr', 'layout', 'dir'], 'dir is a directory'],
    [['ocr', 'handwriting', 'empty.jsonl'], 'empty.jsonl is empty'],
    [['parse', 'sync', 'no.pdf'], 'no.pdf does not exist in FOLDER'],
    [['parse', 'create', 'good'], 'the kind of good is unknown'],
    [['videos', 'create', '--image', 'no.png'], 'no.png does not exist in FOLDER'],
    [['videos', 'create', '--image', 'good.jsonl'], 'good.jsonl must be a PNG or JPG or WEBP file'],
    [['voices', 'clone', 'anna', 'no.wav', '--text', 'x'], 'no.wav does not exist in FOLDER'],
    [['batches', 'run', 'dir', '-O', 'out.jsonl'], 'dir is a directory'],
    [['batches', 'run', 'no.jsonl', '-O', 'out.jsonl'], 'no.jsonl does not exist in FOLDER'],
  ])('%j is refused in one line with exit code 2', async (args, problem) => {
    const { fake, modelsvc } = await withFake();
    const folder = await newFolder();
    await mkdir(join(folder, 'dir'));
    await writeFile(join(folder, 'good.jsonl'), '{}');
    await writeFile(join(folder, 'good'), 'x');
    await writeFile(join(folder, 'empty.jsonl'), '');
    const { stdout, stderr, code } = await modelsvc(args, { cwd: folder });
    expect({ stdout, code, line: stderr.split('\n')[0]?.replace(folder, 'FOLDER') }).toEqual({ stdout: '', code: 2, line: `modelsvc: ${problem}` });
    expect(fake.requests).toHaveLength(0);
  });
});
