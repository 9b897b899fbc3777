/** The input of a tool while it arrives. */
import { type Client, collecting } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const stream = collecting(
    c.anthropic().stream(undefined, {
      messages: [{ role: 'user', content: 'What is the weather in SF?' }],
      tools: [{ name: 'get_weather', description: 'The weather.', input_schema: { type: 'object', properties: { location: { type: 'string' } } } }],
      model: 'glm-5.3',
      max_tokens: 1024,
    }),
  );
  for await (const event of stream)
    if (event.type === 'content_block_delta' && event.data.delta.type === 'input_json_delta') console.log(`delta: ${event.data.delta.partial_json}`);
  const { content } = await stream.response();
  for (const block of content) if (block.type === 'tool_use') console.log(`input: ${JSON.stringify(block.input)}`);
}
