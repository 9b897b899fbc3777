/** A person approves each call of a tool. */
import { type Client, defineTool } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client, ask: (question: string) => Promise<boolean>): Promise<void> {
  const weather = defineTool({
    name: 'weather',
    description: 'Get the weather in a location',
    input: z.object({ location: z.string() }),
    run: async ({ location }) => ({ location, temperature: 72 }),
    approve: async ({ location }) => location === 'San Francisco' || (await ask(`Weather of ${location}?`)) || { deny: 'the user did not approve' },
  });
  const request = {
    model: 'glm-5.3',
    messages: [
      { role: 'system', content: 'When a tool call was not approved, do not retry it.' },
      { role: 'user', content: 'Weather in SF and New York?' },
    ],
  };
  const reply = await c.chat().runWithTools(undefined, request, [weather]);
  console.log(reply.choices[0]?.message.content);
}
