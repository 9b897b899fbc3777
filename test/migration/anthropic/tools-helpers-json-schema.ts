/** A typed tool whose schema is JSON Schema. */
import { type Client, defineTool } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const calculate = defineTool({
    name: 'calculate',
    description: 'Basic arithmetic',
    input: {
      type: 'object',
      properties: { operator: { type: 'string', enum: ['add', 'multiply'] }, a: { type: 'number' }, b: { type: 'number' } },
      required: ['operator', 'a', 'b'],
    },
    run: ({ operator, a, b }) => String(operator === 'add' ? Number(a) + Number(b) : Number(a) * Number(b)),
  });
  const message = await c
    .anthropic()
    .runWithTools(undefined, { model: 'glm-5.3', max_tokens: 1024, messages: [{ role: 'user', content: 'What is 6 * 7?' }] }, [calculate]);
  console.log(message.text());
}
