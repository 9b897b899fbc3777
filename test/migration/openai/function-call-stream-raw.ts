/** A reducer of one's own over the deltas of a stream. */
import type { ChatChunk, Client, Message } from 'modelsvc';

function reduce(previous: Record<string, unknown>, delta: object): Record<string, unknown> {
  const next = { ...previous };
  for (const [key, value] of Object.entries(delta)) {
    const old = next[key];
    // The service may repeat the role in every chunk.
    if (old === undefined || old === null || key === 'role') next[key] = value;
    else if (typeof old === 'string' && typeof value === 'string') next[key] = old + value;
    else if (typeof old === 'object' && !Array.isArray(old)) next[key] = reduce(old as Record<string, unknown>, value as object);
  }
  return next;
}

export async function run(c: Client): Promise<void> {
  const messages: Message[] = [{ role: 'user', content: 'Say this is a test.' }];
  const stream: AsyncIterable<ChatChunk> = c.chat().stream(undefined, { model: 'glm-5.3', messages });
  let message: Record<string, unknown> = {};
  for await (const chunk of stream) message = reduce(message, chunk.choices[0]?.delta ?? {});
  console.log(JSON.stringify(message));
}
