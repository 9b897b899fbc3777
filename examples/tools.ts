/**
 * Let a model call functions whose arguments are checked with zod.
 *
 *     SVC_API_KEY=... npx tsx tools.ts
 */
import { contentText, defineTool, newClient, toolRun } from 'modelsvc';
import { z } from 'zod';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });

const temperatures: Readonly<Record<string, number>> = { Paris: 21, Lyon: 24 };

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Returns the current temperature in a city.',
  input: z.object({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']).default('celsius') }),
  run: ({ city, unit }) => {
    console.log(`get_weather: ${city}, ${unit}`);
    const celsius = temperatures[city];
    // The model receives `error: no weather station in ...` and can react.
    if (celsius === undefined) throw new Error(`no weather station in ${city}`);
    return { temperature: unit === 'celsius' ? celsius : celsius * 1.8 + 32, unit };
  },
});

const reply = await c
  .chat()
  .runWithTools(
    undefined,
    { model: 'glm-5.3', messages: [{ role: 'user', content: 'Is it warmer in Paris, in Lyon or in Atlantis?' }] },
    [getWeather],
    { parallel: true },
  );
console.log(contentText(reply.choices[0]?.message.content));

// The usage is the sum of all rounds. To continue the conversation, send `run.transcript` with a new message.
const run = toolRun(reply);
console.log(`${run?.modelCalls} model calls, ${run?.usage?.total_tokens} tokens`);
