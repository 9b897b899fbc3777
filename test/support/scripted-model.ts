import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, newClient } from '../../src/overlay/index.ts';

/** One request as the server read it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it at will
  readonly body: any;
}

/** A model whose answers are written down beforehand: a JSON body, a stream as an array of frames, or something made of the request. */
export type Scripted = object | readonly string[] | ((request: SeenRequest) => object | readonly string[]);

export interface ScriptedModel {
  readonly url: string;
  readonly requests: SeenRequest[];
  readonly client: Client;
  /** Settles when the client has closed a response before its end. */
  readonly cut: Promise<void>;
  close(): Promise<void>;
}

/** A real server that gives one answer per request; the last one for ever. An array stays open after its frames if its last one is `hang`. */
export async function scriptedModel(...answers: Scripted[]): Promise<ScriptedModel> {
  const requests: SeenRequest[] = [];
  let noteCut = (): void => {};
  const cut = new Promise<void>((resolve) => {
    noteCut = resolve;
  });
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const seen: SeenRequest = { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(Buffer.concat(pieces).toString()) };
    const script = answers[Math.min(requests.length, answers.length - 1)] as Scripted;
    requests.push(seen);
    response.on('close', () => {
      if (!response.writableEnded) noteCut();
    });
    const answer = typeof script === 'function' ? (script as (request: SeenRequest) => object)(seen) : script;
    if (!Array.isArray(answer)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of answer as string[]) if (frame !== 'hang') response.write(frame);
    if (answer.at(-1) !== 'hang') response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = newClient({ apiKey: 'test-key', baseURL: `${url}/v4`, endpoints: { messages: `${url}/anthropic` }, maxRetries: 0 });
  return {
    url,
    requests,
    client,
    cut,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 2 } };

/** A chat response. */
export function chatAnswer(message: object, finish_reason: string | null = 'stop'): object {
  return { id: 'r', created: 1, model: 'glm-4.6', choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], usage };
}

/** A chat response that asks for tools: `[id, name, arguments]` each. */
export function chatCalls(...calls: readonly (readonly [id: string, name: string, args: string])[]): object {
  const tool_calls = calls.map(([id, name, args]) => ({ id, type: 'function', function: { name, arguments: args } }));
  return chatAnswer({ content: null, reasoning_content: 'thinking about it', tool_calls }, 'tool_calls');
}

/** A reply of the message surface. */
export function messageAnswer(content: readonly object[], stop_reason: string = 'end_turn'): object {
  return {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'glm-4.6',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  };
}

/** A chat response as the frames of a stream. */
export function chatFrames(chunks: readonly object[]): string[] {
  return [...chunks.map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'glm-4.6', ...chunk })}\n\n`), 'data: [DONE]\n\n'];
}

/** Events of the message surface as frames. */
export function eventFrames(events: readonly { readonly type: string }[]): string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
