// A success is complete: on the service's hosts, a reply that lacks a part is an error that keeps the reply. Other hosts keep theirs.
import { describe, expect, test } from 'vitest';
import { type Client, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const clientOn = (serviceRules: boolean): Client => newClient(fake.configFor({ serviceRules, maxRetries: 0 }));
/** The hosts of the service, and others. */
const hosts = [true, false];
const json = (body: object): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

const documents = ['A', 'B', 'A', 'C'];
const score = { relevance_score: 0.5 };
const text = (document: unknown): object => ({ document, ...score });
const at = (index: unknown, more: object = {}): object => ({ index, ...score, ...more });

describe('rerank', () => {
  const request = { model: 'rerank', query: 'q', documents };
  const ranking = (results: readonly object[], client: Client): ReturnType<ReturnType<Client['rerank']>['create']> => {
    fake.answer('rerank.create', json({ id: 'r', results, usage: { prompt_tokens: 1, total_tokens: 1 } }));
    return client.rerank().create(undefined, request);
  };

  test.each<readonly [string, readonly object[], readonly number[]]>([
    ['no index', [text('C'), text('A'), text('B'), text('A')], [3, 0, 1, 2]],
    ['an object with the text', [text({ text: 'C' }), text('A'), text('A'), text('B')], [3, 0, 2, 1]],
    ['some with an index', [text('A'), at(0), text('C'), text('B')], [2, 0, 3, 1]],
    ['the indices as text', [at('2'), at('0'), at(1), at('3')], [2, 0, 1, 3]],
    ['an index that is null', [at(null, { document: 'C' }), at(0), at(1), at(2)], [3, 0, 1, 2]],
  ])('%s: the places are found', async (_kind, results, places) => {
    const reply = await ranking(results, clientOn(true));
    expect(reply.results.map(({ index }) => index)).toEqual(places);
    // A place that was found by its text is not part of the JSON.
    const isFound = results.every((result) => !('index' in result));
    if (isFound) expect(JSON.stringify(reply.results)).toBe(JSON.stringify(results));
  });

  const broken: readonly (readonly [string, readonly object[], string])[] = [
    ['no index and no text', [at(0), at(1), at(2), score], 'results[3] has no index, and no text of a document'],
    ['another text', [at(0), at(1), at(2), text('c')], 'results[3] has no index'],
    ['a text once too often', [text('A'), text('A'), text('A'), text('C')], 'results[2] has no index'],
    ['an index after the list', [at(0), at(1), at(2), at(4)], 'results[3].index is not an index of a document'],
    ['a negative index', [at(-1), at(1), at(2), at(3)], 'results[0].index is not an index of a document'],
    ['a part', [at(0.5), at(1), at(2), at(3)], 'results[0].index is not an index of a document'],
    ['a word', [at('x'), at(1), at(2), at(3)], 'results[0].index is not an index of a document'],
    ['an index twice', [at(0), at(1), at(1), at(3)], 'results[2].index is 1 again'],
    ['twice, as a text too', [at(0), at(1), at('1'), at(3)], 'results[2].index is 1 again'],
  ];
  test.each(broken)('%s is an error with the reply; another host keeps its reply', async (_kind, results, words) => {
    const error = await failure(ranking(results, clientOn(true)));
    expect(isModelsvcError(error, 'reply') && [error.problem, error.summary.includes(words), error.reply]).toEqual([
      'malformed',
      true,
      expect.objectContaining({ id: 'r' }),
    ]);
    expect(JSON.stringify((await ranking(results, clientOn(false))).results)).toBe(JSON.stringify(results));
  });
});

describe('embeddings', () => {
  const embed = async (vectors: readonly unknown[], isVendor: boolean): Promise<unknown> => {
    fake.answer('embeddings.create', json({ object: 'list', data: vectors.map((embedding, index) => ({ index, embedding })) }));
    return clientOn(isVendor)
      .embeddings()
      .create(undefined, { model: 'embedding-3', input: ['a', 'b'] });
  };
  test.each<readonly [string, readonly unknown[], string]>([
    ['two lengths', [[1, 2], [1]], 'data[1].embedding has 1 numbers, and data[0] has 2'],
    [
      'a null',
      [
        [1, 2],
        [1, null],
      ],
      'data[1].embedding[1] is not a number',
    ],
    [
      'a text among numbers',
      [
        ['1', 2],
        [1, 2],
      ],
      'data[0].embedding[0] is not a number',
    ],
  ])('%s is an error with the reply; another host keeps its reply', async (_kind, vectors, words) => {
    const error = await failure(embed(vectors, true));
    expect(isModelsvcError(error, 'reply') && [error.summary.includes(words), error.reply]).toEqual([
      true,
      expect.objectContaining({ object: 'list' }),
    ]);
    expect(await embed(vectors, false)).toMatchObject({ data: vectors.map((embedding) => ({ embedding })) });
  });
  test('a number too large is an error', async () => {
    fake.answer('embeddings.create', { body: '{"data":[{"index":0,"embedding":[1e999]}]}', headers: { 'content-type': 'application/json' } });
    const error = await failure(clientOn(true).embeddings().create(undefined, { model: 'embedding-3', input: 'a' }));
    expect(isModelsvcError(error, 'reply') && error.summary).toContain('data[0].embedding[0] is not a number');
  });
  test.each(hosts)('vectors as text, and of one length, are a success (serviceRules: %s)', async (isVendor) => {
    expect(await embed(['AAAA', 'AAAA'], isVendor)).toBeTruthy();
    expect(
      await embed(
        [
          [1, 0],
          [0, 1e-9],
        ],
        isVendor,
      ),
    ).toBeTruthy();
  });
});

describe('pictures and jobs', () => {
  const request = { model: 'cogview-4', prompt: 'p' };
  const picture = (entry: object, isVendor: boolean): Promise<unknown> => {
    fake.answer('images.generate', json({ created: 1, data: [entry] }));
    return clientOn(isVendor).images().generate(undefined, request);
  };
  const job = (field: string, entry: object, isVendor: boolean): Promise<unknown> => {
    fake.answer('client.getAsyncResult', json({ id: 'j', task_status: 'SUCCESS', [field]: [entry], content_filter: [{ role: 'user', level: 3 }] }));
    return clientOn(isVendor).waitForResult(undefined, 'j', { interval: 1 });
  };
  const without: readonly object[] = [{ url: null }, { url: '' }, { url: ' \n' }, {}, { url: 7 }];

  test.each(without)('%j is an error on the service’s hosts only', async (entry) => {
    const error = await failure(picture(entry, true));
    expect(isModelsvcError(error, 'reply') && [error.problem, error.reply]).toEqual(['malformed', expect.objectContaining({ data: [entry] })]);
    expect(await picture(entry, false)).toMatchObject({ data: [entry] });
    for (const field of ['image_result', 'video_result']) {
      const failed = await failure(job(field, entry, true));
      expect(isModelsvcError(failed, 'task') && failed.message).toContain('the result of the task has no link');
      expect(await job(field, entry, false)).toMatchObject({ [field]: [entry] });
    }
  });

  test.each([{ url: 'https://a.test/1' }, { image_url: 'https://a.test/1' }, { b64_json: 'AAAA' }])('%j is a success', async (entry) => {
    for (const isVendor of hosts) {
      expect(await picture(entry, isVendor)).toMatchObject({ data: [entry] });
      expect(await job('image_result', entry, isVendor)).toMatchObject({ image_result: [entry] });
    }
  });
});
