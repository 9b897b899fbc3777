/** Other settings for the first call of the model, then an answer without tools. */
import { type Client, defineTool, type Message } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const weather = defineTool({
    name: 'weather',
    input: z.object({ location: z.string() }),
    run: ({ location }) => ({ location, condition: 'foggy' }),
  });
  const messages: Message[] = [{ role: 'user', content: 'What should I wear in SF?' }];
  const first = await c.chat().create(undefined, { model: 'glm-5.3', messages, temperature: 0, max_tokens: 100, tools: [weather.as('chat')] });
  const message = first.choices[0]?.message;
  if (message?.tool_calls) {
    messages.push(message);
    for (const call of message.tool_calls) {
      const { location } = JSON.parse(call.function?.arguments ?? '{}') as { location: string };
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify({ location, condition: 'foggy' }) });
    }
  }
  const second = await c.chat().create(undefined, { model: 'glm-5.3', messages, temperature: 0.7, max_tokens: 200 });
  console.log(second.choices[0]?.message.content);
}
