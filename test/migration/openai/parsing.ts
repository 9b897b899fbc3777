/** A structured answer. */
import { type Client, outputFormat } from 'modelsvc';
import { z } from 'zod';

const MathResponse = z.object({ steps: z.array(z.object({ explanation: z.string(), output: z.string() })), final_answer: z.string() });

export async function run(c: Client): Promise<void> {
  const format = outputFormat(MathResponse, { name: 'math_response' });
  const completion = await c.chat().create(undefined, {
    model: 'glm-5.3',
    messages: [
      { role: 'system', content: 'You are a helpful math tutor.' },
      { role: 'user', content: 'Solve 8x + 31 = 2.' },
    ],
    response_format: format,
  });
  const { steps, final_answer } = await format.parse(completion);
  console.log(steps.length, 'steps, answer:', final_answer);
}
