import type { Config } from '../../src/overlay/index.ts';
import { type Fault, faults } from '../../src/testing/index.ts';
import { envelopeShapes } from '../../src/testing/requests/envelopes.ts';

/** Limits that a flood of bytes exceeds soon. */
const small = { maxReplyBytes: 1_000_000, maxEventBytes: 1_000_000 };
const page = /<!DOCTYPE html>/;

/** Each fault: how the reply ends on the wire (whole, streamed), its visible bytes, and the result of the library. */
export const menu: readonly {
  readonly name: string;
  readonly fault: Fault;
  readonly wire: readonly [whole: string, stream: string];
  readonly status?: number;
  readonly shows?: RegExp;
  readonly library: readonly [whole: string, stream: string];
  /** Settings that bring the end about sooner. */
  readonly config?: Partial<Config>;
}[] = [
  {
    name: 'reset before headers',
    fault: faults.resetBeforeHeaders(),
    wire: ['ECONNRESET', 'ECONNRESET'],
    status: 0,
    library: ['connection', 'connection'],
  },
  {
    name: 'reset mid-body',
    fault: faults.resetMidBody(40),
    wire: ['ECONNRESET', 'ECONNRESET'],
    shows: /^[\s\S]{40}$/,
    library: ['connection', 'connection'],
  },
  { name: 'silent before headers', fault: faults.silentBeforeHeaders(), wire: ['open', 'open'], status: 0, library: ['timeout', 'timeout'] },
  { name: 'silent after headers', fault: faults.silentAfterHeaders(), wire: ['open', 'open'], shows: /^$/, library: ['timeout', 'timeout'] },
  { name: 'slow headers', fault: faults.slowHeaders(20), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'slow drip', fault: faults.slowDrip(64, 2), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'truncated stream', fault: faults.truncatedStream(), wire: ['end', 'end'], library: ['reply', 'stream'] },
  { name: 'truncated in a frame', fault: faults.truncatedStream('midFrame'), wire: ['end', 'end'], library: ['reply', 'stream'] },
  {
    name: 'closed in a frame',
    fault: faults.truncatedStream('midFrame', 'close'),
    wire: ['ECONNRESET', 'ECONNRESET'],
    library: ['connection', 'connection'],
  },
  // The finish reason has arrived, so the answer counts as complete.
  { name: 'missing end', fault: faults.missingDone(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  {
    name: 'neither finish nor end',
    fault: faults.all(faults.missingDone(), faults.missingFinish()),
    wire: ['end', 'end'],
    library: ['ok', 'stream'],
  },
  { name: 'end with the socket left open', fault: faults.doneThenOpen(), wire: ['open', 'open'], library: ['timeout', 'ok'] },
  { name: 'more after the end', fault: faults.afterDone(), wire: ['end', 'end'], shows: /data: \{"after"/, library: ['reply', 'ok'] },
  { name: 'unterminated last frame', fault: faults.unterminatedEnd(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'empty stream', fault: faults.emptyStream(), wire: ['end', 'end'], shows: /^$/, library: ['reply', 'stream'] },
  { name: 'frames in one packet', fault: faults.gluedFrames('packed'), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'glued frames', fault: faults.gluedFrames(), wire: ['end', 'end'], library: ['ok', 'stream'] },
  { name: 'a frame cut by the next', fault: faults.gluedFrames('cut'), wire: ['end', 'end'], library: ['ok', 'stream'] },
  { name: 'a frame after the head of another answer', fault: faults.gluedFrames('foreignHead'), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'malformed frame', fault: faults.malformedFrame(), wire: ['end', 'end'], shows: /bare words/, library: ['reply', 'stream'] },
  { name: 'in-band error', fault: faults.inBandError(), wire: ['end', 'end'], shows: /"1234"/, library: ['api', 'api'] },
  { name: 'event: error', fault: faults.eventError(), wire: ['end', 'end'], shows: /overloaded/, library: ['api', 'api'] },
  { name: 'keep-alive only', fault: faults.keepAliveOnly(5), wire: ['open', 'open'], library: ['abort', 'timeout'] },
  { name: 'JSON for a stream', fault: faults.jsonForStream(), wire: ['end', 'end'], shows: /^\{/, library: ['ok', 'api'] },
  { name: 'a stream for JSON', fault: faults.streamForJson(), wire: ['end', 'end'], shows: /^(data|event): /, library: ['api', 'ok'] },
  { name: 'wrong content type', fault: faults.wrongContentType(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'missing content type', fault: faults.missingContentType(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'HTML error page', fault: faults.htmlErrorPage(), wire: ['end', 'end'], status: 502, shows: page, library: ['api', 'api'] },
  { name: 'HTML page of a firewall', fault: faults.htmlErrorPage(405), wire: ['end', 'end'], status: 405, shows: page, library: ['api', 'api'] },
  { name: 'HTML page with status 200', fault: faults.htmlErrorPage(200), wire: ['end', 'end'], shows: page, library: ['api', 'api'] },
  { name: 'rate limit', fault: faults.rateLimit(), wire: ['end', 'end'], status: 429, shows: /"1302"/, library: ['api', 'api'] },
  {
    name: 'a failure with a status',
    fault: faults.error(400, '1211', 'Unknown Model'),
    wire: ['end', 'end'],
    status: 400,
    shows: /"1211"/,
    library: ['api', 'api'],
  },
  {
    name: 'the 422 of FastAPI',
    fault: faults.unprocessable('messages.0.content'),
    wire: ['end', 'end'],
    status: 422,
    shows: /"loc":\["body","messages",0,"content"\]/,
    library: ['api', 'api'],
  },
  ...envelopeShapes.map((shape) => ({
    name: `200 with a failure inside: ${shape}`,
    fault: faults.embeddedFailure(shape),
    wire: ['end', 'end'] as const,
    shows: /1305/,
    library: ['api', 'api'] as const,
  })),
  { name: 'empty body', fault: faults.emptyBody(), wire: ['end', 'end'], shows: /^$/, library: ['reply', 'stream'] },
  { name: 'redirect', fault: faults.redirect('https://example.com/'), wire: ['end', 'end'], status: 307, library: ['api', 'api'] },
  { name: 'gzip', fault: faults.gzip(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'one byte at a time', fault: faults.oneByteAtATime(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'cuts inside of characters', fault: faults.multiByteSplit(), wire: ['end', 'end'], shows: /你好/, library: ['ok', 'ok'] },
  { name: 'CRLF', fault: faults.crlf(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'CR', fault: faults.cr(), wire: ['end', 'end'], library: ['ok', 'ok'] },
  {
    name: 'huge header',
    fault: faults.hugeHeader(),
    wire: ['HPE_HEADER_OVERFLOW', 'HPE_HEADER_OVERFLOW'],
    status: 0,
    library: ['connection', 'connection'],
  },
  {
    name: 'invalid header line',
    fault: faults.invalidHeader(),
    wire: ['HPE_INVALID_HEADER_TOKEN', 'HPE_INVALID_HEADER_TOKEN'],
    status: 0,
    library: ['connection', 'connection'],
  },
  { name: 'half a header', fault: faults.halfHeader(), wire: ['ECONNRESET', 'ECONNRESET'], status: 0, library: ['connection', 'connection'] },
  { name: '101', fault: faults.switchingProtocols(), wire: ['open', 'open'], status: 0, library: ['connection', 'connection'] },
  {
    name: 'bytes that are no HTTP',
    fault: faults.raw('SSH-2.0-OpenSSH\r\n', 'open'),
    wire: ['HPE_INVALID_CONSTANT', 'HPE_INVALID_CONSTANT'],
    status: 0,
    library: ['connection', 'connection'],
  },
  { name: 'closed without a byte', fault: faults.raw(), wire: ['ECONNRESET', 'ECONNRESET'], status: 0, library: ['connection', 'connection'] },
  { name: 'a hint for idle connections', fault: faults.keepAliveHint(5), wire: ['end', 'end'], library: ['ok', 'ok'] },
  { name: 'a length that is too large', fault: faults.lyingLength(), wire: ['ECONNRESET', 'ECONNRESET'], library: ['connection', 'ok'] },
  { name: 'JSON cut under a fitting length', fault: faults.cutJson(), wire: ['end', 'end'], library: ['reply', 'stream'] },
  { name: 'gzip bomb', fault: faults.gzipBomb(4_000_000), wire: ['end', 'end'], library: ['reply', 'stream'], config: small },
  // Blank lines and large frames are valid in a stream: only `streamContentTimeout` or the caller can end it.
  { name: 'endless blanks', fault: faults.endlessBlanks(), wire: ['open', 'open'], shows: /^\s+$/, library: ['reply', 'timeout'], config: small },
  { name: 'endless line', fault: faults.endlessLine(), wire: ['open', 'open'], shows: /"id":"x+$/, library: ['reply', 'stream'], config: small },
  {
    name: 'huge event',
    fault: faults.hugeEvent(900_000),
    wire: ['end', 'end'],
    shows: /x{1000}/,
    library: ['ok', 'stream'],
    config: { maxEventBytes: 500_000 },
  },
  { name: 'endless frames', fault: faults.endlessFrames(), wire: ['open', 'open'], shows: /x{1000}/, library: ['reply', 'abort'], config: small },
  {
    name: 'an error that drips',
    fault: faults.drippedError(400),
    wire: ['open', 'open'],
    status: 400,
    shows: /dripping/,
    library: ['api', 'api'],
    config: { timeout: 600 },
  },
];

/** How a collected answer ends where it is not as a stream does: JSON is the answer, and what is kept has a limit. */
const ofCollected: Readonly<Record<string, string>> = { 'JSON for a stream': 'ok', 'endless frames': 'stream' };

/** The result of the library for a fault of a call whose answer is collected from a stream. */
export function collectedEnd(name: string, library: readonly [whole: string, stream: string]): string {
  return ofCollected[name] ?? library[1];
}
