/**
 * Let a model call a function on the Responses surface, then continue the stored response by its id.
 *
 *     SVC_API_KEY=... npx tsx responses-tools.ts
 */
import { defineTool, newClient, toolRun } from 'modelsvc';
import { z } from 'zod';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

const stock = defineTool({
  name: 'stock',
  description: 'Returns the number of items in stock.',
  input: z.object({ item: z.string() }),
  run: ({ item }) => {
    console.log(`stock: ${item}`);
    return { item, count: item === 'tea' ? 12 : 0 };
  },
});

// With `store: true` the service keeps each response for 7 days. A round sends only the results, and the id of the response before.
// Without it the service keeps no response, and a round sends all items again.
const settings = {
  model: 'glm-5.3',
  effort: 'low',
  store: true,
  instructions: 'Answer briefly.',
} as const;

const response = await c.responses().runWithTools(
  {
    ...settings,
    input: 'Is tea in stock?',
  },
  [stock],
);
const run = toolRun(response);
console.log(response.text());
console.log(
  `${run?.modelCalls} model calls, ${run?.usage?.total_tokens} tokens`,
);

const next = await c.responses().create({
  ...settings,
  previous_response_id: response.id,
  input: 'Enough for 20 guests?',
});
console.log(next.text());
