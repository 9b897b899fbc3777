/** A stream with its events and its final result. */
import { type Client, collecting } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const runner = collecting(c.chat().stream(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Say this is a test' }] }));
  for await (const chunk of runner) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
  const result = await runner.response();
  console.log(result.choices[0]?.message.role, result.choices[0]?.finish_reason);
}
