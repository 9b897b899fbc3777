/** A limit for a complete call. */
import { type Client, isModelsvcError } from 'modelsvc';

export async function run(c: Client, signal: AbortSignal): Promise<void> {
  try {
    const reply = await c.chat().createSimple({ signal, timeout: 0 }, 'glm-5.3', 'Invent a new holiday.');
    console.log(reply.choices[0]?.message.content, reply.usage?.total_tokens);
  } catch (error) {
    console.log(isModelsvcError(error, 'abort') ? 'timed out' : String(error));
  }
}
