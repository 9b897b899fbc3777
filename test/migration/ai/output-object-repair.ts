/** A structured answer that the program repairs. */
import { type Client, isModelsvcError, outputFormat } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const format = outputFormat(z.object({ content: z.string() }));
  const reply = await c
    .chat()
    .create(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Attractions of SF?' }], response_format: format });
  try {
    console.log((await format.parse(reply)).content);
  } catch (error) {
    if (!isModelsvcError(error, 'output')) throw error;
    const repaired = await format.parse(`${error.text}}`);
    console.log('after manual repair:', repaired.content);
  }
}
