/**
 * Print the reasoning of a model and its answer, on chat and messages.
 *
 *     SVC_API_KEY=... npx tsx thinking.ts
 */
import { contentText, newClient, responseInfo } from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const question = 'Is 91 a prime number?';

// Chat, as a stream: reasoning arrives in `reasoning_content`, before the answer.
const stream = c.chat().stream({
  model: 'glm-5.3',
  effort: 'high',
  messages: [{ role: 'user', content: question }],
});
let part = '';
for await (const chunk of stream) {
  const delta = chunk.choices[0]?.delta;
  print('thinking', delta?.reasoning_content ?? '');
  print('answer', contentText(delta?.content));
}
process.stdout.write('\n');

function print(name: string, text: string): void {
  if (text === '') return;
  if (part !== name) process.stdout.write(`${part && '\n'}chat ${name}: `);
  part = name;
  process.stdout.write(text);
}

// Messages, as one reply. Without `effort` the model thinks at max.
const reply = await c.anthropic().create({
  model: 'glm-5.3',
  max_tokens: 4096,
  effort: 'low',
  messages: [{ role: 'user', content: question }],
});
console.log(`messages thinking: ${reply.thinking()}`);
console.log(`messages answer: ${reply.text()}`);

// The fields that were sent for the effort, and the reason if the model does not have that level.
const { sent, why } = responseInfo(reply).effort ?? {};
console.log(`effort: ${JSON.stringify(sent)}`, why ?? '');
