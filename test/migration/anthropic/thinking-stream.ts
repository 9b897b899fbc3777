/** Thinking while it arrives. */
import { type Client, collecting } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const stream = collecting(
    c.anthropic().stream(undefined, {
      model: 'glm-5.3',
      max_tokens: 3200,
      thinking: { type: 'enabled', budget_tokens: 1600 },
      messages: [{ role: 'user', content: 'Create a haiku.' }],
    }),
  );
  for await (const event of stream) {
    if (event.type !== 'content_block_delta') continue;
    const { delta } = event.data;
    if (delta.type === 'thinking_delta') process.stdout.write(`(${delta.thinking})`);
    if (delta.type === 'text_delta') process.stdout.write(delta.text);
  }
  const finalMessage = await stream.response();
  console.log('', finalMessage.thinking().length > 0, finalMessage.stop_reason);
}
