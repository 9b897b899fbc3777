/** A structured answer of Responses. */
import { type Client, outputFormat } from 'modelsvc';
import { z } from 'zod';

const MathResponse = z.object({ steps: z.array(z.object({ explanation: z.string(), output: z.string() })), final_answer: z.string() });

export async function run(c: Client): Promise<void> {
  const rsp = await c
    .responses()
    .parse(undefined, { input: 'solve 8x + 31 = 2', model: 'glm-5.3' }, outputFormat(MathResponse, { name: 'math_response' }));
  console.log('answer:', rsp.parsed.final_answer);
}
