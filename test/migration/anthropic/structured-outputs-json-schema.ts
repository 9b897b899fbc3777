/** A structured answer whose schema is JSON Schema. */
import { type Client, outputFormat } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false } as const;
  const format = outputFormat(schema);
  const message = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 100,
    system: format.instructions,
    messages: [{ role: 'user', content: 'What is bigger: 738 * 5678 or 98123 - 2711?' }],
  });
  console.log((await format.parse(message)).answer);
}
