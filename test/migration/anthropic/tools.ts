/** A call with a tool, and the call with its result, by hand. */
import type { AnthropicMessage, AnthropicTool, Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const userMessage: AnthropicMessage = { role: 'user', content: 'What is the weather in SF?' };
  const tools: AnthropicTool[] = [
    { name: 'get_weather', description: 'The weather of a location', input_schema: { type: 'object', properties: { location: { type: 'string' } } } },
  ];
  const message = await c.anthropic().create(undefined, { model: 'glm-5.3', max_tokens: 1024, messages: [userMessage], tools });
  console.log(message.stop_reason);
  const tool = message.content.find((block) => block.type === 'tool_use');
  if (!tool) throw new Error('no tool call');
  const result = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 1024,
    messages: [
      userMessage,
      { role: message.role, content: message.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool.id, content: 'The weather is 73f' }] },
    ],
    tools,
  });
  console.log(result.text());
}
