/** A structured answer. */
import { type Client, outputFormat } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const format = outputFormat(z.object({ primes: z.array(z.number()) }));
  const message = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 1024,
    system: format.instructions,
    messages: [{ role: 'user', content: 'What are the first 3 prime numbers?' }],
  });
  const { primes } = await format.parse(message);
  console.log('Prime numbers:', primes.join());
}
