/** Many requests at a lower price, and their results. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const { results } = await c
    .batch()
    .run(undefined, [{ custom_id: 'one', body: { model: 'glm-4-plus', messages: [{ role: 'user', content: 'Hi' }] } }]);
  for (const { custom_id, response, error } of results) console.log(custom_id, response?.choices[0]?.message.content ?? error?.message);
}
