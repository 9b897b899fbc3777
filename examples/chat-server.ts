/**
 * A chat server: it streams each answer to its page as Server-Sent Events, and gives a failure before the answer a status. A page that leaves ends the call.
 *
 *     SVC_API_KEY=... npx tsx chat-server.ts 3000
 *     curl -N http://127.0.0.1:3000 -d '{"messages":[{"role":"user","content":"Why is the sky blue?"}]}'
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { newClient, textDeltas } from 'modelsvc';
import { pipeToResponse } from 'modelsvc/node';
import { z } from 'zod';

const c = newClient({ apiKey: process.env.SVC_API_KEY ?? '', endpoints: process.env.SVC_ENDPOINTS });
const Page = z.object({ messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })).min(1) });

const server = createServer(async (request, response) => {
  const page = Page.safeParse(await json(request).catch(() => undefined));
  if (!page.success) return void response.writeHead(400).end();
  const stream = c.chat().stream(undefined, { model: 'glm-5.3', messages: page.data.messages });
  // The text of an error is for the log of the server, not for the page.
  await pipeToResponse(textDeltas(stream), response, { onError: (error) => console.error(String(error)) });
});
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => console.log(server.address()));
