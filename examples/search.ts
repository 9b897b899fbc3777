/**
 * Search in the lines of a file: embeddings find the lines that are close to the query, and rerank puts the best of them first.
 *
 *     SVC_API_KEY=... npx tsx search.ts lines.txt "Where does it rain?"
 */
import { readFileSync } from 'node:fs';
import { newClient } from 'modelsvc';

// All calls may start at once: `auto` learns how many the service accepts.
const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
  concurrency: 'auto',
});
const [path = 'lines.txt', query = 'Where does it rain?'] =
  process.argv.slice(2);

async function vectorsOf(input: string[]): Promise<number[][]> {
  const { data } = await c.embeddings().create({
    model: 'embedding-3',
    dimensions: 512,
    input,
  });
  return data.map(({ embedding }) => embedding);
}

const lines = readFileSync(path, 'utf8').match(/.*\S.*/g) ?? [];
// A request has at most 64 texts.
const groups = Array.from(
  { length: Math.ceil(lines.length / 64) },
  (_, group) => lines.slice(64 * group, 64 * (group + 1)),
);
const vectors = (await Promise.all(groups.map(vectorsOf))).flat();
const [target = []] = await vectorsOf([query]);
// The cosine, but for the length of `target`, which is the same for each line.
const closeness = (vector: number[]): number =>
  vector.reduce(
    (sum, value, index) => sum + value * (target[index] ?? 0),
    0,
  ) / Math.hypot(...vector);
const scored = vectors.map((vector, index) => ({
  line: lines[index] ?? '',
  score: closeness(vector),
}));
scored.sort((a, b) => b.score - a.score);
const documents = scored.slice(0, 20).map(({ line }) => line);
const { results } = await c.rerank().create({
  model: 'rerank',
  query,
  documents,
  top_n: 5,
});
for (const { index, relevance_score } of results)
  console.log(relevance_score.toFixed(2), documents[index]);
