/** A tool runner with its messages and the results of its tools. */
import { type Client, defineTool } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const getWeather = defineTool({
    name: 'getWeather',
    description: 'The weather at a location',
    input: z.object({ location: z.string().describe('The city, e.g. San Francisco') }),
    run: ({ location }) => `The weather is sunny in ${location}.`,
  });
  const getTime = defineTool({
    name: 'getTime',
    description: 'The time in a timezone',
    input: z.object({ timezone: z.string() }),
    run: ({ timezone }) => `It is 3:00 PM in ${timezone}.`,
  });
  const message = await c
    .anthropic()
    .runWithTools(
      undefined,
      { model: 'glm-5.3', max_tokens: 1024, messages: [{ role: 'user', content: 'Weather and time in SF?' }] },
      [getWeather, getTime],
      {
        maxRounds: 9,
        onRound: ({ response }) => {
          for (const block of response.content) {
            if (block.type === 'text') console.log(block.text);
            if (block.type === 'tool_use') console.log(`${block.name}(${JSON.stringify(block.input)})`);
          }
        },
        onToolEnd: ({ name, text }) => console.log(`${name}: ${text}`),
      },
    );
  console.log(message.text());
}
