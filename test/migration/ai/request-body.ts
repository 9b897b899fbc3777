/** The bodies that were sent and received, and headers of one's own. */
import { type Client, type Config, newClient } from 'modelsvc';

export async function run(_: Client, config: Config): Promise<void> {
  const c = newClient({
    ...config,
    httpClient: async (input, init) => {
      console.log('URL', new URL(String(input)).pathname);
      console.log('BODY', init?.body);
      const response = await fetch(input, init);
      console.log('STATUS', response.status);
      return response;
    },
  });
  const reply = await c.chat().createSimple({ headers: { 'custom-header': 'value' } }, 'glm-5.3', 'Invent a new holiday.');
  console.log(reply.choices[0]?.message.content);
}
