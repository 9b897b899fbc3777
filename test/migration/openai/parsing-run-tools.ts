/** A tool with a large schema, its arguments as they arrive, and the transcript. */
import { type Client, defineTool, toolRun } from 'modelsvc';
import { z } from 'zod';

const DynamicValue = z.object({ column_name: z.string() });
const Condition = z.object({
  column: z.enum(['id', 'status', 'ordered_at']),
  operator: z.enum(['=', '>', '<', '!=']),
  value: z.union([z.string(), z.number(), DynamicValue]),
});
const orders = [{ orderId: 'ORD-001', totalPrice: 89.99 }];

export async function run(c: Client): Promise<void> {
  const query = defineTool({
    name: 'query',
    input: z.object({
      table_name: z.enum(['orders', 'customers']),
      columns: z.array(z.enum(['id', 'status'])),
      conditions: z.array(Condition),
      order_by: z.enum(['asc', 'desc']),
    }),
    run: (args) => ({ table_name: args.table_name, data: orders }),
  });
  const stream = c
    .chat()
    .streamWithTools(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'What are the last 10 orders?' }] }, [query], {
      onRound: ({ calls }) => {
        for (const { input } of calls) console.log('parsed function arguments:', JSON.stringify(input));
      },
    });
  for await (const _ of stream);
  console.log(
    toolRun(stream)
      ?.transcript.map(({ role }) => role)
      .join(' '),
  );
}
