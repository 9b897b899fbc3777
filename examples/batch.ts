/**
 * Run many requests as one batch. Run the program again after a crash: it continues with the batch in `batch.state`.
 *
 *     SVC_API_KEY=... npx tsx batch.ts
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import {
  type BatchRunOptions,
  batchCounts,
  contentText,
  newClient,
} from 'modelsvc';

// Batches exist on the china host only. They use the root of chat.
const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  baseURL:
    process.env.SVC_ENDPOINTS ?? 'https://open.bigmodel.cn/api/paas/v4',
});

const stateFile = 'batch.state';
const cities = ['Paris', 'Lyon', 'Nice'];
const requests = cities.map((city) => ({
  custom_id: city,
  body: {
    model: 'glm-5.1',
    effort: 'low' as const,
    messages: [
      { role: 'user' as const, content: `Describe ${city} in one sentence.` },
    ],
  },
}));

const stored = await readFile(stateFile, 'utf8').catch(() => undefined);
if (stored !== undefined) console.log(`continue with ${stored}`);

const options: BatchRunOptions = {
  // A retry after a lost reply would create a second batch.
  createOnce: true,
  // Stored before the wait begins: a second batch of the same requests would be billed too.
  onCreated: (id) => writeFile(stateFile, id),
  onState: (batch) =>
    console.log(
      `${batch.id} is ${batch.status}, ${batchCounts(batch).completed ?? 0} of ${requests.length} done`,
    ),
  ...(stored !== undefined && { resume: stored }),
};
const { batch, results } = await c.batch().run(requests, options);

console.log(`${batch.id} is ${batch.status}`);
for (const { custom_id, response, error } of results)
  console.log(
    `${custom_id}: ${error ? `failed, ${error.name}` : contentText(response?.choices[0]?.message.content)}`,
  );
await rm(stateFile, { force: true });
