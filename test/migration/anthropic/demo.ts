/** A message. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const result = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'Hey!?' }],
  });
  console.log(result.role, result.text());
}
