import { describe, expect, it } from 'vitest';
import { type Client, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };

describe('what comes back', () => {
  it('web_search is next to the choices, each source with link, title and content', async () => {
    const { fake } = await openFake();
    const sources = [{ link: 'https://example.com/a', title: 'A', content: 'What A says.' }];
    fake.chat.reply({ text: 'See A.', webSearch: sources });
    expect((await newClient(fake.configFor()).chat().create(undefined, hello)).web_search).toMatchObject(sources);
  });

  it.each([
    ['chat', (c: Client) => c.chat().createAsync(undefined, hello)],
    ['image', (c: Client) => c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a' })],
    ['video', (c: Client) => c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'a' })],
  ] as const)('a %s job has an id, by which waitForResult gets its end', async (_kind, start) => {
    const { fake } = await openFake();
    const client = newClient(fake.configFor());
    const { id } = await start(client);
    expect(id).toBeTypeOf('string');
    const result = await client.waitForResult(undefined, id ?? '', 100);
    expect(result.task_status === undefined || result.task_status === 'SUCCESS').toBe(true);
    expect(fake.requests.filter((one) => one.method === 'GET').length).toBeGreaterThan(1);
  });
});

describe.each(transports)('embeddings: $transport', ({ overrides }) => {
  const entry = (index: unknown): object => ({ object: 'embedding', index, embedding: [Number(index ?? 7), 0.5] });
  const texts = ['rain', 'snow', 'hail'];

  /** The indices of the vectors, for a reply with entries of these indices, and the reply as JSON. */
  async function received(
    indices: readonly unknown[],
    input: string | string[] = [...texts],
  ): Promise<{ indices: unknown[]; json: string; sent: string }> {
    const { fake } = await openFake(overrides);
    const body = { model: 'embedding-3', data: indices.map(entry), object: 'list', usage: { total_tokens: 6 } };
    fake.answer('embeddings.create', { body });
    const answer = newClient(fake.configFor(overrides)).embeddings().create(undefined, { model: 'embedding-3', input });
    // The request is the one at the call.
    if (Array.isArray(input)) input.length = 0;
    const reply = await answer;
    return { indices: reply.data.map(({ index }) => index), json: JSON.stringify(reply), sent: JSON.stringify(body) };
  }

  it('come in the order of the input, whatever the order of the reply', async () => {
    const { indices, json, sent } = await received([2, 0, 1]);
    expect(indices).toEqual([0, 1, 2]);
    expect(JSON.parse(json)).toEqual({ ...JSON.parse(sent), data: [0, 1, 2].map(entry) });
  });

  it('are the body of the wire if they are in order', async () => {
    for (const { json, sent } of [await received([0, 1, 2]), await received([0], 'rain')]) expect(json).toBe(sent);
  });

  it.each([
    ['start at 1', [3, 1, 2]],
    ['are no integers', [1.5, 1, 0]],
    ['are text', ['2', '1', '0']],
    ['are missing', [undefined, undefined, undefined]],
    ['are negative', [-1, 1, 0]],
  ])('stay as they came if their indices %s', async (_name, indices) => {
    const { json, sent } = await received(indices);
    expect(json).toBe(sent);
  });

  const vector = [0.1, 0.2];
  it.each<[string, unknown, string]>([
    ['fewer vectors', [entry(1), entry(0)], 'the reply has 2 of 3 vectors: none for input[2]'],
    ['a text twice', [entry(1), entry(0), entry(1)], 'the reply has 3 of 3 vectors: none for input[2]'],
    ['more vectors', [0, 1, 2, 3].map(entry), 'the reply has 4 of 3 vectors'],
    ['fewer without indices', [{ embedding: vector }], 'the reply has 1 of 3 vectors'],
    ['a vector of null', [entry(0), { index: 1, embedding: null }, entry(2)], 'the reply has 3 of 3 vectors: none for input[1]'],
    ['an empty vector', [{ embedding: vector }, { embedding: [] }, { embedding: vector }], 'the reply has 3 of 3 vectors: none for input[1]'],
    ['an entry of null', [null, { embedding: vector }, { embedding: vector }], 'the reply has 3 of 3 vectors: none for input[0]'],
    ['no vector', [], 'the reply has 0 of 3 vectors'],
  ])('%s: an error with the billed reply', async (_name, data, summary) => {
    const { fake, client } = await openFake(overrides);
    const body = { model: 'embedding-3', data, object: 'list', usage: { total_tokens: 6 } };
    fake.answer('embeddings.create', { body });
    const error = await failure(client.embeddings().create(undefined, { model: 'embedding-3', input: texts }));
    expect(error).toMatchObject({ kind: 'reply', problem: 'malformed', operation: 'embeddings.create', requestId: expect.any(String) });
    expect(String(error)).toContain(summary);
    expect(isModelsvcError(error, 'reply') && error.reply).toMatchObject({ usage: body.usage });
    expect(JSON.stringify(error)).not.toContain('0.1');
    expect(fake.requests).toHaveLength(1);
  });
});
