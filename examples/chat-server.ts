/**
 * A chat server: it streams each answer to its page as Server-Sent Events, and gives a failure before the answer a status. Closing the page ends the call.
 *
 *     SVC_API_KEY=... npx tsx chat-server.ts 3000
 *     curl -N http://127.0.0.1:3000 -d '{"messages":[{"role":"user","content":"Why is the sky blue?"}]}'
 */
import { createServer, type IncomingMessage } from 'node:http';
import { newClient, textDeltas } from 'modelsvc';
import { pipeToResponse } from 'modelsvc/node';
import { z } from 'zod';

const c = newClient({
  apiKey: process.env.SVC_API_KEY ?? '',
  endpoints: process.env.SVC_ENDPOINTS,
});
const Page = z.object({
  messages: z
    .array(
      z.object({ role: z.enum(['user', 'assistant']), content: z.string() }),
    )
    .min(1),
});
const mostCharacters = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const block of request
    .setEncoding('utf8')
    .iterator({ destroyOnReturn: false }))
    if ((text += block).length > mostCharacters) break;
  return text;
}

const server = createServer(async (request, response) => {
  // A page that is closed within its request has sent no body.
  const body = await bodyOf(request).catch(() => '');
  if (body.length > mostCharacters)
    return void response.writeHead(413, { connection: 'close' }).end();
  const page = Page.safeParse(
    await new Response(body).json().catch(() => undefined),
  );
  if (!page.success) return void response.writeHead(400).end();
  const stream = c.chat().stream({
    model: 'glm-5.3',
    messages: page.data.messages,
  });
  // The text of an error is for the log of the server, not for the page.
  await pipeToResponse(textDeltas(stream), response, {
    onError: (error) => console.error(String(error)),
  });
});
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () =>
  console.log(server.address()),
);
