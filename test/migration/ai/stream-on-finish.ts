/** Usage, finish reason and text after a stream. */
import { type Client, collecting, contentText, textDeltas } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const stream = collecting(c.chat().stream(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Invent a new holiday.' }] }));
  for await (const textPart of textDeltas(stream)) process.stdout.write(textPart);
  const { usage, choices } = await stream.response();
  console.log('\nToken usage:', usage?.prompt_tokens, usage?.completion_tokens);
  console.log('Finish reason:', choices[0]?.finish_reason);
  console.log('Text:', contentText(choices[0]?.message.content));
}
