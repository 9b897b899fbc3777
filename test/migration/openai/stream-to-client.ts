/** A handler of Next that streams to its page, a server of `node:http`, and the page. */
import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Client, textDeltas, toSSE } from 'modelsvc';

export async function handler(c: Client, request: Request): Promise<Response> {
  const stream = c.chat().stream(request.signal, { model: 'glm-5.3', messages: [{ role: 'user', content: await request.text() }] });
  return new Response(toSSE(stream), { headers: { 'content-type': 'text/event-stream' } });
}

export function server(c: Client): Server {
  return createServer(async (_request, response) => {
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    const stream = c.chat().stream(closed.signal, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Why dogs?' }] });
    response.setHeader('content-type', 'text/plain');
    await pipeline(Readable.from(textDeltas(stream)), response);
  });
}

/** The page: the text of the events. */
export async function page(response: Response): Promise<string> {
  let text = '';
  for (const event of (await response.text()).split('\n\n')) {
    const data = event.replace(/^data: /, '');
    if (data.startsWith('{')) text += JSON.parse(data).choices[0]?.delta.content ?? '';
  }
  return text;
}
