import type { EnvelopeShape } from './envelopes.ts';
import type { Reply } from './reply.ts';

/** How long a 429 asks to wait: the header in seconds, as a date so many milliseconds from now, in milliseconds, or verbatim. */
export type RetryAfter = { readonly seconds: number } | { readonly dateInMs: number } | { readonly ms: number } | { readonly text: string };

/** Every fault as plain data; `faults` has a function for each. */
type Shapes =
  | { readonly fault: 'resetBeforeHeaders' }
  | { readonly fault: 'resetMidBody'; readonly afterBytes: number | undefined }
  | { readonly fault: 'silentBeforeHeaders' }
  | { readonly fault: 'silentAfterHeaders'; readonly blocks: number }
  | { readonly fault: 'slowHeaders'; readonly ms: number }
  | { readonly fault: 'slowDrip'; readonly bytesPerTick: number; readonly ms: number }
  | { readonly fault: 'resetUpload'; readonly afterBytes: number }
  | { readonly fault: 'stallUpload' }
  | { readonly fault: 'truncatedStream'; readonly at: 'frame' | 'midFrame'; readonly ending: 'end' | 'close' }
  | { readonly fault: 'missingDone' }
  | { readonly fault: 'missingFinish' }
  | { readonly fault: 'doneThenOpen' }
  | { readonly fault: 'afterDone'; readonly text: string }
  | { readonly fault: 'unterminatedEnd' }
  | { readonly fault: 'emptyStream' }
  | { readonly fault: 'gluedFrames'; readonly how: 'undelimited' | 'cut' | 'packed'; readonly index: number }
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

/** One entry of the fault menu. A fault that spoils a good answer takes `reply` for it; without, it is what would have been served. */
export type Fault = Shapes & { readonly reply?: Reply };

const busy = 'The service is overloaded, please try again later.';

/** The name of each entry of the menu. */
export type FaultName = Fault['fault'];

/**
 * The fault menu: each function gives one fault as plain data, for `fake.answer(operation, fault)`.
 *
 * Every fault works on both surfaces, on whole replies and on streams, as far as it makes sense there: what only a stream can suffer
 * leaves a whole reply as it is. `{ ...faults.gzip(), reply: { turn: { text: 'hi' } } }` says which good answer is spoilt.
 */
export const faults = {
  /** Reset the connection before the header. */
  resetBeforeHeaders: (): Fault => ({ fault: 'resetBeforeHeaders' }),
  /** Reset the connection after so many bytes of the body. Default: half of it. */
  resetMidBody: (afterBytes?: number): Fault => ({ fault: 'resetMidBody', afterBytes }),
  /** Never send a header. */
  silentBeforeHeaders: (): Fault => ({ fault: 'silentBeforeHeaders' }),
  /** Send the header and so many frames, then nothing more. Default: no frame. */
  silentAfterHeaders: (blocks: number = 0): Fault => ({ fault: 'silentAfterHeaders', blocks }),
  /** Send the header late. */
  slowHeaders: (ms: number): Fault => ({ fault: 'slowHeaders', ms }),
  /** Send the body in small pieces with a pause after each. Default: 16 bytes every 5 ms. */
  slowDrip: (bytesPerTick: number = 16, ms: number = 5): Fault => ({ fault: 'slowDrip', bytesPerTick, ms }),
  /** Reset the connection once so many bytes of the request body have come. Default: at the header. */
  resetUpload: (afterBytes: number = 0): Fault => ({ fault: 'resetUpload', afterBytes }),
  /** Never read the request body, and never answer. A client that leaves is not noticed then; `close` ends it. */
  stallUpload: (): Fault => ({ fault: 'stallUpload' }),
  /**
   * End the body before the answer is whole: after a frame or in the middle of one; cleanly (`end`), or by closing the connection
   * without the end of the chunked body (`close`). A whole reply is cut in half.
   */
  truncatedStream: (at: 'frame' | 'midFrame' = 'frame', ending: 'end' | 'close' = 'end'): Fault => ({ fault: 'truncatedStream', at, ending }),
  /** Leave out `[DONE]`, or `message_stop`. */
  missingDone: (): Fault => ({ fault: 'missingDone' }),
  /** Leave out the frame with the finish reason, or the stop reason. */
  missingFinish: (): Fault => ({ fault: 'missingFinish' }),
  /** Send everything, and leave the body open. */
  doneThenOpen: (): Fault => ({ fault: 'doneThenOpen' }),
  /** Send more after the end. Default: a malformed frame. */
  afterDone: (text: string = 'data: {"after"\n\n'): Fault => ({ fault: 'afterDone', text }),
  /** Leave out the blank line after the last frame. */
  unterminatedEnd: (): Fault => ({ fault: 'unterminatedEnd' }),
  /** A stream without a single frame. A whole reply has an empty body. */
  emptyStream: (): Fault => ({ fault: 'emptyStream' }),
  /** Two frames with no line end between them, one cut off by the next, or (harmless) all frames in one packet. */
  gluedFrames: (how: 'undelimited' | 'cut' | 'packed' = 'undelimited', index: number = 0): Fault => ({ fault: 'gluedFrames', how, index }),
  /** A frame whose data is not JSON. A whole reply becomes that text. */
  malformedFrame: (index: number = 1, data: string = '{"choices": [{"delta": {"content": bare words}}]}'): Fault => ({
    fault: 'malformedFrame',
    index,
    data,
  }),
  /** An error object as a data frame, then the end. A whole reply becomes the error object, with status 200. */
  inBandError: (code: string = '1234', message: string = busy, after: number = 2): Fault => ({ fault: 'inBandError', code, message, after }),
  /** An `event: error` frame, then the end. Default code: `overloaded_error` on messages, `1305` elsewhere. */
  eventError: (code?: string, message: string = busy, after: number = 2): Fault => ({ fault: 'eventError', code, message, after }),
  /** Comments (chat) or pings (messages) for ever, after so many frames. A whole reply is preceded by line ends for ever. */
  keepAliveOnly: (everyMs: number = 10, after: number = 0): Fault => ({ fault: 'keepAliveOnly', everyMs, after }),
  /** A whole reply in place of the stream. */
  jsonForStream: (): Fault => ({ fault: 'jsonForStream' }),
  /** A stream in place of the whole reply. */
  streamForJson: (): Fault => ({ fault: 'streamForJson' }),
  /** The right body under another content type. */
  wrongContentType: (type: string = 'text/plain'): Fault => ({ fault: 'wrongContentType', type }),
  /** No content type at all. */
  missingContentType: (): Fault => ({ fault: 'wrongContentType', type: undefined }),
  /** A gateway's page. */
  htmlErrorPage: (status: number = 502): Fault => ({ fault: 'htmlErrorPage', status }),
  /** A failure with an HTTP status, in the envelope of the surface. */
  error: (status: number, code: string, message: string = busy, headers: Readonly<Record<string, string>> = {}): Fault => ({
    fault: 'error',
    status,
    code,
    message,
    headers,
  }),
  /** A 429, with any form of `Retry-After` or without one. */
  rateLimit: (retryAfter?: RetryAfter, code: string = '1302'): Fault => ({ fault: 'rateLimit', retryAfter, code }),
  /** A run of 5xx: one fault per request. */
  serverErrors: (count: number, status: number = 500): readonly Fault[] =>
    Array.from({ length: count }, () => ({ fault: 'error', status, code: '500', message: busy, headers: {} }) as const),
  /** HTTP 200 with a failure inside, in the form that the operation uses, or in any other. */
  embeddedFailure: (shape?: EnvelopeShape, code: string = '1305', message: string = busy): Fault => ({
    fault: 'embeddedFailure',
    shape,
    code,
    message,
  }),
  /** A reply of no length. */
  emptyBody: (status: number = 200): Fault => ({ fault: 'emptyBody', status }),
  redirect: (location: string, status: number = 307): Fault => ({ fault: 'redirect', location, status }),
  /** Compress the body, though nobody asked; each frame can be read as soon as it arrives. */
  gzip: (): Fault => ({ fault: 'gzip' }),
  oneByteAtATime: (): Fault => ({ fault: 'oneByteAtATime' }),
  /** Cut the body inside every character of more than one byte. A turn's default answer has some. */
  multiByteSplit: (): Fault => ({ fault: 'multiByteSplit' }),
  /** Every line ends with CR LF. */
  crlf: (): Fault => ({ fault: 'lineEnds', ends: 'crlf' }),
  /** Every line ends with CR alone. */
  cr: (): Fault => ({ fault: 'lineEnds', ends: 'cr' }),
  /** A byte order mark before the body. */
  byteOrderMark: (): Fault => ({ fault: 'byteOrderMark' }),
  /** A header with one value of so many bytes. Default: 20,000, more than Node and its fetch accept. */
  hugeHeader: (bytes: number = 20_000): Fault => ({ fault: 'hugeHeader', bytes }),
  /** A header with a line that is none, on a connection that stays open. */
  invalidHeader: (): Fault => ({ fault: 'invalidHeader' }),
  /** Half a header, then the connection closes. */
  halfHeader: (): Fault => ({ fault: 'halfHeader' }),
  /** A 101 that nobody asked for, on a connection that stays open. */
  switchingProtocols: (): Fault => ({ fault: 'switchingProtocols' }),
  /** Announce that an idle connection is closed after so many seconds. The fake itself never closes one. */
  keepAliveHint: (seconds: number): Fault => ({ fault: 'keepAliveHint', seconds }),
  /** A `content-length` other than the body's; then the connection closes. Default: 1e15. */
  lyingLength: (bytes: number = 1e15): Fault => ({ fault: 'lyingLength', bytes }),
  /** The first half of the body, under a `content-length` that fits it. */
  cutJson: (): Fault => ({ fault: 'cutJson' }),
  /** A small gzip body that inflates to so many bytes of blanks, and then to the good answer. Default: 540,000,000, more than a string holds. */
  gzipBomb: (bytes: number = 540_000_000): Fault => ({ fault: 'gzipBomb', bytes }),
  /** White space for ever, as fast as the client reads. */
  endlessBlanks: (): Fault => ({ fault: 'endlessBlanks' }),
  /** A line that never ends, as fast as the client reads. */
  endlessLine: (): Fault => ({ fault: 'endlessLine' }),
  /** An event of so many bytes before the others. A whole reply has a field of that size. */
  hugeEvent: (bytes: number): Fault => ({ fault: 'hugeEvent', bytes }),
  /** Valid frames of so many bytes for ever, as fast as the client reads. A whole reply is a list that never ends. Default: 64 KiB. */
  endlessFrames: (bytes: number = 65_536): Fault => ({ fault: 'endlessFrames', bytes }),
  /** An error reply whose body drips for ever. Default: status 400, a byte every 5 ms. */
  drippedError: (status: number = 400, everyMs: number = 5): Fault => ({ fault: 'drippedError', status, everyMs }),
  /** Several faults of one answer, applied in this order. */
  all: (...list: readonly Fault[]): Fault => ({ fault: 'all', faults: list }),
} as const;

/** A fault taken apart, in the order of application. */
export function flat(fault: Fault): readonly Fault[] {
  return fault.fault === 'all' ? fault.faults.flatMap(flat) : [fault];
}
