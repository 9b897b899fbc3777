import { describe, expect, it } from 'vitest';
import { type Client, type Config, isModelsvcError, newClient, responseInfo, speechBytes } from '../../src/overlay/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { collect, configAt, failureOf, mockClient, preferring, testKey } from '../support/spec.ts';
import { payloads, replyExamples, requestExamples } from '../support/spec-examples.ts';
import { violations } from '../support/spec-schemas.ts';

const transports: [string, Partial<Config>][] = [
  ['node', {}],
  ['fetch', { httpClient: (url, init) => fetch(url, init) }],
];

describe.each(transports)('over %s', (_transport, config) => {
  it('transcribes, also where the host answers in the form of a completion', async () => {
    const reply = { id: 't', choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' } }] };
    const { url } = await answeringServer(() => ({ body: reply }));
    const { text } = await newClient({ ...configAt(url), ...config })
      .audio()
      .transcribe(undefined, { model: 'glm-asr-2512', file: new Blob(['RIFF']) });
    expect(text).toBe('Good morning.');
  });

  it('speaks: audio as bytes, with what is known of the exchange', async () => {
    for (const [, request] of requestExamples('audio.speech').filter(([name]) => name !== 'stream')) {
      const reply = await mockClient(config)
        .audio()
        .speech(undefined, request as never);
      expect(reply.contentType).toBe('audio/wav');
      expect(responseInfo(reply)?.status).toBe(200);
      expect(await reply.text()).toBe('RIFF audio bytes');
    }
  });

  it('speaks in pieces', async () => {
    const request = requestExamples('audio.speech').find(([name]) => name === 'stream')?.[1] as never;
    const [name, text] = replyExamples('audio.speech', 'text/event-stream')[0] as [string, string];
    const { items, error } = await collect(mockClient(config).audio().speechStream(preferring(name), request));
    expect(error).toBeUndefined();
    expect(items).toEqual(payloads(text));
    for (const item of items) expect(violations('audio.speech', '200', 'text/event-stream', item)).toEqual([]);
    const audio = await collect(speechBytes(mockClient(config).audio().speechStream(preferring(name), request)));
    expect(Buffer.concat(audio.items).toString('hex')).toBe('00000100020003000400030002000100');
  });

  it('writes down in pieces', async () => {
    const [name, text] = replyExamples('audio.transcribe', 'text/event-stream')[0] as [string, string];
    const stream = mockClient(config)
      .audio()
      .transcribeStream(preferring(name), { model: 'glm-asr-2512', file: new Blob(['RIFF']) });
    const { items, error } = await collect(stream);
    expect(error).toBeUndefined();
    expect(items).toEqual(payloads(text));
    for (const item of items) expect(violations('audio.transcribe', '200', 'text/event-stream', item)).toEqual([]);
  });

  it.each(replyExamples('files.content', 'application/octet-stream'))('downloads a file as it is: %s', async (name, text) => {
    const reply = await mockClient(config).files().content(preferring(name), '20260711_5b8c1f0e');
    expect(await reply.text()).toBe(text);
  });
});

describe('documented limits are refused before anything is sent', () => {
  // The vendor's own roots, without a network: a call that gets past its checks fails with a ConnectionError.
  const client = newClient({ apiKey: testKey, maxRetries: 0, httpClient: () => Promise.reject(new Error('sent')) });
  const MB = 1024 * 1024;
  const sized = (name: string, size: number) => ({ name, size, open: (): never => expect.unreachable('the file was opened') });

  it.each<[string, string, (client: Client) => unknown]>([
    ['a clip over 25 MB', 'file', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: sized('a.wav', 25 * MB + 1) })],
    ['no clip at all', 'file', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512' })],
    ['101 hotwords', 'hotwords', (c) => c.audio().transcribe(undefined, { model: 'm', file: new Uint8Array(1), hotwords: Array(101).fill('w') })],
    [
      'a transcription stream in the wrong method',
      'stream',
      (c) => c.audio().transcribe(undefined, { model: 'm', file: new Uint8Array(1), stream: true } as never),
    ],
    [
      'a speech stream in the wrong method',
      'stream',
      (c) => c.audio().speech(undefined, { model: 'm', input: 'x', voice: 'v', stream: true } as never),
    ],
    ['a batch over 100 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: sized('a.jsonl', 100 * MB + 1) })],
    ['a sample over 10 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'voice-clone-input', file: sized('a.mp3', 10 * MB + 1) })],
    ['a document over 20 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'agent', file: sized('a.pdf', 20 * MB + 1) })],
    ['a picture over 5 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'code-interpreter', file: sized('a.PNG', 5 * MB + 1) })],
    ['a kind by the given name', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: new Uint8Array(1), filename: 'a.txt' })],
    ['a path as text', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: './a.jsonl' as never })],
    ['no purpose', 'purpose', (c) => c.files().upload(undefined, { file: new Uint8Array(1) } as never)],
    ['a blank id', 'file_id', (c) => c.files().content(undefined, ' ')],
    [
      'a video frame over 5 MB',
      'image_url[1]',
      (c) => c.videos().generate(undefined, { model: 'cogvideox-3', image_url: ['https://example.com/a.png', 'A'.repeat(7 * MB)] }),
    ],
    [
      'a document the light engine does not take',
      'file_type',
      (c) => c.fileParser().create(undefined, { file: new Uint8Array(1), tool_type: 'lite', file_type: 'HTML' }),
    ],
    ['a request that is not one', '', (c) => c.files().upload(undefined, undefined as never)],
  ])('%s', async (_what, path, call) => {
    const error = await failureOf(() => call(client));
    if (!isModelsvcError(error, 'validation')) throw error;
    expect(error.path).toBe(path);
  });

  it('undocumented values pass the checks', async () => {
    const calls: (() => unknown)[] = [
      () => client.files().upload(undefined, { purpose: 'user_data', file: new Uint8Array(1), filename: 'a.xyz' }),
      () => client.files().upload(undefined, { purpose: 'constructor', file: new Uint8Array(1) }),
      () => client.layout().parse(undefined, { model: 'glm-ocr', file: `JVBERi0${'A'.repeat(14 * MB)}` }),
      () => client.layout().parse(undefined, { model: 'glm-ocr', file: `https://example.com/${'a'.repeat(14 * MB)}` }),
    ];
    for (const call of calls) expect(isModelsvcError(await failureOf(call), 'validation')).toBe(false);
  });
});
