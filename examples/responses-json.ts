/**
 * Get an answer of the Responses surface as JSON that matches a schema.
 *
 *     SVC_API_KEY=... npx tsx responses-json.ts
 */
import { isOutputError, newClient, responseFormat } from 'modelsvc';
import { z } from 'zod';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

const Packing = z.object({ days: z.number().int().positive(), items: z.array(z.string()).min(1) });
const format = responseFormat(Packing, { type: 'json_object' });

// This surface has no format with a schema: the model reads it in `instructions`, and `parse` checks the answer.
const response = await c.responses().create(undefined, {
  model: 'glm-5.3',
  effort: 'low',
  instructions: format.instructions,
  text: { format: { type: 'json_object' } },
  input: 'A packing list for three days of hiking, please.',
});
try {
  const { days, items } = await format.parse(response);
  console.log(`${days} days: ${items.join(', ')}`);
} catch (error) {
  if (!isOutputError(error)) throw error;
  // `unfinished`: cut off or withheld. `malformed`: not JSON. `invalid`: JSON that violates the schema.
  console.log(`The answer is ${error.problem}.`);
  // The path is empty for the answer as a whole.
  for (const { path, message } of error.issues) console.log(`- ${path === '' ? message : `${path}: ${message}`}`);
  process.exitCode = 1;
}
