/**
 * Get an answer as a typed, validated value.
 *
 *     SVC_API_KEY=... npx tsx structured-output.ts
 */
import { isOutputError, newClient, responseFormat } from 'modelsvc';
import { z } from 'zod';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

const Recipe = z.object({
  title: z.string(),
  minutes: z.number().int().positive(),
  ingredients: z.array(z.object({ name: z.string(), grams: z.number() })),
});
// With `json_object` the model receives the schema in the prompt only, so that every model can use it.
const format = responseFormat(Recipe, { type: 'json_object' });

const reply = await c.chat().create(undefined, {
  model: 'glm-5.3',
  response_format: format,
  messages: [
    { role: 'system', content: format.instructions },
    { role: 'user', content: 'A simple recipe for pancakes, please.' },
  ],
});
try {
  const recipe = await format.parse(reply);
  console.log(`${recipe.title}, ${recipe.minutes} minutes`);
  for (const { name, grams } of recipe.ingredients) console.log(`- ${grams} g of ${name}`);
} catch (error) {
  if (!isOutputError(error)) throw error;
  // `unfinished`: cut off or withheld. `malformed`: not JSON. `invalid`: JSON that violates the schema.
  console.log(`The answer is ${error.problem}.`);
  // The path is empty for the answer as a whole.
  for (const { path, message } of error.issues) console.log(`- ${path === '' ? message : `${path}: ${message}`}`);
  process.exitCode = 1;
}
