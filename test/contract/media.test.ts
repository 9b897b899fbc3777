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

describe('a failure inside status 200', () => {
  it('of a parser job is a TaskError for a wait', async () => {
    const parser = mockClient().fileParser();
    const error = await failureOf(() => parser.wait(preferring('failed'), 'task-1', 'text'));
    if (!isModelsvcError(error, 'task')) throw error;
    expect([error.operation, error.id, error.status]).toEqual(['fileParser.wait', 'task-1', 'failed']);
  });
});

describe('fileParser.wait', () => {
  it('polls while the job runs or says what nobody knows, and gives the last reply', async () => {
    const states = ['processing', 'queueing', 'succeeded'];
    const api = await answeringServer((_asked, index) => ({ body: { status: states[index], message: 'ok', task_id: 't/1', content: 'text' } }));
    const seen: unknown[] = [];
    const onState = (state: { status?: string }): number => seen.push(state.status);
    const result = await newClient(configAt(api.url)).fileParser().wait(undefined, 't/1', 'text', { interval: 100, onState });
    expect(result.content).toBe('text');
    expect(seen).toEqual(['processing', 'queueing']);
    expect(api.asked.map((one) => one.path)).toEqual(Array(3).fill('/files/parser/result/t%2F1/text'));
  });
});

describe('files.listAll', () => {
  const page = (ids: string[], has_more: boolean): object => ({ object: 'list', data: ids.map((id) => ({ id })), has_more });

  it('walks the pages by the id of the last file', async () => {
    const pages = [page(['a', 'b'], true), page(['c'], false)];
    const api = await answeringServer((_asked, index) => ({ body: pages[index] }));
    const { items } = await collect(newClient(configAt(api.url)).files().listAll(undefined, { purpose: 'batch', limit: 2 }));
    expect(items.map((file) => file.id)).toEqual(['a', 'b', 'c']);
    expect(api.asked.map((one) => one.path)).toEqual(['/files?purpose=batch&limit=2', '/files?purpose=batch&limit=2&after=b']);
  });

  it('asks for no page that the caller does not reach', async () => {
    const api = await answeringServer(() => ({ body: page(['a', 'b'], true) }));
    for await (const file of newClient(configAt(api.url)).files().listAll(undefined, { purpose: 'batch' })) if (file.id === 'a') break;
    expect(api.asked).toHaveLength(1);
  });

  it('ends with an error where a service that ignores the cursor promises more for ever', async () => {
    const api = await answeringServer(() => ({ body: page(['a'], true) }));
    const { items, error } = await collect(newClient(configAt(api.url)).files().listAll(undefined, { purpose: 'batch' }));
    expect(api.asked).toHaveLength(2);
    expect(items).toHaveLength(2);
    expect(error).toMatchObject({ kind: 'reply', problem: 'malformed', message: expect.stringContaining('pagination did not advance') });
    const empty = await answeringServer(() => ({ body: page([], true) }));
    const none = await collect(newClient(configAt(empty.url)).files().listAll(undefined, { purpose: 'batch' }));
    expect(none).toMatchObject({ items: [], error: { kind: 'reply', problem: 'malformed' } });
    expect(empty.asked).toHaveLength(1);
  });
});

describe('documented limits are refused before anything is sent', () => {
  // The vendor's own roots, without a network: a call that gets past its checks fails with a ConnectionError.
  const client = newClient({ apiKey: testKey, maxRetries: 0, httpClient: () => Promise.reject(new Error('sent')) });
  const MB = 1024 * 1024;
  const sized = (name: string, size: number) => ({ name, size, open: (): never => expect.unreachable('the file was opened') });

  it.each<[string, string, (client: Client) => unknown]>([
    ['a clip over 25 MB', 'file', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: sized('a.wav', 25 * MB + 1) })],
    ['a clip of another kind', 'file', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file: sized('a.flac', 1) })],
    ['base64 over 25 MB', 'file_base64', (c) => c.audio().transcribe(undefined, { model: 'glm-asr-2512', file_base64: 'A'.repeat(35 * MB) })],
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
    ['a batch that is no jsonl', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: sized('a.csv', 1) })],
    ['a sample over 10 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'voice-clone-input', file: sized('a.mp3', 10 * MB + 1) })],
    ['a document over 20 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'agent', file: sized('a.pdf', 20 * MB + 1) })],
    ['a picture over 5 MB', 'file', (c) => c.files().upload(undefined, { purpose: 'code-interpreter', file: sized('a.PNG', 5 * MB + 1) })],
    ['a kind by the given name', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: new Uint8Array(1), filename: 'a.txt' })],
    ['a path as text', 'file', (c) => c.files().upload(undefined, { purpose: 'batch', file: './a.jsonl' as never })],
    ['no purpose', 'purpose', (c) => c.files().upload(undefined, { file: new Uint8Array(1) } as never)],
    ['a blank id', 'file_id', (c) => c.files().content(undefined, ' ')],
    ['a picture over 10 MB in base64', 'file', (c) => c.layout().parse(undefined, { model: 'glm-ocr', file: 'A'.repeat(14 * MB) })],
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
    ['a request that is none', '', (c) => c.files().upload(undefined, undefined as never)],
  ])('%s', async (_what, path, call) => {
    const error = await failureOf(() => call(client));
    if (!isModelsvcError(error, 'validation')) throw error;
    expect(error.path).toBe(path);
  });

  it('what nobody documents passes the checks', async () => {
    const calls: (() => unknown)[] = [
      () => client.files().upload(undefined, { purpose: 'user_data', file: new Uint8Array(1), filename: 'a.xyz' }),
      () => client.files().upload(undefined, { purpose: 'constructor', file: new Uint8Array(1) }),
      () => client.layout().parse(undefined, { model: 'glm-ocr', file: `JVBERi0${'A'.repeat(14 * MB)}` }),
      () => client.layout().parse(undefined, { model: 'glm-ocr', file: `https://example.com/${'a'.repeat(14 * MB)}` }),
    ];
    for (const call of calls) expect(isModelsvcError(await failureOf(call), 'validation')).toBe(false);
  });
});
