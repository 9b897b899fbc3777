/** Two ways to leave a stream: `break`, and a signal. */
import { type Client, isModelsvcError } from 'modelsvc';

export async function run(c: Client, stopAt: string, abortAt: string): Promise<void> {
  const stop = new AbortController();
  const request = { model: 'glm-5.3', max_tokens: 500, messages: [{ role: 'user' as const, content: 'How can I list all files in Rust?' }] };
  try {
    for await (const event of c.anthropic().stream(stop.signal, request)) {
      if (event.type !== 'content_block_delta' || event.data.delta.type !== 'text_delta') continue;
      process.stdout.write(event.data.delta.text);
      if (event.data.delta.text.includes(abortAt)) stop.abort();
      if (event.data.delta.text.includes(stopAt)) break;
    }
    console.log(' done');
  } catch (error) {
    if (!isModelsvcError(error, 'abort')) throw error;
    console.log(' aborted');
  }
}
