/** A log of every attempt, a header for each request, and the usage of each call. */
import { type Client, type Config, newClient } from 'modelsvc';

export async function run(_: Client, config: Config): Promise<void> {
  const c = newClient({
    ...config,
    headers: { 'x-my-app': 'demo' },
    hooks: [
      {
        onRequest: ({ method, endpoint, attempt }) => console.log(`-> ${method} ${endpoint} (retry ${attempt})`),
        onResponse: ({ status }) => console.log(`<- ${status}`),
        onEnd: (_operation, { usage }) => console.log(`usage: ${(usage as { input_tokens: number }).input_tokens} in`),
      },
    ],
  });
  const message = await c.anthropic().create(undefined, { model: 'glm-5.3', max_tokens: 100, messages: [{ role: 'user', content: 'Hey!?' }] });
  console.log(message.text());
  c.close();
}
