import type { EnvelopeShape } from './envelopes.ts';
import type { Reply } from './reply.ts';

/** Wait that a 429 asks for: in seconds, as a date `dateInMs` milliseconds from now, in milliseconds, or as verbatim text. */
export type RetryAfter = { readonly seconds: number } | { readonly dateInMs: number } | { readonly ms: number } | { readonly text: string };

/** Every fault as plain data. `faults` has a function for each. */
export type FaultShape =
  | { readonly fault: 'resetBeforeHeaders' }
  | { readonly fault: 'resetMidBody'; readonly afterBytes: number | undefined }
  | { readonly fault: 'silentBeforeHeaders' }
  | { readonly fault: 'silentAfterHeaders'; readonly blocks: number }
  | { readonly fault: 'slowHeaders'; readonly ms: number }
  | { readonly fault: 'slowDrip'; readonly bytesPerTick: number; readonly ms: number }
  | { readonly fault: 'resetUpload'; readonly afterBytes: number }
  | { readonly fault: 'stallUpload' }
  | { readonly fault: 'rejectUpload'; readonly status: number; readonly code: string; readonly message: string }
  | { readonly fault: 'truncatedStream'; readonly at: 'frame' | 'midFrame'; readonly ending: 'end' | 'close' }
  | { readonly fault: 'missingDone' }
  | { readonly fault: 'missingFinish' }
  | { readonly fault: 'doneThenOpen' }
  | { readonly fault: 'afterDone'; readonly text: string }
  | { readonly fault: 'unterminatedEnd' }
  | { readonly fault: 'emptyStream' }
  | { readonly fault: 'gluedFrames'; readonly how: 'undelimited' | 'cut' | 'packed' | 'foreignHead'; readonly index: number }
  | { readonly fault: 'malformedFrame'; readonly index: number; readonly data: string }
  | { readonly fault: 'inBandError'; readonly code: string; readonly message: string; readonly after: number }
  | { readonly fault: 'eventError'; readonly code: string | undefined; readonly message: string; readonly after: number }
  | { readonly fault: 'keepAliveOnly'; readonly everyMs: number; readonly after: number }
  | { readonly fault: 'jsonForStream' }
  | { readonly fault: 'streamForJson' }
  | { readonly fault: 'wrongContentType'; readonly type: string | undefined }
  | { readonly fault: 'htmlErrorPage'; readonly status: number }
  | {
      readonly fault: 'error';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly fault: 'rateLimit'; readonly retryAfter: RetryAfter | undefined; readonly code: string }
  | { readonly fault: 'embeddedFailure'; readonly shape: EnvelopeShape | undefined; readonly code: string; readonly message: string }
  | { readonly fault: 'emptyBody'; readonly status: number }
  | { readonly fault: 'redirect'; readonly location: string; readonly status: number }
  | { readonly fault: 'gzip' }
  | { readonly fault: 'oneByteAtATime' }
  | { readonly fault: 'multiByteSplit' }
  | { readonly fault: 'lineEnds'; readonly ends: 'crlf' | 'cr' }
  | { readonly fault: 'byteOrderMark' }
  | { readonly fault: 'hugeHeader'; readonly bytes: number }
  | { readonly fault: 'invalidHeader' }
  | { readonly fault: 'halfHeader' }
  | { readonly fault: 'switchingProtocols' }
  | { readonly fault: 'raw'; readonly bytes: string | Uint8Array; readonly ending: 'close' | 'open' }
  | { readonly fault: 'keepAliveHint'; readonly seconds: number }
  | { readonly fault: 'lyingLength'; readonly bytes: number }
  | { readonly fault: 'cutJson' }
  | { readonly fault: 'gzipBomb'; readonly bytes: number }
  | { readonly fault: 'endlessBlanks' }
  | { readonly fault: 'endlessLine' }
  | { readonly fault: 'hugeEvent'; readonly bytes: number }
  | { readonly fault: 'endlessFrames'; readonly bytes: number }
  | { readonly fault: 'drippedError'; readonly status: number; readonly everyMs: number }
  | { readonly fault: 'all'; readonly faults: readonly Fault[] };

/** One entry of the fault menu. `reply` sets the reply that the fault corrupts. Default: the reply that the fake would serve. */
export type Fault = FaultShape & { readonly reply?: Reply | undefined };

/** The text of the service for thinking that the glm-5.3 family does not accept. */
export const alwaysThinks = 'This model always engages in thinking and cannot be disabled; please use low, high, or max';

const busy = 'The service is overloaded, please try again later.';

function refused(status: number, code: string, message: string): Fault {
  return { fault: 'error', status, code, message, headers: {} };
}

/** The name of each entry of the menu. */
export type FaultName = Fault['fault'];

/**
 * The fault menu: each function returns one fault as plain data, for `fake.answer(operation, fault)`.
 *
 * Every fault works on every surface, for JSON replies and for streams. A fault that only a stream can have leaves a JSON reply unchanged.
 * To set the reply that a fault corrupts, add `reply`: `{ ...faults.gzip(), reply: { turn: { text: 'hi' } } }`.
 */
export const faults = {
  /** Reset the connection before the headers. */
  resetBeforeHeaders: (): Fault => ({ fault: 'resetBeforeHeaders' }),
  /** Reset the connection after `afterBytes` bytes of the body. Default: after half of it. */
  resetMidBody: (afterBytes?: number): Fault => ({ fault: 'resetMidBody', afterBytes }),
  /** Never send headers. */
  silentBeforeHeaders: (): Fault => ({ fault: 'silentBeforeHeaders' }),
  /** Send the headers and `blocks` frames, then stay silent. Default: 0 frames. */
  silentAfterHeaders: (blocks: number = 0): Fault => ({ fault: 'silentAfterHeaders', blocks }),
  /** Send the headers after `ms` milliseconds. */
  slowHeaders: (ms: number): Fault => ({ fault: 'slowHeaders', ms }),
  /** Send the body in small pieces with a pause after each. Default: 16 bytes every 5 ms. */
  slowDrip: (bytesPerTick: number = 16, ms: number = 5): Fault => ({ fault: 'slowDrip', bytesPerTick, ms }),
  /** Reset the connection after `afterBytes` bytes of the request body. Default: 0, after the request headers. */
  resetUpload: (afterBytes: number = 0): Fault => ({ fault: 'resetUpload', afterBytes }),
  /** Never read the request body, and never answer. The fake cannot notice that the client leaves before you call `idle`, which reads the body. */
  stallUpload: (): Fault => ({ fault: 'stallUpload' }),
  /** Answer with a failure before the request body is read. Default: status 413. */
  rejectUpload: (status: number = 413, code: string = '1210', message: string = 'The file is too large.'): Fault => ({
    fault: 'rejectUpload',
    status,
    code,
    message,
  }),
  /**
   * End the body early, after a frame or in the middle of one (`at`). With `end` the body ends cleanly. With `close` the connection
   * closes without the end of the chunked body. A JSON reply is cut in half.
   */
  truncatedStream: (at: 'frame' | 'midFrame' = 'frame', ending: 'end' | 'close' = 'end'): Fault => ({ fault: 'truncatedStream', at, ending }),
  /** Leave out `[DONE]`, or `message_stop`. */
  missingDone: (): Fault => ({ fault: 'missingDone' }),
  /** Leave out the frame with the finish reason, or the stop reason. */
  missingFinish: (): Fault => ({ fault: 'missingFinish' }),
  /** Send the complete reply, and leave the body open. */
  doneThenOpen: (): Fault => ({ fault: 'doneThenOpen' }),
  /** Send `text` after the end of the reply. Default: a malformed frame. */
  afterDone: (text: string = 'data: {"after"\n\n'): Fault => ({ fault: 'afterDone', text }),
  /** Leave out the blank line after the last frame. */
  unterminatedEnd: (): Fault => ({ fault: 'unterminatedEnd' }),
  /** A stream without frames. A JSON reply gets an empty body. */
  emptyStream: (): Fault => ({ fault: 'emptyStream' }),
  /**
   * Two frames without a line end between them, a frame cut off by the next, or (harmless) all frames in one packet. `foreignHead`: the cut-off
   * head of another answer before a whole frame, as reported for the chat stream; other replies are unchanged.
   */
  gluedFrames: (how: 'undelimited' | 'cut' | 'packed' | 'foreignHead' = 'undelimited', index: number = 0): Fault => ({
    fault: 'gluedFrames',
    how,
    index,
  }),
  /** A frame whose data is not JSON. A JSON reply is replaced by that text. */
  malformedFrame: (index: number = 1, data: string = '{"choices": [{"delta": {"content": bare words}}]}'): Fault => ({
    fault: 'malformedFrame',
    index,
    data,
  }),
  /** An error object as a data frame after `after` frames, then the end. A JSON reply becomes the error object, with status 200. */
  inBandError: (code: string = '1234', message: string = busy, after: number = 2): Fault => ({ fault: 'inBandError', code, message, after }),
  /** An `event: error` frame after `after` frames, then the end. Default code: `overloaded_error` on messages, `1305` elsewhere. */
  eventError: (code?: string, message: string = busy, after: number = 2): Fault => ({ fault: 'eventError', code, message, after }),
  /** Endless comments (chat) or pings (messages) after `after` frames. Instead of a JSON reply, endless line ends. */
  keepAliveOnly: (everyMs: number = 10, after: number = 0): Fault => ({ fault: 'keepAliveOnly', everyMs, after }),
  /** A JSON reply in place of the stream. */
  jsonForStream: (): Fault => ({ fault: 'jsonForStream' }),
  /** A stream in place of the JSON reply. */
  streamForJson: (): Fault => ({ fault: 'streamForJson' }),
  /** The correct body with another content type. */
  wrongContentType: (type: string = 'text/plain'): Fault => ({ fault: 'wrongContentType', type }),
  /** The correct body without a content type. */
  missingContentType: (): Fault => ({ fault: 'wrongContentType', type: undefined }),
  /** The HTML error page of a gateway. */
  htmlErrorPage: (status: number = 502): Fault => ({ fault: 'htmlErrorPage', status }),
  /** A failure with an HTTP status, in the envelope of the surface. */
  error: (status: number, code: string, message: string = busy, headers: Readonly<Record<string, string>> = {}): Fault => ({
    fault: 'error',
    status,
    code,
    message,
    headers,
  }),
  /** The refusal of `thinking: disabled`, or of an effort, on the glm-5.3 family: 1210. */
  alwaysThinks: (): Fault => refused(400, '1210', alwaysThinks),
  /** The refusal of a `tool_choice` other than `auto`: 1210. */
  toolChoice: (): Fault => refused(400, '1210', 'Tool choice must be auto'),
  /** The refusal of a model that the service does not know: 1211. */
  unknownModel: (): Fault => refused(400, '1211', 'Unknown Model, please check the model code.'),
  /** The refusal of a model that the plan does not include: 1311. */
  notInPlan: (): Fault => refused(429, '1311', 'The current subscription plan does not include this model.'),
  /** The refusal of an async result whose task is unknown, or of another account: 1233. */
  unknownTask: (): Fault => refused(400, '1233', 'The task was not found.'),
  /** A 429, with any form of `Retry-After` or without it. */
  rateLimit: (retryAfter?: RetryAfter, code: string = '1302'): Fault => ({ fault: 'rateLimit', retryAfter, code }),
  /** `count` replies with status 5xx: one fault per request. */
  serverErrors: (count: number, status: number = 500): readonly Fault[] =>
    Array.from({ length: count }, () => ({ fault: 'error', status, code: '500', message: busy, headers: {} }) as const),
  /** HTTP 200 with a failure in the body, in the form of the operation or in `shape`. */
  embeddedFailure: (shape?: EnvelopeShape, code: string = '1305', message: string = busy): Fault => ({
    fault: 'embeddedFailure',
    shape,
    code,
    message,
  }),
  /** A reply with an empty body. */
  emptyBody: (status: number = 200): Fault => ({ fault: 'emptyBody', status }),
  /** Redirect to `location`, a URL or a path. Default: status 307. */
  redirect: (location: string, status: number = 307): Fault => ({ fault: 'redirect', location, status }),
  /** Compress the body even if the client did not ask for it. Each frame can be inflated on arrival. */
  gzip: (): Fault => ({ fault: 'gzip' }),
  /** Send each byte of the body as a block of its own. */
  oneByteAtATime: (): Fault => ({ fault: 'oneByteAtATime' }),
  /** Cut the body inside every multi-byte character. The default answer to a turn contains some. */
  multiByteSplit: (): Fault => ({ fault: 'multiByteSplit' }),
  /** Every line ends with CR LF. */
  crlf: (): Fault => ({ fault: 'lineEnds', ends: 'crlf' }),
  /** Every line ends with CR alone. */
  cr: (): Fault => ({ fault: 'lineEnds', ends: 'cr' }),
  /** A byte order mark before the body. */
  byteOrderMark: (): Fault => ({ fault: 'byteOrderMark' }),
  /** A header value of `bytes` bytes. Default: 20,000, more than Node and its fetch accept. */
  hugeHeader: (bytes: number = 20_000): Fault => ({ fault: 'hugeHeader', bytes }),
  /** Headers with a line that is not a header, on a connection that stays open. */
  invalidHeader: (): Fault => ({ fault: 'invalidHeader' }),
  /** Half of the headers, then the connection closes. */
  halfHeader: (): Fault => ({ fault: 'halfHeader' }),
  /** A 101 without an upgrade request, on a connection that stays open. */
  switchingProtocols: (): Fault => ({ fault: 'switchingProtocols' }),
  /** Write these bytes to the connection in place of headers and body, then close it or leave it open. Default: close without a byte. */
  raw: (bytes: string | Uint8Array = '', ending: 'close' | 'open' = 'close'): Fault => ({ fault: 'raw', bytes, ending }),
  /** A `keep-alive` header that announces an idle timeout in seconds. The fake never closes idle connections. */
  keepAliveHint: (seconds: number): Fault => ({ fault: 'keepAliveHint', seconds }),
  /** A wrong `content-length`. The connection closes after the body. Default: 1e15. */
  lyingLength: (bytes: number = 1e15): Fault => ({ fault: 'lyingLength', bytes }),
  /** The first half of the body, with a matching `content-length`. */
  cutJson: (): Fault => ({ fault: 'cutJson' }),
  /** A small gzip body that inflates to `bytes` blanks and then the reply. Default: 540,000,000, more than a string can hold. */
  gzipBomb: (bytes: number = 540_000_000): Fault => ({ fault: 'gzipBomb', bytes }),
  /** Endless white space, as fast as the client reads. */
  endlessBlanks: (): Fault => ({ fault: 'endlessBlanks' }),
  /** A line that never ends, as fast as the client reads. */
  endlessLine: (): Fault => ({ fault: 'endlessLine' }),
  /** An event of `bytes` bytes before the others. A JSON reply gets a field of that size. */
  hugeEvent: (bytes: number): Fault => ({ fault: 'hugeEvent', bytes }),
  /** Endless valid frames of `bytes` bytes, as fast as the client reads. A JSON reply becomes an endless list. Default: 64 KiB. */
  endlessFrames: (bytes: number = 65_536): Fault => ({ fault: 'endlessFrames', bytes }),
  /** An error reply with an endless, slow body. Default: status 400, one byte every 5 ms. */
  drippedError: (status: number = 400, everyMs: number = 5): Fault => ({ fault: 'drippedError', status, everyMs }),
  /** Several faults in one answer, applied in this order. */
  all: (...list: readonly Fault[]): Fault => ({ fault: 'all', faults: list }),
} as const;

/** The single faults of a fault, in the order of application. */
export function flat(fault: Fault): readonly Fault[] {
  return fault.fault === 'all' ? fault.faults.flatMap(flat) : [fault];
}
