import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { SurfaceName } from './both-ways.ts';
import { startRawServer } from './raw-server.ts';

/** A complete request on a connection that may carry more. */
export interface KeptRequest {
  /** Number of its connection, from 0. */
  readonly connection: number;
  readonly socket: Socket;
  /** Number of the request, from 1. */
  readonly index: number;
  readonly text: string;
}

export interface KeptServer {
  readonly url: string;
  readonly requests: readonly KeptRequest[];
  /** Connections open now. */
  readonly sockets: number;
}

/** A server that keeps its connections and answers each request with the bytes that the test writes. It closes with the test. */
export async function startKeptServer(answer: (request: KeptRequest) => void, tls?: TlsOptions): Promise<KeptServer> {
  const requests: KeptRequest[] = [];
  let connections = 0;
  const serve = (socket: Socket): void => {
    const connection = connections++;
    // Bytes are on their way when the callback of their write is called.
    socket.setNoDelay();
    let heard = '';
    socket.on('data', (block) => {
      heard += block.toString('latin1');
      for (let end = heard.indexOf('\r\n\r\n'); end >= 0; end = heard.indexOf('\r\n\r\n')) {
        const whole = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(heard)?.[1] ?? 0);
        if (heard.length < whole) return;
        const request = { connection, socket, index: requests.length + 1, text: heard.slice(end + 4, whole) };
        heard = heard.slice(whole);
        requests.push(request);
        answer(request);
      }
    });
  };
  const server = await startRawServer(serve, tls ? { eager: true, tls } : { eager: true });
  return {
    url: tls ? server.url.replace('http:', 'https:') : server.url,
    requests,
    get sockets() {
      return server.sockets;
    },
  };
}

/** The body of a reply, whole or as a stream, with this text. */
export function bodyOf(surface: SurfaceName, stream: boolean, text: string): string {
  const finish = { index: 0, finish_reason: 'stop' };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: '1', type: 'message', role: 'assistant', model: 'glm-5.2', content: [] as object[], usage };
  if (surface === 'chat')
    return stream
      ? `data: ${JSON.stringify({ id: '1', choices: [{ ...finish, delta: { content: text } }] })}\n\ndata: [DONE]\n\n`
      : JSON.stringify({ id: '1', choices: [{ ...finish, message: { role: 'assistant', content: text } }] });
  if (surface === 'responses') {
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
    const response = { id: '1', object: 'response', status: 'completed', output: [item], usage };
    if (!stream) return JSON.stringify(response);
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: text };
    return [delta, { type: 'response.completed', response }].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  }
  if (!stream) return JSON.stringify({ ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn' });
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export type Framing = 'content-length' | 'chunked';

/** The bytes of an HTTP response with this body. */
export function responseOf(body: string, framing: Framing = 'content-length', status = 200): string {
  const isStream = !body.startsWith('{');
  const head = `HTTP/1.1 ${status} X\r\ncontent-type: ${isStream ? 'text/event-stream' : 'application/json'}\r\nconnection: keep-alive\r\n`;
  return framing === 'chunked'
    ? `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    : `${head}content-length: ${body.length}\r\n\r\n${body}`;
}
