import { checkMenu } from './faults/arguments.ts';
import { gzipBlocks, gzipBomb } from './faults/gzip.ts';
import * as spoils from './faults/spoils.ts';
import type { Reply } from './replies/reply.ts';
import { failedFrames } from './replies/responses-turn.ts';
import type { Turn } from './replies/turn.ts';
import { type EnvelopeShape, embeddedShapeOf } from './requests/envelopes.ts';
import { alwaysThinks } from './requests/refusal.ts';
import { bytesOf, bytesWire, chunked, joined, jsonWire, textOf, type WireReply, withBlocks } from './sockets/wire-reply.ts';

/** Wait that a 429 asks for: in seconds, as a date `dateInMs` milliseconds from now, in milliseconds, or as verbatim text. */
export type RetryAfter = { readonly seconds: number } | { readonly dateInMs: number } | { readonly ms: number } | { readonly text: string };

/** The effect of a fault. */
export interface Effect {
  readonly spoil: spoils.Spoil;
  /** Form of the reply, if it is not the one that the request asks for. */
  readonly stream?: boolean;
  /** The turn that is corrupted by default. */
  readonly turn?: Turn;
  /** Of a fault that applies before the request body is read: whether it replies. */
  readonly early?: 'send' | 'silent';
}

/** A fault, made by a function of `faults`. */
export interface Fault {
  /** Name of the function of the menu. The refusals of the service and `serverErrors` are called `error`. */
  readonly fault: FaultName;
  /** The reply that the fault corrupts. Default: the reply that the fake would serve. */
  readonly reply?: Reply | undefined;
  /** @internal Applied in this order. */
  readonly effects: readonly Effect[];
}

const busy = 'The service is overloaded, please try again later.';

/** The code of an overload on the surfaces that have words. */
const overloaded: Readonly<Record<string, string>> = { messages: 'overloaded_error', responses: 'overloaded' };

function fault(name: FaultName, spoil: spoils.Spoil, more: Omit<Effect, 'spoil'> = {}): Fault {
  return { fault: name, effects: [{ spoil, ...more }] };
}

function error(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return fault('error', (_, scene) => spoils.failure(scene, status, code, message, headers));
}

function contentType(type: string | undefined): Fault {
  return fault('wrongContentType', (wire) => spoils.withHeaders(wire, { 'content-type': type }));
}

/** The name of each entry of the menu. */
export type FaultName = keyof typeof faults;

/**
 * The fault menu: each function returns one fault, for `fake.answer(operation, fault)`.
 *
 * Every fault works on every surface, for JSON replies and for streams. A fault that only a stream can have leaves a JSON reply unchanged.
 * To set the reply that a fault corrupts, add `reply`: `{ ...faults.gzip(), reply: { turn: { text: 'hi' } } }`.
 * Throws a ValidationError for an argument of another type or range.
 */
export const faults = {
  /** Reset the connection before the headers. */
  resetBeforeHeaders: (): Fault => fault('resetBeforeHeaders', (wire) => ({ ...wire, head: 'reset' })),
  /** Reset the connection after `afterBytes` bytes of the body. Default: after half of it. */
  resetMidBody: (afterBytes?: number): Fault =>
    fault('resetMidBody', (wire) => {
      const body = joined(wire.blocks);
      // `content-length` keeps the length of the complete body.
      return { ...wire, blocks: [afterBytes === undefined ? spoils.half(body) : body.slice(0, afterBytes)], ending: 'reset' };
    }),
  /** Never send headers. */
  silentBeforeHeaders: (): Fault => fault('silentBeforeHeaders', (wire) => ({ ...wire, head: 'silent' })),
  /** Send the headers and `blocks` frames, then stay silent. Default: 0 frames. */
  silentAfterHeaders: (blocks: number = 0): Fault =>
    fault('silentAfterHeaders', (wire) => ({ ...wire, blocks: wire.blocks.slice(0, blocks), ending: 'open' })),
  /** Send the headers after `ms` milliseconds. */
  slowHeaders: (ms: number): Fault => fault('slowHeaders', (wire) => ({ ...wire, delayMs: ms })),
  /** Send the body in small pieces with a pause after each. Default: 16 bytes every 5 ms. */
  slowDrip: (bytesPerTick: number = 16, ms: number = 5): Fault =>
    fault('slowDrip', (wire) => ({ ...withBlocks(wire, spoils.slices(joined(wire.blocks), bytesPerTick)), paceMs: ms })),
  /** Never read the request body, and never answer. The fake notices that the client leaves only in `idle`. */
  stallUpload: (): Fault => fault('stallUpload', (wire) => ({ ...wire, head: 'silent' }), { early: 'silent' }),
  /** Answer with a failure before the request body is read. Default: status 413. */
  rejectUpload: (status: number = 413, code: string = '1210', message: string = 'The file is too large.'): Fault =>
    fault('rejectUpload', (_, scene) => spoils.failure(scene, status, code, message), { early: 'send' }),
  /**
   * End the body early, after a frame or in the middle of one (`at`). With `close` the connection closes instead of a clean end. A JSON reply is cut in half.
   */
  truncatedStream: (at: 'frame' | 'midFrame' = 'frame', ending: 'end' | 'close' = 'end'): Fault =>
    fault('truncatedStream', (wire, { stream }) => {
      if (!stream) return { ...chunked(wire), blocks: [spoils.half(joined(wire.blocks))], ending };
      const end = wire.blocks.findIndex((block) => spoils.isFinish(block) || spoils.isDone(block));
      const kept = wire.blocks.slice(0, end < 0 ? -1 : end);
      const next = wire.blocks[kept.length] ?? bytesOf('data: {');
      return { ...wire, blocks: at === 'frame' ? kept : [...kept, spoils.half(next)], ending };
    }),
  /** Leave out `[DONE]`, or `message_stop`. */
  missingDone: (): Fault => fault('missingDone', (wire, scene) => spoils.without(wire, scene, spoils.isDone)),
  /** Leave out the frame with the finish reason, or the stop reason. */
  missingFinish: (): Fault => fault('missingFinish', (wire, scene) => spoils.without(wire, scene, spoils.isFinish)),
  /** Send the complete reply, and leave the body open. */
  doneThenOpen: (): Fault => fault('doneThenOpen', (wire) => ({ ...chunked(wire), ending: 'open' })),
  /** Send `text` after the end of the reply. Default: a malformed frame. */
  afterDone: (text: string = 'data: {"after"\n\n'): Fault => fault('afterDone', (wire) => withBlocks(wire, [...wire.blocks, bytesOf(text)])),
  /** Leave out the blank line after the last frame. */
  unterminatedEnd: (): Fault =>
    fault('unterminatedEnd', (wire, { stream }) =>
      stream ? withBlocks(wire, [...wire.blocks.slice(0, -1), spoils.unended(wire.blocks.at(-1))]) : wire,
    ),
  /** A stream without frames. A JSON reply gets an empty body. */
  emptyStream: (): Fault => fault('emptyStream', (wire) => withBlocks(wire, [])),
  /**
   * Two frames without a line end between them, a frame cut off by the next, or (harmless) all frames in one packet. On the chat stream, `foreignHead` is
   * the head of another answer before a frame.
   */
  gluedFrames: (how: 'undelimited' | 'cut' | 'packed' | 'foreignHead' = 'undelimited', index: number = 0): Fault =>
    fault('gluedFrames', (wire, { stream, route }) => {
      if (!stream || how === 'packed') return withBlocks(wire, [joined(wire.blocks)]);
      const [first = new Uint8Array(), second = new Uint8Array()] = wire.blocks.slice(index, index + 2);
      const put = (count: number, ...parts: Uint8Array[]): WireReply => withBlocks(wire, wire.blocks.toSpliced(index, count, joined(parts)));
      if (how !== 'foreignHead') return put(2, how === 'cut' ? spoils.half(first) : spoils.unended(first), second);
      return route.id === 'chat.create' ? put(1, spoils.foreignHead(first), first) : wire;
    }),
  /** A frame whose data is not JSON. A JSON reply is replaced by that text. */
  malformedFrame: (index: number = 1, data: string = '{"choices": [{"delta": {"content": bare words}}]}'): Fault =>
    fault('malformedFrame', (wire, { stream }) => {
      if (!stream) return bytesWire(bytesOf(data), wire.headers);
      // A replacement function, because `$` has a special meaning in a replacement string.
      const spoiled = (frame: Uint8Array): Uint8Array => bytesOf(textOf(frame).replace(/data: .*/, () => `data: ${data}`));
      return withBlocks(
        wire,
        wire.blocks.map((frame, at) => (at === index ? spoiled(frame) : frame)),
      );
    }),
  /** An error object as a data frame after `after` frames, then the end. A JSON reply becomes the error object, with status 200. */
  inBandError: (code: string = '1234', message: string = busy, after: number = 2): Fault =>
    fault('inBandError', (wire, scene) => {
      const body = spoils.failureBody(scene, code, message);
      if (!scene.stream) return jsonWire(body);
      const isResponses = scene.route.surface === 'responses';
      const frames = isResponses ? failedFrames({ code, message }, scene.request.requestId) : [`data: ${JSON.stringify(body)}\n\n`];
      return withBlocks(wire, [...wire.blocks.slice(0, after), ...frames.map(bytesOf)]);
    }),
  /** An `event: error` frame after `after` frames, then the end. Default code: `overloaded_error` on messages, `1305` elsewhere. */
  eventError: (code?: string, message: string = busy, after: number = 2): Fault =>
    fault('eventError', (wire, scene) => {
      const { surface } = scene.route;
      const known = code ?? overloaded[surface] ?? '1305';
      const body = spoils.failureBody(scene, known, message);
      if (!scene.stream) return jsonWire(body);
      const event = surface === 'responses' ? { type: 'error', code: known, message, param: null } : body;
      return withBlocks(wire, [...wire.blocks.slice(0, after), bytesOf(`event: error\ndata: ${JSON.stringify(event)}\n\n`)]);
    }),
  /** Endless comments (chat) or pings (messages) after `after` frames. Instead of a JSON reply, endless line ends. */
  keepAliveOnly: (everyMs: number = 10, after: number = 0): Fault =>
    fault('keepAliveOnly', (wire, { stream, route }) => {
      if (!stream) return spoils.endless(wire, [], '\n', everyMs);
      const sign = route.surface === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': keep-alive\n\n';
      return spoils.endless(wire, wire.blocks.slice(0, after), sign, everyMs);
    }),
  /** A JSON reply instead of the stream. */
  jsonForStream: (): Fault => fault('jsonForStream', (wire) => wire, { stream: false }),
  /** A stream instead of the JSON reply. */
  streamForJson: (): Fault => fault('streamForJson', (wire) => wire, { stream: true }),
  /** The correct body with another content type. */
  wrongContentType: (type: string = 'text/plain'): Fault => contentType(type),
  /** The correct body without a content type. */
  missingContentType: (): Fault => contentType(undefined),
  /** The HTML error page of a gateway. */
  htmlErrorPage: (status: number = 502): Fault =>
    fault('htmlErrorPage', () => {
      const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>\n`;
      return bytesWire(bytesOf(page), { 'content-type': 'text/html; charset=utf-8' }, status);
    }),
  /** A failure with an HTTP status, in the envelope of the surface. */
  error: (status: number, code: string, message: string = busy, headers: Readonly<Record<string, string>> = {}): Fault =>
    error(status, code, message, headers),
  /** The refusal of `thinking: disabled`, or of an effort, on the glm-5.3 family: 1210. */
  alwaysThinks: (): Fault => error(400, '1210', alwaysThinks),
  /** The 422 of a FastAPI server, as gateways send it: `detail` with the place of `field` in `loc`, for instance `messages.0.content`. */
  unprocessable: (field: string = 'messages', message: string = 'Field required'): Fault =>
    fault('unprocessable', () => {
      const loc = ['body', ...field.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
      return jsonWire({ detail: [{ type: 'missing', loc, msg: message, input: {} }] }, 422);
    }),
  /** A 429, with any form of `Retry-After` or without it. */
  rateLimit: (retryAfter?: RetryAfter, code: string = '1302'): Fault =>
    fault('rateLimit', (_, scene) => spoils.failure(scene, 429, code, 'Rate limit reached for requests.', headersOf(retryAfter))),
  /** `count` replies with status 5xx: one fault per request. */
  serverErrors: (count: number, status: number = 500): readonly Fault[] => Array.from({ length: count }, () => error(status, '500', busy)),
  /** HTTP 200 with a failure in the body, in the form of the operation or in `shape`. */
  embeddedFailure: (shape?: EnvelopeShape, code: string = '1305', message: string = busy): Fault =>
    fault('embeddedFailure', (_, scene) => jsonWire(spoils.failureBody(scene, code, message, shape ?? embeddedShapeOf(scene.route)))),
  /** A reply with an empty body. */
  emptyBody: (status: number = 200): Fault =>
    fault('emptyBody', (wire) => ({ ...withBlocks(wire, []), status, headers: status === 204 ? {} : { ...wire.headers, 'content-length': '0' } })),
  /** Redirect to `location`, a URL or a path. Default: status 307. */
  redirect: (location: string, status: number = 307): Fault => fault('redirect', () => bytesWire(new Uint8Array(), { location }, status)),
  /** Compress the body even if the client did not ask for it. Each frame can be inflated on arrival. */
  gzip: (): Fault => fault('gzip', (wire) => withBlocks(spoils.withHeaders(wire, { 'content-encoding': 'gzip' }), gzipBlocks(wire.blocks))),
  /** Send each byte of the body as a block of its own. */
  oneByteAtATime: (): Fault => fault('oneByteAtATime', (wire) => withBlocks(wire, spoils.slices(joined(wire.blocks), 1))),
  /** Cut the body inside every multi-byte character. The default answer to a turn contains some. */
  multiByteSplit: (): Fault =>
    fault('multiByteSplit', (wire) => withBlocks(wire, spoils.splitCharacters(joined(wire.blocks))), {
      turn: { text: ['Größe ', '你好，', '世界 ', '🌧️ é'] },
    }),
  /** Every line ends with CR LF. */
  crlf: (): Fault => fault('crlf', (wire) => withBlocks(wire, spoils.withLineEnds(wire.blocks, '\r\n'))),
  /** Every line ends with CR alone. */
  cr: (): Fault => fault('cr', (wire) => withBlocks(wire, spoils.withLineEnds(wire.blocks, '\r'))),
  /** A byte order mark before the body. */
  byteOrderMark: (): Fault => fault('byteOrderMark', (wire) => withBlocks(chunked(wire), [Uint8Array.of(0xef, 0xbb, 0xbf), ...wire.blocks])),
  /** A header value of `bytes` bytes. Default: 20,000, more than Node and its fetch accept. */
  hugeHeader: (bytes: number = 20_000): Fault => fault('hugeHeader', (wire) => spoils.withHeaders(wire, { 'x-padding': 'x'.repeat(bytes) })),
  /** Headers with a line that is not a header, on a connection that stays open. */
  invalidHeader: (): Fault =>
    fault('invalidHeader', spoils.rawBytes('HTTP/1.1 200 OK\r\nthis line is not a header\r\ncontent-length: 2\r\n\r\n{}', 'open')),
  /** Half of the headers, then the connection closes. */
  halfHeader: (): Fault => fault('halfHeader', spoils.rawBytes('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-le', 'close')),
  /** A 101 without an upgrade request, on a connection that stays open. */
  switchingProtocols: (): Fault =>
    fault('switchingProtocols', spoils.rawBytes('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 'open')),
  /** Write these bytes instead of headers and body, then close the connection or leave it open. */
  raw: (bytes: string | Uint8Array = '', ending: 'close' | 'open' = 'close'): Fault => fault('raw', spoils.rawBytes(bytes, ending)),
  /** A `keep-alive` header with an idle timeout in seconds. The fake does not close idle connections. */
  keepAliveHint: (seconds: number): Fault =>
    fault('keepAliveHint', (wire) => spoils.withHeaders(wire, { connection: 'keep-alive', 'keep-alive': `timeout=${seconds}` })),
  /** A wrong `content-length`. The connection closes after the body. */
  lyingLength: (bytes: number = 1e15): Fault =>
    fault('lyingLength', (wire) => ({ ...spoils.withHeaders(wire, { 'content-length': String(bytes) }), ending: 'close' })),
  /** The first half of the body, with a matching `content-length`. */
  cutJson: (): Fault => fault('cutJson', (wire) => withBlocks(wire, [spoils.half(joined(wire.blocks))])),
  /** A small gzip body that inflates to `bytes` blanks and then the reply. Default: 540,000,000, more than a string can hold. */
  gzipBomb: (bytes: number = 540_000_000): Fault =>
    fault('gzipBomb', (wire) => {
      const body = joined(wire.blocks);
      return { ...spoils.withHeaders(chunked(wire), { 'content-encoding': 'gzip' }), blocks: [], source: () => gzipBomb(bytes, body) };
    }),
  /** Endless white space, as fast as the client reads. */
  endlessBlanks: (): Fault => fault('endlessBlanks', (wire) => spoils.endless(wire, [], '\n'.repeat(65_536))),
  /** A line that never ends, as fast as the client reads. */
  endlessLine: (): Fault =>
    fault('endlessLine', (wire, { stream }) => spoils.endless(wire, [bytesOf(stream ? 'data: {"id":"' : '{"id":"')], 'x'.repeat(65_536))),
  /** An event of `bytes` bytes before the others. A JSON reply gets a field of that size. */
  hugeEvent: (bytes: number): Fault =>
    fault('hugeEvent', (wire, scene) => {
      const text = 'x'.repeat(bytes);
      if (!scene.stream) return jsonWire({ ...(JSON.parse(textOf(joined(wire.blocks))) as object), padding: text });
      const { before, frame } = spoils.largeFrame(wire, scene, text);
      return { ...wire, blocks: [...before, bytesOf(frame), ...wire.blocks.slice(before.length)] };
    }),
  /** Endless valid frames of `bytes` bytes. A JSON reply becomes an endless list. */
  endlessFrames: (bytes: number = 65_536): Fault =>
    fault('endlessFrames', (wire, scene) => {
      const text = 'x'.repeat(bytes);
      if (!scene.stream) return spoils.endless(wire, [bytesOf('{"choices":[')], `{"index":0,"message":{"content":"${text}"}},`);
      const { before, frame } = spoils.largeFrame(wire, scene, text);
      return spoils.endless(wire, before, frame);
    }),
  /** An error reply with an endless, slow body. Default: status 400, one byte every 5 ms. */
  drippedError: (status: number = 400, everyMs: number = 5): Fault =>
    fault('drippedError', (wire) => {
      const begun = spoils.endless(wire, [bytesOf('{"error":{"code":"1234","message":"dripping ')], 'x', everyMs);
      return { ...begun, status, headers: { 'content-type': 'application/json' } };
    }),
  /** Several faults in one answer, applied in this order. */
  all: (...list: readonly Fault[]): Fault => ({
    fault: 'all',
    reply: list.find(({ reply }) => reply !== undefined)?.reply,
    effects: list.flatMap(({ effects }) => effects),
  }),
} as const;

checkMenu(faults);

function headersOf(retryAfter: RetryAfter | undefined): Record<string, string> {
  if (!retryAfter) return {};
  if ('seconds' in retryAfter) return { 'retry-after': String(retryAfter.seconds) };
  if ('ms' in retryAfter) return { 'retry-after-ms': String(retryAfter.ms) };
  return { 'retry-after': 'text' in retryAfter ? retryAfter.text : new Date(Date.now() + retryAfter.dateInMs).toUTCString() };
}
