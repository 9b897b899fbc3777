/**
 * Get an answer as a typed, validated value, on each surface. An answer that does not match is an OutputError, whose `text` is the answer.
 *
 *     SVC_API_KEY=... npx tsx typed-object.ts
 */
import { newClient, outputFormat } from 'modelsvc';
import { z } from 'zod';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const format = outputFormat(
  z.object({
    title: z.string(),
    minutes: z.number().int().positive(),
    ingredients: z.array(z.string()),
  }),
);
const messages = [
  { role: 'user' as const, content: 'A simple recipe for pancakes, please.' },
];
const question = { model: 'glm-5.3', effort: 'low' as const };
for (const { parsed } of [
  await c.chat().parse({ ...question, messages }, format),
  await c
    .anthropic()
    .parse({ ...question, max_tokens: 4096, messages }, format),
  await c.responses().parse({ ...question, input: messages }, format),
])
  console.log(
    `${parsed.title}, ${parsed.minutes} minutes: ${parsed.ingredients.join(', ')}`,
  );
