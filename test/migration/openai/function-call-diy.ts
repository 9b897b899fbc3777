/** A loop of one's own over function calls. */
import { type Client, type Message, newFunctionTool } from 'modelsvc';

const functions = [
  newFunctionTool('list', 'List books by genre.', { type: 'object', properties: { genre: { type: 'string', enum: ['mystery', 'historical'] } } }),
  newFunctionTool('get', 'A book by its id.', { type: 'object', properties: { id: { type: 'string' } } }),
];
const books = [
  { id: 'a1', name: 'To Kill a Mockingbird', genre: 'historical' },
  { id: 'a2', name: 'All the Light We Cannot See', genre: 'historical' },
];

function callFunction(name: string, text: string): unknown {
  const args = JSON.parse(text) as { genre?: string; id?: string };
  if (name === 'list') return books.filter(({ genre }) => genre === args.genre);
  if (name === 'get') return books.find(({ id }) => id === args.id);
  throw new Error('No function found');
}

export async function run(c: Client): Promise<void> {
  const messages: Message[] = [
    { role: 'system', content: 'Use the book database.' },
    { role: 'user', content: 'Recommend a book like To Kill a Mockingbird.' },
  ];
  while (true) {
    const completion = await c.chat().create(undefined, { model: 'glm-5.3', messages, tools: functions });
    const message = completion.choices[0]?.message;
    if (!message?.tool_calls) {
      console.log(message?.content);
      return;
    }
    messages.push(message);
    for (const call of message.tool_calls) {
      if (!call.function) continue;
      const result = callFunction(call.function.name, call.function.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result) });
      console.log(call.function.name, JSON.stringify(result));
    }
  }
}
