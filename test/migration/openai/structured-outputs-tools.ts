/** One response that asks for a function, and its typed arguments. */
import { type Client, defineTool } from 'modelsvc';
import { z } from 'zod';

const Query = z.object({ table_name: z.enum(['orders', 'customers']), columns: z.array(z.string()) });

export async function run(c: Client): Promise<void> {
  const tool = defineTool({ name: 'query', input: Query, run: () => undefined });
  const rsp = await c.responses().create(undefined, { model: 'glm-5.3', input: 'Look up my orders.', tools: [tool.as('responses')] });
  const [functionCall] = rsp.toolCalls();
  if (!functionCall) throw new Error('Expected function call');
  const query = Query.parse(JSON.parse(functionCall.arguments));
  console.log(query.table_name, query.columns.join());
}
