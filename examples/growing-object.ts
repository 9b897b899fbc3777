/**
 * Show a typed answer while it grows, and act on the validated one. An answer that does not match is an OutputError after it was shown.
 *
 *     SVC_API_KEY=... npx tsx growing-object.ts
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
const recipe = format.partial(
  c.chat().stream({
    model: 'glm-5.3',
    effort: 'low',
    messages,
    response_format: format,
  }),
);
for await (const { title = '', ingredients = [] } of recipe)
  console.log(`${title}: ${ingredients.length}`);
const { title, minutes, ingredients } = await recipe.value();
console.log(`${title}, ${minutes} minutes: ${ingredients.join(', ')}`);
