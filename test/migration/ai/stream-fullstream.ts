/** All parts of a stream: text, reasoning, tool calls, finish. */
import { type Client, collecting, defineTool } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const weather = defineTool({ name: 'weather', input: z.object({ location: z.string() }), run: () => 'sunny' });
  const stream = collecting(
    c.chat().stream(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Weather in SF?' }], tools: [weather.as('chat')] }),
  );
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    if (choice?.delta.reasoning_content) console.log('REASONING', choice.delta.reasoning_content);
    if (choice?.delta.content) console.log('TEXT', choice.delta.content);
    if (choice?.finish_reason) console.log('FINISH', choice.finish_reason);
  }
  const response = await stream.response();
  for (const call of response.choices[0]?.message.tool_calls ?? []) {
    const { input, problem } = await weather.prepare(call.function?.arguments ?? '');
    console.log('TOOL CALL', call.function?.name, problem ?? JSON.stringify(input));
  }
}
