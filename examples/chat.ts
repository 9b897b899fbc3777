/**
 * Ask a question, and print the answer with the number of tokens.
 *
 *     SVC_API_KEY=... npx tsx chat.ts "Why is the sky blue?"
 */
import { contentText, finishError, newClient } from 'modelsvc';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});

const reply = await c.chat().create({
  model: 'glm-5.3',
  effort: 'low',
  messages: [
    { role: 'system', content: 'Answer in one sentence.' },
    { role: 'user', content: process.argv[2] ?? 'Why is the sky blue?' },
  ],
});
console.log(contentText(reply.choices[0]?.message.content));
console.log(`${reply.usage?.total_tokens} tokens`);

// An answer can be cut off at a token limit or withheld by a filter. The call itself then succeeds.
const incomplete = finishError(reply);
if (incomplete) {
  console.error(incomplete.message);
  process.exitCode = 1;
}
