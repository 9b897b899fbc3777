/** A signal that ends a stream, and the text so far. */
import { type Client, isAbortError, textDeltas } from 'modelsvc';

export async function run(c: Client, signal: AbortSignal, onText: () => void): Promise<void> {
  try {
    const stream = c.chat().stream(signal, { model: 'glm-5.3', messages: [{ role: 'user', content: 'A story about a robot.' }] });
    for await (const textPart of textDeltas(stream)) {
      process.stdout.write(textPart);
      onText();
    }
  } catch (error) {
    if (isAbortError(error)) console.log('\nAbortError: The run was aborted.');
  }
}
