/** Tokens of a prompt. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const result = await c.tools().tokenize(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Hey!?' }] });
  console.log(result.usage?.prompt_tokens);
}
