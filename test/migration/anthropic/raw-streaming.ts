/** Events of a stream. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const stream = c.anthropic().stream(undefined, { model: 'glm-5.3', max_tokens: 500, messages: [{ role: 'user', content: 'Hey!' }] });
  for await (const event of stream)
    if (event.type === 'content_block_delta' && event.data.delta.type === 'text_delta') process.stdout.write(event.data.delta.text);
  process.stdout.write('\n');
}
