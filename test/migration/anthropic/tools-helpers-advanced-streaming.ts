/** A tool runner over streams. */
import { type Client, defineTool, toolRun } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const getTime = defineTool({
    name: 'getTime',
    input: z.object({ timezone: z.string() }),
    run: ({ timezone }) => `It is 3:00 PM in ${timezone}.`,
  });
  const request = { model: 'glm-5.3', max_tokens: 1024, messages: [{ role: 'user' as const, content: 'Time in SF?' }] };
  const stream = c.anthropic().streamWithTools(undefined, request, [getTime], {
    maxRounds: 9,
    onToolEnd: ({ text }) => console.log(`result ${text}`),
  });
  for await (const event of stream) {
    if (event.type === 'message_start') console.log(`message ${event.data.message.role}`);
    if (event.type === 'content_block_start' && event.data.content_block.type === 'tool_use') console.log(`tool ${event.data.content_block.name}`);
    if (event.type === 'content_block_delta') {
      if (event.data.delta.type === 'text_delta') process.stdout.write(event.data.delta.text);
      if (event.data.delta.type === 'input_json_delta') process.stdout.write(event.data.delta.partial_json);
    }
    if (event.type === 'content_block_stop') console.log();
  }
  console.log(toolRun(stream)?.modelCalls);
}
