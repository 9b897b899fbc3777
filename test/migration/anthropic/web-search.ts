/** A search of the web, which the service runs. */
import { type Client, webSearchOf } from 'modelsvc';

export async function run(c: Client): Promise<void> {
  const reply = await c.anthropic().create(undefined, {
    model: 'glm-5.3',
    max_tokens: 1024,
    messages: [{ role: 'user', content: "What's the weather in New York?" }],
    tools: [{ type: 'web_search_20260209', name: 'web_search', max_uses: 5 }],
  });
  const { ran, sources } = webSearchOf(reply);
  console.log(reply.text(), ran, reply.usage.server_tool_use?.web_search_requests);
  for (const { title, url } of sources) console.log(title, url);
}
