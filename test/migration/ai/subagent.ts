/** A tool that is an agent itself. */
import { type Client, contentText, defineTool } from 'modelsvc';
import { z } from 'zod';

export async function run(c: Client): Promise<void> {
  const research = defineTool({
    name: 'research',
    description: 'Research a topic.',
    input: z.object({ task: z.string() }),
    run: async ({ task }, { signal }) => {
      const reply = await c.chat().createSimple(signal, 'glm-5.3', task);
      return contentText(reply.choices[0]?.message.content);
    },
  });
  const reply = await c.chat().runWithTools(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Research Vercel.' }] }, [research]);
  console.log(reply.choices[0]?.message.content);
}
