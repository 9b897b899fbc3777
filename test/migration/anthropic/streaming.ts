/** The blocks and the message of a stream. */
import { type Client, collecting } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const stream = collecting(c.anthropic().stream(undefined, { messages: [{ role: 'user', content: 'Hey!' }], model: 'glm-5.3', max_tokens: 1024 }));
  for await (const event of stream) console.log('event', event.type);
  const message = await stream.response();
  for (const block of message.content) console.log('contentBlock', block.type);
  console.log('finalMessage', message.stop_reason);
}
