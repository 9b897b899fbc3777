/** A signal that ends a stream, and the text so far. */
import { type Client, isModelsvcError, textDeltas } from 'modelsvc';

export async function run(c: Client, signal: AbortSignal, onText: () => void): Promise<void> {
  try {
    const stream = c.chat().stream(signal, { model: 'glm-5.3', messages: [{ role: 'user', content: 'A story about a robot.' }] });
    for await (const textPart of textDeltas(stream)) {
      process.stdout.write(textPart);
      onText();
    }
  } catch (error) {
    if (isModelsvcError(error, 'abort')) console.log('\nAbortError: The run was aborted.');
  }
}
