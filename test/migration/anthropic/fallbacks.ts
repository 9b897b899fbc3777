/** Another model after a refusal. */
import { type AnthropicReply, type Client, finishError, isApiError } from 'modelsvc';

async function answer(c: Client, models: readonly string[], content: string): Promise<AnthropicReply> {
  for (const model of models) {
    const last = model === models.at(-1);
    try {
      const message = await c.anthropic().create(undefined, { model, max_tokens: 1024, messages: [{ role: 'user', content }] });
      if (finishError(message)?.reason !== 'refusal' || last) return message;
    } catch (error) {
      if (!isApiError(error) || error.category !== 'content' || last) throw error;
    }
  }
  throw new Error('no model');
}

export async function run(c: Client): Promise<void> {
  const served = await answer(c, ['glm-5.3', 'glm-4.7'], 'A prompt that is refused');
  console.log('served by:', served.model, served.text());
}
