import { examples } from '../../generated/examples.ts';
import { defaultModels } from '../../generated/model-ids.ts';
import type { Route } from '../../generated/routes.ts';
import { servedEffort, servedModel, thoughtTokens } from '../requests/effort.ts';
import type { FakeRequest } from '../requests/request.ts';
import { bytesOf, bytesWire, framesOf, jsonWire, sourceWire, streamWire, type WireReply } from '../sockets/wire-reply.ts';
import { chatFrames, chatReply, doneFrame } from './chat-turn.ts';
import { silence } from './media.ts';
import { eventFrame, messageFrames, messageReply } from './message-turn.ts';
import { responsesFrames, responsesReply } from './responses-turn.ts';
import type { PromptTokens, Turn, TurnScene } from './turn.ts';

/**
 * The content of a reply.
 *
 * - `turn`: a turn of the model, on `chat.create`, `anthropic.create` and `responses.create`; JSON or a stream, as the request asks
 * - `example`: an example of the spec by name, including failures; JSON or a stream, as the request asks
 * - `body`: an object is sent as JSON, text and bytes verbatim. Default status: 200. A header with an empty value is left out, `x-log-id` too
 * - `frames`: an event stream. A string is sent verbatim, including line ends; an object is sent as one frame of the surface
 *
 * `body` and `frames` can be an async iterable: the fake takes the next item when the client has taken the last. So a test controls
 * when a stream continues, and a body can be endless. If the iterable throws, the connection closes. If the client leaves, the iterable is closed.
 */
export type Reply =
  | { readonly turn: Turn }
  | { readonly example: string }
  | { readonly body: unknown; readonly status?: number | undefined; readonly headers?: Readonly<Record<string, string>> | undefined }
  | {
      readonly frames: readonly (string | object)[] | AsyncIterable<string | object>;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** The request that an answer is made for. */
export interface Scene {
  readonly route: Route;
  readonly request: FakeRequest;
  /** True to answer with an event stream. */
  readonly stream: boolean;
  /** Tokens of a prompt that is long enough for the cache. */
  readonly prompt?: PromptTokens | undefined;
}

/** Operations that a turn can answer. */
export const turnOperations: readonly string[] = ['chat.create', 'anthropic.create', 'responses.create'];

/** The wire reply of an answer. */
export function replyWire(reply: Reply, scene: Scene): WireReply {
  const { route } = scene;
  if ('turn' in reply) return turnWire(reply.turn, scene);
  if ('example' in reply) return exampleWire(route, scene.stream, reply.example);
  if ('frames' in reply) return framesWire(reply.frames, route, reply.headers);
  const { body, status = 200, headers = {} } = reply;
  if (isAsyncIterable(body)) return sourceWire(body, { 'content-type': 'application/octet-stream', ...headers }, status);
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return jsonWire(body ?? {}, status, headers);
  const block = typeof body === 'string' ? bytesOf(body) : body;
  return bytesWire(
    block,
    { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream', ...headers },
    status,
  );
}

type Frames = Extract<Reply, { readonly frames: unknown }>['frames'];

function framesWire(frames: Frames, route: Route, headers?: Readonly<Record<string, string>>): WireReply {
  if (Symbol.asyncIterator in frames) return { ...streamWire([], headers), source: () => rendered(frames, route) };
  return streamWire(
    frames.map((frame) => frameOf(route, frame)),
    headers,
  );
}

async function* rendered(frames: AsyncIterable<string | object>, route: Route): AsyncGenerator<string> {
  for await (const frame of frames) yield frameOf(route, frame);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<string | Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Renders an object as a frame of the route's stream. */
function frameOf(route: Route, payload: string | object): string {
  if (typeof payload === 'string') return payload;
  return route.surface === 'messages' || route.surface === 'responses' ? eventFrame({ ...payload }) : `data: ${JSON.stringify(payload)}\n\n`;
}

function turnWire(turn: Turn, { route, request, stream, prompt }: Scene): WireReply {
  const body = (request.body ?? {}) as { readonly tool_stream?: unknown };
  const effort = servedEffort(route, request);
  const scene: TurnScene = {
    id: request.requestId,
    model: servedModel(request) ?? defaultModels.text,
    toolStream: body.tool_stream === true,
    thought: effort && thoughtTokens[effort],
    prompt,
  };
  if (route.surface === 'messages') return stream ? streamWire(messageFrames(turn, scene)) : jsonWire(messageReply(turn, scene));
  if (route.surface === 'responses') return stream ? streamWire(responsesFrames(turn, scene)) : jsonWire(responsesReply(turn, scene));
  return stream ? streamWire(chatFrames(turn, scene)) : jsonWire(chatReply(turn, scene));
}

/** An example by name, or the first of its kind. Searches the requested kind first, then the other kind and failures. */
export function exampleWire(route: Route, stream: boolean, name?: string, status = '200'): WireReply {
  const replies = examples[route.id]?.replies ?? {};
  // An operation whose success is 204 has no example of it.
  if (name === undefined && status === '200' && route.emptyReply && !Object.keys(replies).some((key) => key.startsWith('2')))
    return bytesWire(bytesOf(''), {}, 204);
  const fits = (key: string): boolean => key.includes('text/event-stream') === stream;
  const keys = Object.keys(replies);
  const ordered = [...keys.filter((key) => key.startsWith(status)), ...keys.filter((key) => !key.startsWith(status))];
  const preferred = [...ordered.filter(fits), ...ordered.filter((key) => !fits(key))];
  for (const key of preferred) {
    const named = replies[key] ?? {};
    const chosen = name ?? Object.keys(named)[0];
    if (chosen === undefined || !(chosen in named)) continue;
    return exampleValue(named[chosen], key, stream);
  }
  throw new Error(`${route.id} has no example ${name ?? ''} (use one of ${keys.flatMap((key) => Object.keys(replies[key] ?? {})).join(', ')})`);
}

function exampleValue(value: unknown, key: string, stream: boolean): WireReply {
  const [status = '200', type = ''] = key.split(' ');
  const code = status === 'default' ? 500 : Number(status);
  if (type === 'text/event-stream') return streamWire(framesOf(String(value)));
  // The spec has a word instead of sound.
  if (!type.includes('json')) return bytesWire(type === 'audio/wav' ? silence() : bytesOf(String(value)), { 'content-type': type }, code);
  // If the operation has no stream example, its JSON reply becomes a frame.
  return stream && code < 300 ? streamWire([`data: ${JSON.stringify(value)}\n\n`, doneFrame]) : jsonWire(value, code);
}

/** The reply that a `Prefer` header selects, with the syntax of Prism: `example=toolCalls`, `code=429`. */
export function preferredWire(route: Route, stream: boolean, prefer: string | undefined): WireReply | undefined {
  const name = /\bexample=["']?([\w-]+)/.exec(prefer ?? '')?.[1];
  const code = /\bcode=(\d{3})/.exec(prefer ?? '')?.[1];
  if (name === undefined && code === undefined) return undefined;
  const replies = Object.keys(examples[route.id]?.replies ?? {});
  const status = code !== undefined && !replies.some((key) => key.startsWith(code)) ? 'default' : (code ?? '200');
  // A failure is JSON even for a streaming request.
  const wire = exampleWire(route, stream && status === '200', name, status);
  return code === undefined || name !== undefined ? wire : { ...wire, status: Number(code) };
}
