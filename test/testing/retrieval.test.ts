// An application of embeddings and rerank can be tested with the fake: it gets the requested number of vectors and scores, in a sensible order.
import { describe, expect } from 'vitest';
import { test } from '../support/fixture.ts';

const documents = ['The harbour has many boats.', 'Rain falls on the roof.', 'Boats leave the harbour in the rain.'];

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('embeddings', () => {
  test.for([
    [{ model: 'embedding-3' }, 2048],
    [{ model: 'embedding-3', dimensions: 256 }, 256],
    [{ model: 'embedding-2' }, 1024],
  ] as const)('as many vectors of as many numbers as were asked for: %j', async ([request, length], { client }) => {
    const { data, usage } = await client.embeddings().create(undefined, { ...request, input: documents });
    expect(data.map(({ index, embedding }) => [index, embedding?.length])).toEqual(documents.map((_, index) => [index, length]));
    for (const { embedding = [] } of data) expect(dot(embedding, embedding)).toBeCloseTo(1, 3);
    expect(usage?.total_tokens).toBe(7 + 6 + 9);
  });

  test('one text is one vector, and equal texts have equal vectors', async ({ client }) => {
    const [one, other] = await Promise.all(
      ['雨が降る rain', '雨が降る rain'].map((input) => client.embeddings().create(undefined, { model: 'embedding-3', dimensions: 256, input })),
    );
    expect(one?.data).toHaveLength(1);
    expect(one?.data).toEqual(other?.data);
  });

  test('texts with common words are nearer than others', async ({ client }) => {
    const { data } = await client.embeddings().create(undefined, { model: 'embedding-3', input: [...documents, 'Many boats in the harbour'] });
    const [boats = [], roof = [], leaving = [], query = []] = data.map(({ embedding }) => embedding);
    expect(dot(query, boats)).toBeGreaterThan(dot(query, leaving));
    expect(dot(query, leaving)).toBeGreaterThan(dot(query, roof));
  });

  test('a scripted answer and an example come first', async ({ fake, client }) => {
    fake.answer('embeddings.create', { body: { object: 'list', data: [{ index: 0, embedding: [1] }] } }, { example: 'one' });
    const request = { model: 'embedding-3', input: documents[0] ?? '' };
    expect((await client.embeddings().create(undefined, request)).data).toEqual([{ index: 0, embedding: [1] }]);
  });
});

describe('rerank', () => {
  test('the best documents first, at most top_n, with their places and, if asked for, their texts', async ({ client }) => {
    const request = { model: 'rerank', query: 'boats in the harbour', documents };
    const all = (await client.rerank().create(undefined, request)).results;
    expect(all.map(({ index }) => index)).toEqual([2, 0, 1]);
    expect(all.every(({ relevance_score: score, document }) => score > 0 && score <= 1 && document === undefined)).toBe(true);
    for (const top_n of [0, 1, 2, 5]) {
      const { results } = await client.rerank().create(undefined, { ...request, top_n, return_documents: true });
      expect(results.map(({ document }) => document)).toEqual([2, 0, 1].slice(0, top_n || 3).map((index) => documents[index]));
    }
  });
});
