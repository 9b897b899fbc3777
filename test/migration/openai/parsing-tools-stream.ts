/** The arguments of a tool while they arrive. */
import { type Client, collecting, defineTool } from 'modelsvc';
import { z } from 'zod';

const Weather = z.object({ city: z.string(), country: z.string(), units: z.enum(['c', 'f']).default('c') });

export async function run(c: Client): Promise<void> {
  const weather = defineTool({ name: 'get_weather', input: Weather, run: () => undefined });
  const stream = collecting(
    c.chat().stream(undefined, {
      model: 'glm-5.3',
      messages: [{ role: 'user', content: 'What is the weather in SF?' }],
      tools: [weather.as('chat')],
      tool_stream: true,
    }),
  );
  for await (const chunk of stream)
    for (const call of chunk.choices[0]?.delta.tool_calls ?? []) if (call.function?.arguments) console.log('delta', call.function.arguments);
  const completion = await stream.response();
  for (const call of completion.choices[0]?.message.tool_calls ?? []) console.log('done', call.function?.name, call.function?.arguments);
}
