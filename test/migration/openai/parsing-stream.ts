/** A structured answer that is shown while it arrives. */
import { type Client, collecting, isModelsvcError, outputFormat, textDeltas } from 'modelsvc';
import { z } from 'zod';

const Step = z.object({ explanation: z.string(), output: z.string() });
const MathResponse = z.object({ steps: z.array(Step), final_answer: z.string() });

export async function run(c: Client): Promise<void> {
  const format = outputFormat(MathResponse, { name: 'math_response' });
  const stream = collecting(
    c.chat().stream(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Solve 8x + 31 = 2.' }], response_format: format }),
  );
  let snapshot = '';
  for await (const delta of textDeltas(stream)) {
    snapshot += delta;
    console.log('content:', snapshot.length);
  }
  try {
    const parsed = await format.parse(await stream.response());
    console.log('answer:', parsed.final_answer);
  } catch (error) {
    if (!isModelsvcError(error, 'output')) throw error;
    console.log('request refused', error.problem);
  }
}
