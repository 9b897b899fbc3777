/** One call of the model that asks for a tool, and its typed arguments. */
import { type Client, defineTool } from 'modelsvc';
import { z } from 'zod';

const Query = z.object({ table_name: z.enum(['orders', 'customers']), columns: z.array(z.string()) });

export async function run(c: Client): Promise<void> {
  const query = defineTool({ name: 'query', input: Query, run: () => undefined });
  const completion = await c.chat().create(undefined, {
    model: 'glm-5.3',
    messages: [{ role: 'user', content: 'Look up my orders of November.' }],
    tools: [query.as('chat')],
  });
  const toolCall = completion.choices[0]?.message.tool_calls?.[0];
  if (toolCall?.function) {
    const args = Query.parse(JSON.parse(toolCall.function.arguments));
    console.log(args.table_name);
  }
}
