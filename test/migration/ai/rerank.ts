/** Documents by their relevance. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const { results } = await c
    .rerank()
    .create(undefined, { model: 'rerank', query: 'a rainy day', documents: ['sunny day at the beach', 'rainy day in the city'], top_n: 1 });
  for (const { index, relevance_score } of results) console.log(index, relevance_score > 0);
}
