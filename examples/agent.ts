/**
 * An agent with a limit: the model calls functions, whose arguments are checked with zod, until it answers or has used enough.
 *
 *     SVC_API_KEY=... npx tsx agent.ts "Is it warmer in Paris or in Lyon?"
 */
import { contentText, defineTool, newClient, toolRun } from 'modelsvc';
import { z } from 'zod';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const getWeather = defineTool({
  name: 'get_weather',
  description: 'Returns the temperature of a city.',
  // A city without a station is an argument that does not match: the model receives the problem, and can react.
  input: z.object({ city: z.enum(['Paris', 'Lyon']) }),
  run: ({ city }) => ({ Paris: 21, Lyon: 24 })[city],
});
const messages = [
  {
    role: 'user',
    content: process.argv[2] ?? 'Is it warmer in Paris or in Lyon?',
  },
];
const reply = await c
  .chat()
  .runWithTools({ model: 'glm-5.3', effort: 'low', messages }, [getWeather], {
    stopWhen: ({ round, usage }) =>
      round === 5 || (usage?.total_tokens ?? 0) > 20_000,
  });
console.log(contentText(reply.choices[0]?.message.content));
// The usage is the sum of all rounds. To go on, send `run.transcript` with a new message.
const run = toolRun(reply);
console.log(
  `${run?.ended} after ${run?.modelCalls} model calls, ${run?.usage?.total_tokens} tokens`,
);
