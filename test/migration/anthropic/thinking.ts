/** Thinking and text as blocks. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const message = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 3200,
    thinking: { type: 'enabled', budget_tokens: 1600 },
    messages: [{ role: 'user', content: 'Create a haiku.' }],
  });
  for (const block of message.content) {
    if (block.type === 'thinking') console.log(`Thinking: ${block.thinking}`);
    else if (block.type === 'text') console.log(`Text: ${block.text}`);
  }
}
