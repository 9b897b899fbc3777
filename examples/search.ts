/**
 * Search in the lines of a file: embeddings find the lines that are close to the query, and rerank puts the best of them first.
 *
 *     SVC_API_KEY=... npx tsx search.ts lines.txt "Where does it rain?"
 */
import { readFileSync } from 'node:fs';
import { type Context, mapCalls, newClient } from 'modelsvc';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });
const [path = 'lines.txt', query = 'Where does it rain?'] = process.argv.slice(2);

async function vectorsOf(input: string[], ctx?: Context): Promise<number[][]> {
  const { data } = await c.embeddings().create(ctx, { model: 'embedding-3', dimensions: 512, input });
  return data.map(({ embedding }) => embedding);
}
const dot = (a: number[], b: number[]): number => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
const cosine = (a: number[], b: number[]): number => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

const lines = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '');
// A request has at most 64 texts.
const groups = Array.from({ length: Math.ceil(lines.length / 64) }, (_, group) => lines.slice(64 * group, 64 * (group + 1)));
const vectors: number[][] = [];
for await (const group of mapCalls(groups, vectorsOf, { ordered: true })) {
  if (group.status === 'rejected') throw group.reason;
  vectors.push(...group.value);
}
const [target = []] = await vectorsOf([query]);
const scored = vectors.map((vector, index) => ({ line: lines[index] ?? '', score: cosine(vector, target) }));
const documents = scored
  .sort((a, b) => b.score - a.score)
  .slice(0, 20)
  .map(({ line }) => line);
const { results } = await c.rerank().create(undefined, { model: 'rerank', query, documents, top_n: 5 });
for (const { index, relevance_score } of results) console.log(relevance_score.toFixed(2), documents[index]);
