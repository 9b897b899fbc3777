/** A handler of Next that streams to its page, a server of `node:http`, and the page. */
import { createServer, type Server } from 'node:http';
import { type Client, toResponse } from 'modelsvc';
import { pipeToResponse } from 'modelsvc/node';

export async function handler(c: Client, request: Request): Promise<Response> {
  const stream = c.chat().stream(request.signal, { model: 'glm-5.3', messages: [{ role: 'user', content: await request.text() }] });
  return toResponse(stream, { onError: console.error });
}

export function server(c: Client): Server {
  return createServer(async (_request, response) => {
    const stream = c.chat().stream(undefined, { model: 'glm-5.3', messages: [{ role: 'user', content: 'Why dogs?' }] });
    await pipeToResponse(stream, response, { onError: console.error });
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
