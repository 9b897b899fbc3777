/** Requests as values of their type, for a call or a stream. */
import type { ChatRequest, Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const params: ChatRequest = { model: 'glm-5.3', messages: [{ role: 'user', content: 'Say this is a test!' }] };
  const completion = await c.chat().create(undefined, params);
  console.log(completion.choices[0]?.message.content);
  for await (const chunk of c.chat().stream(undefined, params)) process.stdout.write(chunk.choices[0]?.delta.content || '');

  console.log((await c.chat().create(undefined, paramsOf('Hello!'))).choices.length);
}

function paramsOf(content: string): ChatRequest {
  return { model: 'glm-5.3', messages: [{ role: 'user', content }] };
}
