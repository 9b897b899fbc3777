/** Vectors and their likeness. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const { data, usage } = await c
    .embeddings()
    .create(undefined, { model: 'embedding-3', input: ['sunny day at the beach', 'sunny day in the city'] });
  const [a = [], b = []] = data.map(({ embedding }) => embedding);
  const dot = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  console.log('alike:', dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)) > 0.5, usage?.total_tokens !== undefined);
}
