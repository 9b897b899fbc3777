/** A loop of one's own over streams that ask for tools. */
import { type Client, collecting, contentText, type Message, newFunctionTool } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const tools = [newFunctionTool('search', 'Search books by name.', { type: 'object', properties: { name: { type: 'string' } } })];
  const messages: Message[] = [{ role: 'user', content: 'Find To Kill a Mockingbird.' }];
  while (true) {
    const stream = collecting(c.chat().stream(undefined, { model: 'glm-5.3', messages, tools }));
    for await (const chunk of stream) process.stdout.write(contentText(chunk.choices[0]?.delta.content));
    const { choices } = await stream.response();
    const message = choices[0]?.message;
    if (!message?.tool_calls) return;
    messages.push(message);
    for (const call of message.tool_calls) {
      console.log('call', call.function?.name, call.function?.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: '[{"id":"a1"}]' });
    }
  }
}
