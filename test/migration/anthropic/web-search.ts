/** A search of the web, on the chat surface. */
import type { Client } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const reply = await c.chat().create(undefined, {
    model: 'glm-5.3',
    messages: [{ role: 'user', content: "What's the weather in New York?" }],
    tools: [{ type: 'web_search', web_search: { enable: true, search_result: true } }],
  });
  console.log(reply.choices[0]?.message.content, reply.usage?.total_tokens !== undefined);
  for (const { title, link } of reply.web_search ?? []) console.log(title, link);
}
