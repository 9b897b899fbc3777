/** Events of a response and its result. */
import { type Client, collecting } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const runner = collecting(c.responses().stream(undefined, { model: 'glm-5.3', input: 'solve 8x + 31 = 2' }));
  for await (const event of runner) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
  const result = await runner.response();
  console.log('', result.status, result.text());
}
