// Sends a call and turns its reply into a Response. Failures inside a reply are thrown before the Response exists.
import type { ResponsesStreamEvent } from '../generated/types.ts';
import { webResponse } from '../overlay/call/operations/bindings.ts';
import { openBytes, openRaw, readJson } from '../overlay/call/reply/decode.ts';
import { type ResponseInfo, responseInfo } from '../overlay/call/reply/response-info.ts';
import type { Call } from '../overlay/call/request/call.ts';
import { send } from '../overlay/call/send.ts';
import type { Settings } from '../overlay/call/settings/settings.ts';
import { isModelsvcError } from '../overlay/errors/guards.ts';
import { EventStream } from '../overlay/streams/event-stream.ts';
import { firstRoles } from '../overlay/streams/first-roles.ts';
import { ChunkProtocol } from '../overlay/surfaces/chat/protocol.ts';
import { type AnthropicStreamEvent, MessagesProtocol } from '../overlay/surfaces/messages/protocol.ts';
import { ResponsesProtocol } from '../overlay/surfaces/responses/protocol.ts';
import { withBase64 } from './embeddings.ts';

/** Perform a call. `fields` are the body that the client sent. */
export function respond(call: Call, settings: Settings, fields: Readonly<Record<string, unknown>>): Promise<Response> {
  if (call.reply === 'stream') {
    const { surface } = call.route;
    return surface === 'messages' ? messageEvents(call, settings) : surface === 'responses' ? responseEvents(call, settings) : chunks(call, settings);
  }
  return send(call, settings, async (reply) => {
    if (call.reply === 'json') {
      const value = await readJson(reply);
      const asBase64 = call.operation === 'embeddings.create' && fields['encoding_format'] === 'base64';
      return new Response(JSON.stringify(asBase64 ? withBase64(value) : value), initOf(reply.info, 'application/json'));
    }
    await (call.reply === 'bytes' ? openBytes : openRaw)(reply);
    return webResponse(reply, (error) => shownTo(call, error));
  });
}

function chunks(call: Call, settings: Settings): Promise<Response> {
  const stream = new EventStream(call.operation, new ChunkProtocol(), settings, call);
  const shown = firstRoles();
  return streamResponse(
    call,
    stream,
    (chunk) => `data: ${JSON.stringify(shown(chunk))}\n\n`,
    () => 'data: [DONE]\n\n',
  );
}

function messageEvents(call: Call, settings: Settings): Promise<Response> {
  const stream = new EventStream(call.operation, new MessagesProtocol(), settings, call);
  let last = '';
  const frame = ({ type, data }: Pick<AnthropicStreamEvent, 'type' | 'data'>): string => {
    last = type;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  };
  // A complete answer may lack its last event, without which the client of this surface reports a failure.
  return streamResponse(call, stream, frame, () => (last === 'message_stop' ? '' : frame({ type: 'message_stop', data: { type: 'message_stop' } })));
}

function responseEvents(call: Call, settings: Settings): Promise<Response> {
  const stream = new EventStream(call.operation, new ResponsesProtocol(), settings, call);
  const frame = (event: ResponsesStreamEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return streamResponse(call, stream, frame, () => '');
}

/**
 * The items of a stream as frames. The Response is created when the first item has arrived, so that a failure before it becomes a status.
 * A later failure errors the body. Each item is serialized again, so that the client gets only complete frames in one form.
 */
async function streamResponse<T>(call: Call, stream: EventStream<T>, frame: (item: T) => string, end: () => string): Promise<Response> {
  const encoder = new TextEncoder();
  let ahead: IteratorResult<T, undefined> | undefined = await stream.next();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = ahead ?? (await stream.next());
          ahead = undefined;
          const text = done ? end() : frame(value);
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) controller.close();
        } catch (error) {
          controller.error(shownTo(call, error));
        }
      },
      async cancel() {
        await stream.return();
      },
    },
    { highWaterMark: 0 },
  );
  const info = responseInfo(stream);
  return new Response(body, info && initOf(info, 'text/event-stream'));
}

/** As with the platform's fetch, an abort rejects with the caller's own reason, which may be null. Signals of polyfills have no reason. */
export function shownTo({ signals }: Pick<Call, 'signals'>, error: unknown): unknown {
  const reason: unknown = signals[0]?.reason;
  return isModelsvcError(error, 'abort') && reason !== undefined ? reason : error;
}

/** Status and headers of a reply whose body was serialized again. */
function initOf({ status, headers: given, requestId }: ResponseInfo, contentType: string): ResponseInit {
  const headers = new Headers(given);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name);
  headers.set('content-type', contentType);
  setRequestId(headers, requestId);
  return { status, headers };
}

/** Clients read the id from the header of their vendor. */
export function setRequestId(headers: Headers, id: string | undefined): void {
  if (id === undefined) return;
  headers.set('x-request-id', id);
  headers.set('request-id', id);
}
