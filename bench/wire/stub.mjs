/** Functions in the place of fetch: a canned reply, no socket. */
import { blockEvents, blocks, reply } from './corpus.mjs';

export function stubFetch(mode, surface) {
  if (mode === 'call') {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'bench' };
    return async () => new Response(reply[surface], { status: 200, headers });
  }
  const body = blocks(surface, blockEvents);
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  return async () => {
    let at = 0;
    const stream = new ReadableStream({
      pull(controller) {
        if (at < body.length) controller.enqueue(body[at++]);
        else controller.close();
      },
    });
    return new Response(stream, { status: 200, headers });
  };
}
