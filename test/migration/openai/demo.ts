/** A call, then a stream. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const request = { model: 'glm-5.3', messages: [{ role: 'user', content: 'Reply with: This is a test' }] };
  const completion = await c.chat().create(undefined, request);
  console.log(completion.choices[0]?.message.content);

  for await (const part of c.chat().stream(undefined, request)) process.stdout.write(part.choices[0]?.delta?.content || '');
  process.stdout.write('\n');
}
