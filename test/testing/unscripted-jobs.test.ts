// Ids and links of a fake without a script: it refuses ids that it did not give, and serves results that its replies link to.
import { describe, expect } from 'vitest';
import { examples } from '../../src/generated/examples.ts';
import { isApiError, newClient, RegionChina } from '../../src/overlay/index.ts';
import { fakeKey, startFakeService } from '../../src/testing/index.ts';
import { failure } from '../support/failure.ts';
import { test as it } from '../support/fixture.ts';

const headers = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' };
const batch = { input_file_id: 'nobody', endpoint: '/v4/chat/completions', completion_window: '24h' };

describe('an unknown id', () => {
  it.for<[method: string, path: string, status: number, code: string, body?: object]>([
    ['GET', '/async-result/nobody', 400, '1233'],
    ['GET', '/files/parser/result/nobody/text', 400, '1233'],
    ['GET', '/batches/nobody', 400, '1233'],
    ['POST', '/batches/nobody/cancel', 400, '1233'],
    ['POST', '/batches', 400, '1214', batch],
    ['GET', '/files/nobody/content', 400, '1214'],
    ['DELETE', '/files/nobody', 400, '1214'],
    ['POST', '/voice/clone', 400, '1214', { model: 'glm-tts-clone', voice_name: 'a', input: 'b', file_id: 'nobody' }],
    ['POST', '/voice/delete', 400, '1214', { voice: 'nobody' }],
    ['POST', '/v1/agents/async-result', 200, '400', { agent_id: 'general_translation', async_id: 'nobody' }],
    ['POST', '/v1/agents/conversation', 400, '1214', { agent_id: 'slides_glm_agent', conversation_id: 'nobody' }],
    ['GET', '/responses/nobody', 404, 'invalid_request'],
    ['GET', '/responses/nobody/input_items', 404, 'invalid_request'],
    ['DELETE', '/responses/nobody', 404, 'invalid_request'],
  ])('%s %s is refused with %d and %s', async ([method, path, status, code, body], { fake }) => {
    const reply = await fetch(fake.url + path, { method, headers, body: body ? JSON.stringify(body) : null });
    expect([reply.status, await reply.json()]).toMatchObject([status, { error: { code, message: expect.stringContaining('nobody was not found') } }]);
    expect(fake.refusals).toHaveLength(1);
  });

  it('is accepted by a fake without checks', async () => {
    await using fake = Object.assign(await startFakeService({ validate: false }), { [Symbol.asyncDispose]: () => fake.close() });
    const client = newClient(fake.configFor());
    expect(await client.getAsyncResult(undefined, 'nobody')).toMatchObject({ task_status: 'SUCCESS' });
    expect(await client.batch().retrieve(undefined, 'nobody')).toMatchObject({ id: 'nobody', status: 'completed' });
    expect((await client.responses().get(undefined, 'nobody')).status).toBe('completed');
  });

  it('is known from an example, from a scripted reply and from a scripted task, until a reset', async ({ fake, client }) => {
    fake.answer('videos.generate', { body: { id: 'mine', task_status: 'PROCESSING' } }).task({ id: 'scripted', kind: 'video' });
    await client.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'A cat.' });
    const ids = ['mine', 'scripted', String(examples['client.getAsyncResult']?.parameters['id'])];
    for (const id of ids) expect(await client.getAsyncResult(undefined, id)).toMatchObject({ task_status: expect.any(String) });
    fake.reset();
    expect(await failure(client.getAsyncResult(undefined, 'mine'))).toSatisfy(isApiError);
  });

  it('is refused for a file once it is deleted', async ({ client }) => {
    const { id } = await client.files().upload(undefined, { file: new File(['{}'], 'a.jsonl'), purpose: 'batch' });
    expect(await client.files().delete(undefined, id)).toEqual({ id, object: 'file', deleted: true });
    expect(await failure(client.files().content(undefined, id))).toMatchObject({ code: '1214' });
  });
});

describe('an uploaded file', () => {
  it.for([
    ['batch', 'jsonl'],
    ['agent', 'pdf'],
    ['voice-clone-input', 'wav'],
    ['code-interpreter', 'csv'],
    ['user_data', 'txt'],
  ] as const)('for %s has its purpose, name and size, an id of its own, and comes back', async ([purpose, type], { client }) => {
    const files = await Promise.all(
      ['one', 'three'].map(async (text) => client.files().upload(undefined, { file: new File([text], `${text}.${type}`), purpose })),
    );
    expect(files).toMatchObject([
      { object: 'file', purpose, bytes: 3 },
      { object: 'file', purpose, bytes: 5 },
    ]);
    expect(files.map(({ filename, ...other }) => filename ?? Object(other)['fileName'])).toEqual([`one.${type}`, `three.${type}`]);
    expect(new Set(files.map(({ id }) => id)).size).toBe(2);
    for (const [index, { id }] of files.entries()) expect(await (await client.files().content(undefined, id)).text()).toBe(['one', 'three'][index]);
  });
});

describe('speech', () => {
  it('has the asked format: a WAV file, or its samples alone', async ({ client }) => {
    const speech = { model: 'glm-tts', input: 'Hello', voice: 'tongtong' } as const;
    const [wav, pcm] = await Promise.all(
      (['wav', 'pcm'] as const).map(async (format) => (await client.audio().speech(undefined, { ...speech, response_format: format })).bytes()),
    );
    expect(Buffer.from(wav ?? []).toString('latin1', 0, 4)).toBe('RIFF');
    expect(pcm).toEqual(wav?.subarray(44));
  });
});

describe('a job', () => {
  it('has an id in the form of the service, and the asked model', async ({ client }) => {
    const job = /^\d{14}[0-9a-f]{16}$/;
    const picture = await client.images().generateAsync(undefined, { model: 'cogview-4', prompt: 'A cat.' });
    expect(picture).toMatchObject({ id: expect.stringMatching(job), model: 'cogview-4', request_id: picture.id });
    const video = await client.videos().generate(undefined, { model: 'viduq1-text', prompt: 'A cat.', request_id: 'my-request-1' });
    expect(video).toMatchObject({ id: expect.stringMatching(job), model: 'viduq1-text', request_id: 'my-request-1' });
    await client.getAsyncResult(undefined, video.id ?? '');
    expect(await client.getAsyncResult(undefined, video.id ?? '')).toMatchObject({
      model: 'viduq1-text',
      task_status: 'SUCCESS',
      request_id: 'my-request-1',
    });
    const file = await client.files().upload(undefined, { file: new File(['{}'], 'a.jsonl'), purpose: 'batch' });
    expect(file.id).toMatch(/^\d{8}_[0-9a-f-]{36}$/);
    expect((await client.batch().create(undefined, { ...batch, input_file_id: file.id })).id).toMatch(/^batch_\d{19}$/);
  });
});

describe('a link to a result', () => {
  const linksOf = (reply: unknown): string[] => JSON.stringify(reply).match(/https?:[^"\\)]+/g) ?? [];

  it('leads to a file of its type at the fake, for every kind of result', async ({ fake }) => {
    const client = newClient(fake.configFor({ region: RegionChina }));
    const [prompt, model] = ['A cat.', 'cogview-4'];
    const finished = async ({ id = '' }: { id?: string }): Promise<unknown> => {
      await client.getAsyncResult(undefined, id);
      return await client.getAsyncResult(undefined, id);
    };
    const replies = [
      await client.images().generate(undefined, { model, prompt }),
      await finished(await client.images().generateAsync(undefined, { model, prompt })),
      await finished(await client.videos().generate(undefined, { model: 'cogvideox-3', prompt })),
      await client.agents().conversation(undefined, { agent_id: 'slides_glm_agent', conversation_id: 'conv_5b0e7c21d9f34a86' }),
    ];
    const links = replies.flatMap(linksOf);
    expect(links.length).toBeGreaterThanOrEqual(6);
    const begins: Record<string, string> = { 'image/png': '\x89PNG', 'video/mp4': '\0\0\0\x18ftyp', 'application/pdf': '%PDF' };
    for (const link of links) {
      expect(link).toContain(`${fake.url}/media/`);
      const file = await fetch(link);
      const start = Buffer.from(await file.arrayBuffer()).toString('latin1');
      expect([file.status, start.startsWith(begins[file.headers.get('content-type') ?? ''] ?? '?')], link).toEqual([200, true]);
    }
  });

  it('stays as it was scripted', async ({ fake, client }) => {
    const url = 'https://media.example.com/mine.png';
    fake.answer('images.generate', { body: { created: 1, data: [{ url }] } }, { example: 'minimal' });
    fake.task({ kind: 'image', states: ['SUCCESS'], result: { image_result: [{ url }] } });
    const asked = { model: 'cogview-4', prompt: 'A cat.' };
    expect(linksOf(await client.images().generate(undefined, asked))).toEqual([url]);
    expect(linksOf(await client.images().generate(undefined, asked))[0]).toContain('https://media.example.com/');
    const { id = '' } = await client.images().generateAsync(undefined, asked);
    expect(linksOf(await client.getAsyncResult(undefined, id))).toEqual([url]);
  });
});
