import { type Answer, type AnsweringServer, type Asked, answeringServer } from './answering-server.ts';

export interface SeenRequest extends Asked {
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown;
}

export type CannedReply = Answer;

export interface LocalServer extends Pick<AnsweringServer, 'url' | 'sockets'> {
  readonly requests: readonly SeenRequest[];
}

/** A fake service that sends the replies in order and repeats the last one. Text is sent as an event stream. It closes with the test. */
export async function localServer(...replies: CannedReply[]): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  const server = await answeringServer((asked, index) => {
    requests.push({ ...asked, body: asked.text === '' ? undefined : JSON.parse(asked.text) });
    const reply = replies[Math.min(index, replies.length - 1)] ?? { body: {} };
    return typeof reply.body === 'string' ? { ...reply, headers: { 'content-type': 'text/event-stream', ...reply.headers } } : reply;
  });
  return {
    url: server.url,
    requests,
    get sockets() {
      return server.sockets;
    },
  };
}
