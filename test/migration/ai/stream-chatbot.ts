/** A chatbot with a tool. */
import { type Client, defineTool, isApiError, type Message, textDeltas, toolRun } from 'modelsvc';
import { z } from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Get the weather in a location',
  input: z.object({ location: z.string().describe('The location to get the weather for') }),
  run: async ({ location }) => ({ location, temperature: 72 }),
});

export async function run(c: Client, questions: readonly string[]): Promise<void> {
  let messages: Message[] = [];
  for (const content of questions) {
    messages.push({ role: 'user', content });
    const stream = c.chat().streamWithTools(undefined, { model: 'glm-5.3', messages }, [weather], { maxRounds: 4 });
    try {
      for await (const text of textDeltas(stream)) process.stdout.write(text);
    } catch (error) {
      if (!isApiError(error)) throw error;
      console.log('onError', error.code);
      return;
    }
    messages = [...(toolRun(stream)?.transcript ?? [])];
    console.log(` (${messages.length} messages)`);
  }
}
