import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faults } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { newFolder, storageHost } from '../../support/storage.ts';
import { ends, withFake } from '../support/in-process.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

async function fileWith(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await newFolder(), name);
  await writeFile(path, content);
  return path;
}

const variables = { target_lang: 'zh-CN', n: 2, on: true, list: [1], x: 'a=b' };
const image = { type: 'image_url', image_url: 'https://example.com/a.png' };
const rows: readonly (readonly [words: string, stdout: string, body: object])[] = [
  [
    'audio transcribe call.wav --hotword Zhipu --hotword GLM',
    'Good morning everyone, let us begin with the open points from last week.\n',
    { model: 'glm-asr-2512', hotwords: ['Zhipu', 'GLM'], file: { name: 'call.wav' } },
  ],
  ['ocr handwriting a.jpg', 'Dear Anna\nthank you for the book\n', { file: { name: 'a.jpg' } }],
  ['parse sync a.txt', 'hello world\n', { tool_type: 'prime-sync', file_type: 'TXT' }],
  [
    `agents invoke general_translation Good morning --image ${image.image_url} --var target_lang=zh-CN --var n=2 --var on=true --var list=[1] --var x=a=b`,
    '你好\n',
    {
      agent_id: 'general_translation',
      messages: [{ role: 'user', content: [image, { type: 'text', text: 'Good morning' }] }],
      custom_variables: variables,
    },
  ],
];

it.each(rows)('%s: words, options and files are fields of the request, and the reply is text', async (words, stdout, body) => {
  const { fake, modelsvc } = await withFake();
  const cwd = await newFolder();
  for (const [name, text] of Object.entries({ 'call.wav': 'RIFF audio', 'a.jpg': 'JPG', 'a.txt': 'x' })) await writeFile(join(cwd, name), text);
  expect(await modelsvc(words.split(' '), { cwd })).toEqual({ code: 0, stdout, stderr: '' });
  expect(fake.requests).toMatchObject([{ body }]);
});

describe('audio', () => {
  it.each([
    [['audio', 'transcribe', '-'], 'ID3 sound', 'audio.mp3'],
    [['audio', 'transcribe', 'call.mp3'], 'RIFF....WAVE', 'call.wav'],
    [['audio', 'transcribe', 'call'], 'RIFF....WAVE', 'call.wav'],
    [['audio', 'transcribe', 'call.mp3'], 'sound without a signature', 'call.mp3'],
    [['voices', 'clone', 'anna', '-', '--text', 'hi'], 'ID3 sound', 'sample.mp3'],
    [['ocr', 'handwriting', '-'], png, 'image.png'],
    [['ocr', 'handwriting', '-'], 'an image without a signature', 'image.jpg'],
  ] as const)('%j: the name follows the first bytes of %j', async (args, content, name) => {
    const { fake, modelsvc } = await withFake();
    const cwd = await newFolder();
    for (const file of ['call', 'call.mp3']) await writeFile(join(cwd, file), content);
    expect(await modelsvc(args, { stdin: content, cwd })).toMatchObject({ code: 0 });
    expect(fake.requests[0]?.body).toMatchObject({ file: { name } });
  });

  it.each([
    [['audio', 'transcribe', '-'], '\x1a\x45\xdf\xa3webm', 'stdin must be a WAV or MP3 file; its first bytes look like video/webm'],
    [['audio', 'transcribe', '-'], 'only text', 'stdin must be a WAV or MP3 file'],
    [['audio', 'transcribe', 'call.mp3'], 'OggS', 'call.mp3 must be a WAV or MP3 file; its first bytes look like audio/ogg'],
    [['voices', 'clone', 'anna', 'call.wav', '--text', 'hi'], '....ftypM4A ', 'must be a WAV or MP3 file; its first bytes look like audio/mp4'],
  ] as const)('%j of %j is refused before an upload', async (args, content, problem) => {
    const { fake, modelsvc } = await withFake();
    const bytes = Buffer.from(content, 'latin1');
    const cwd = await newFolder();
    for (const file of ['call.wav', 'call.mp3']) await writeFile(join(cwd, file), bytes);
    expect(await modelsvc(args, { stdin: bytes, cwd })).toMatchObject(ends(2, problem));
    expect(fake.requests).toHaveLength(0);
  });

  it('speak into a file of another kind is refused, with both names', async () => {
    const { fake, modelsvc } = await withFake();
    const out = join(await newFolder(), 'story.mp3');
    const { stderr, code } = await modelsvc(['audio', 'speak', 'hi', '-O', out]);
    expect({ stderr, code }).toEqual({ stderr: `modelsvc: -O: ${out} would have WAV or PCM\nEnd the name in .wav or .pcm.\n`, code: 2 });
    expect(fake.requests).toHaveLength(0);
  });

  it('a clone that is refused names its stored sample, which --file-id takes without an upload', async () => {
    const { fake, modelsvc } = await withFake();
    fake.answer('voice.clone', faults.error(400, '1214'));
    const path = await fileWith('call.wav', 'RIFF....WAVE');
    const { stderr, code } = await modelsvc(['voices', 'clone', 'anna', path, '--text', 'hi']);
    const [, id = ''] = /--file-id (\S+)/.exec(stderr) ?? [];
    expect({ code, id }).toEqual({ code: expect.any(Number), id: expect.stringMatching(/^\S+$/) });
    expect(await modelsvc(['voices', 'clone', 'anna', '--file-id', id, '--text', 'hi'])).toMatchObject({ code: 0 });
    expect(fake.requests.map(({ operation }) => operation)).toEqual(['files.upload', 'voice.clone', 'voice.clone']);
    expect(fake.requests.at(-1)?.body).toMatchObject({ file_id: id });
    expect(await modelsvc(['voices', 'clone', 'anna', path, '--file-id', id, '--text', 'hi'])).toMatchObject({ code: 2 });
    expect(await modelsvc(['voices', 'clone', 'anna', '--text', 'hi'])).toMatchObject(ends(2, 'FILE is missing'));
  });

  it('transcribe --stream prints the pieces once, and events as JSON lines', async () => {
    const { fake, modelsvc } = await withFake();
    const path = await fileWith('call.wav', 'RIFF audio');
    const frames = [
      { type: 'transcript.text.delta', delta: 'Good ' },
      { type: 'transcript.text.delta', delta: 'morning' },
      { type: 'transcript.text.done', delta: 'Good morning' },
    ];
    fake.answer('audio.transcribe', { frames }, { frames });
    expect(await modelsvc(['audio', 'transcribe', path, '--stream'])).toEqual({ stdout: 'Good morning\n', stderr: '', code: 0 });
    const { stdout } = await modelsvc(['audio', 'transcribe', path, '--stream', '--json']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(frames);
  });

  it('speak saves speech in the format of the file name', async () => {
    const { fake, modelsvc } = await withFake();
    const folder = await newFolder();
    const path = join(folder, 'a.wav');
    expect(await modelsvc(['audio', 'speak', 'Hello', 'there', '-O', path])).toEqual({ stdout: `${path}\n`, stderr: '', code: 0 });
    expect(soundOf(await readFile(path))).toEqual({ format: 1, channels: 1, rate: 8000, bits: 16, samples: 800 });
    await modelsvc(['audio', 'speak', '-O', join(folder, 'a.pcm'), '--voice', 'jam', '--speed', '1.5'], { stdin: 'from a pipe\n' });
    expect(fake.requests.map(({ body }) => body)).toEqual([
      { model: 'glm-tts', input: 'Hello there', voice: 'tongtong', response_format: 'wav' },
      { model: 'glm-tts', input: 'from a pipe', voice: 'jam', response_format: 'pcm', speed: 1.5 },
    ]);
    expect((await modelsvc(['audio', 'speak', 'Hello', '-O', '-'])).stdout.startsWith('RIFF')).toBe(true);
    const bare = await modelsvc(['audio', 'speak', 'Hello']);
    expect(bare).toMatchObject({ stdout: '', code: 2 });
    expect(bare.stderr).toContain('-O is missing');
  });
});

/** The header of a WAV file, whose lengths must fit the file. */
function soundOf(file: Buffer): object {
  expect([file.toString('latin1', 0, 4), file.readUInt32LE(4), file.toString('latin1', 8, 16)]).toEqual(['RIFF', file.length - 8, 'WAVEfmt ']);
  expect([file.readUInt32LE(16), file.toString('latin1', 36, 40), file.readUInt32LE(40)]).toEqual([16, 'data', file.length - 44]);
  const [format, channels, bytes, bits] = [file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt16LE(32), file.readUInt16LE(34)];
  return { format, channels, rate: file.readUInt32LE(24), bits, samples: (file.length - 44) / bytes };
}

describe('voices', () => {
  it('list, clone and delete', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['voices', 'list', '--type', 'official'])).stdout).toMatch(/^cd550321\S+\ttongtong\tofficial\t2025-09-08 18:23:10$/m);
    expect(fake.requests[0]?.parameters).toEqual({ voiceType: 'OFFICIAL' });
    const sample = await fileWith('sample.wav', 'RIFF audio');
    expect((await modelsvc(['voices', 'clone', 'anna', sample, '--text', 'Hello.'])).stdout).toBe('voice_clone_20260711_101201_narrator\n');
    expect(fake.requests[1]?.body).toMatchObject({ purpose: 'voice-clone-input', file: { name: 'sample.wav' } });
    expect(fake.requests[2]?.body).toEqual({ model: 'glm-tts-clone', voice_name: 'anna', input: 'Hello.', file_id: expect.any(String) });
    expect((await modelsvc(['voices', 'clone', 'anna', sample])).code).toBe(2);
    const voice = 'voice_clone_20260711_101201_narrator';
    expect((await modelsvc(['voices', 'delete', voice])).code).toBe(2);
    expect((await modelsvc(['voices', 'delete', voice, '-y'])).stdout).toBe(`deleted ${voice}\n`);
    expect((await modelsvc(['voices', 'delete', voice, '-y'])).stderr).toContain(`The voice ${voice} was not found.`);
  });
});

describe('ocr', () => {
  it('layout prints or saves the Markdown of a link or a file', async () => {
    const { fake, modelsvc } = await withFake();
    const link = 'https://example.com/a.pdf';
    expect((await modelsvc(['ocr', 'layout', link, '--pages', '2-5'])).stdout).toMatch(/^# Invoice/);
    const out = join(await newFolder(), 'out.md');
    const path = await fileWith('a.jpg', png);
    const { stdout } = await modelsvc(['ocr', 'layout', path, '--pages', '3', '-O', out, '--json', '-q']);
    expect(JSON.parse(stdout)).toMatchObject({ md_results: expect.stringMatching(/^# Invoice/) });
    expect(await readFile(out, 'utf8')).toMatch(/^# Invoice/);
    expect(fake.requests.map(({ body }) => body)).toEqual([
      { model: 'glm-ocr', file: link, start_page_id: 2, end_page_id: 5 },
      { model: 'glm-ocr', file: `data:image/png;base64,${png.toString('base64')}`, start_page_id: 3, end_page_id: 3 },
    ]);
  });

  it('layout takes the kinds that the service reads, by their first bytes, and refuses others before a request', async () => {
    const { fake, modelsvc } = await withFake();
    for (const [name, head, type] of [
      ['scan', '%PDF-1.7', 'application/pdf'],
      ['photo.png', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ] as const) {
      expect(await modelsvc(['ocr', 'layout', await fileWith(name, Buffer.from(head, 'latin1'))])).toMatchObject({ stderr: '', code: 0 });
      expect(fake.requests.at(-1)?.body).toMatchObject({ file: expect.stringMatching(`^data:${type};base64,`) });
    }
    const sent = fake.requests.length;
    expect(await modelsvc(['ocr', 'layout', await fileWith('a.png', 'RIFF....WEBP')])).toMatchObject(
      ends(2, /a\.png must be a PDF or PNG or JPG file; its first bytes look like image\/webp\nConvert the file\.\n$/),
    );
    expect(await modelsvc(['ocr', 'layout', await fileWith('notes.pdf', 'text')])).toMatchObject({ code: 2 });
    expect(fake.requests).toHaveLength(sent);
  });

  it.each(['0', '5-2', '1-', 'all'])('--pages %s is refused', async (pages) => {
    const { modelsvc } = await withFake();
    const { stderr, code } = await modelsvc(['ocr', 'layout', 'https://example.com/a.pdf', '--pages', pages]);
    expect({ code, line: stderr.split('\n')[0] }).toEqual({
      code: 2,
      line: `modelsvc: --pages must be a page or a range such as 2-5, not ${JSON.stringify(pages)}`,
    });
  });
});

describe('parse', () => {
  it('create -O waits and saves; --format link downloads the link', async () => {
    const { fake, modelsvc } = await withFake();
    const storage = await storageHost();
    const path = await fileWith('handbook.docx', 'PK');
    const folder = await newFolder();
    fake.task({ kind: 'parser', states: ['succeeded'] });
    await modelsvc(['parse', 'create', path, '--tier', 'prime', '-O', join(folder, 'a.md')]);
    expect(fake.requests[0]?.body).toMatchObject({ tool_type: 'prime', file_type: 'DOCX', file: { name: 'handbook.docx' } });
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('# Handbook\n\nWelcome to the team.');
    const link = storage.host('/r.zip', { body: 'a zip' });
    fake.task({ kind: 'parser', states: ['succeeded'], result: { content: null, parsing_result_url: link } });
    expect((await modelsvc(['parse', 'create', path, '--format', 'link', '-O', folder, '-q'])).stdout).toBe(`${join(folder, 'r.zip')}\n`);
    expect(await readFile(join(folder, 'r.zip'), 'utf8')).toBe('a zip');
  });
});

describe('agents', () => {
  it('invoke refuses variables without a value, and broken JSON', async () => {
    const { modelsvc } = await withFake();
    const invoke = (value: string) => modelsvc(['agents', 'invoke', 'general_translation', 'Hi', '--var', value]);
    expect((await invoke('nothing')).code).toBe(2);
    expect((await invoke('a=[1')).stderr).toContain('--var a looks like JSON but cannot be parsed');
  });

  it('invoke --stream prints the pieces', async () => {
    const { fake, modelsvc } = await withFake();
    const chunk = (text: string, more: object = {}): object => ({
      choices: [{ index: 0, messages: [{ role: 'assistant', content: text }], ...more }],
    });
    fake.answer('agents.invoke', { frames: [chunk('Ti'), chunk('des', { finish_reason: 'stop' }), 'data: [DONE]\n\n'] });
    expect(await modelsvc(['agents', 'invoke', 'slides_glm_agent', 'x', '--stream'])).toEqual({ stdout: 'Tides\n', stderr: '', code: 0 });
  });

  it('a run in the background is waited for, and a conversation has its history', async () => {
    const { fake, modelsvc } = await withFake();
    expect((await modelsvc(['agents', 'history', 'slides_glm_agent', 'conv_5b0e7c21d9f34a86', '--var', 'include_pdf=true'])).stdout).toContain(
      '/media/slides/1.png\n',
    );
    fake.task({ kind: 'agent', id: 'run-2', states: ['pending', 'success'] });
    const waited = await modelsvc(['agents', 'invoke', 'doc_translation_agent', 'x', '--wait', '--interval', '100ms', '--json']);
    expect(JSON.parse(waited.stdout)).toMatchObject({ async_id: 'run-2', status: 'success' });
  });
});
