import { embeddedShapeOf, envelope, shapeOf } from './envelopes.ts';
import type { FaultName, RetryAfter } from './faults.ts';
import type { FloodFault } from './flood-faults.ts';
import type { FrameFault, Spoil } from './frame-faults.ts';
import { gzipBlocks } from './gzip.ts';
import type { Scene } from './reply.ts';
import { bytesOf, bytesWire, chunked, joined, jsonWire, type WireReply, withBlocks } from './wire-reply.ts';

/** Faults of the connection, of the complete reply and of its bytes. */
export const wireFaults: { readonly [Name in Exclude<FaultName, FrameFault | FloodFault | 'all'>]: Spoil<Name> } = {
  resetBeforeHeaders: (wire) => ({ ...wire, head: 'reset' }),
  resetMidBody: (wire, { afterBytes }) => {
    const body = joined(wire.blocks);
    // `content-length` keeps the length of the complete body.
    return { ...wire, blocks: [body.slice(0, afterBytes ?? Math.floor(body.length / 2))], ending: 'reset' };
  },
  silentBeforeHeaders: (wire) => ({ ...wire, head: 'silent' }),
  silentAfterHeaders: (wire, { blocks }) => ({ ...wire, blocks: wire.blocks.slice(0, blocks), ending: 'open' }),
  slowHeaders: (wire, { ms }) => ({ ...wire, delayMs: ms }),
  slowDrip: (wire, { bytesPerTick, ms }) => ({ ...withBlocks(wire, slices(joined(wire.blocks), bytesPerTick)), paceMs: ms }),
  // Applied before a wire reply exists, because the request body must not be read.
  resetUpload: (wire) => ({ ...wire, head: 'reset' }),
  stallUpload: (wire) => ({ ...wire, head: 'silent' }),
  rejectUpload: (_, { status, code, message }, scene) => failure(scene, status, code, message, {}),
  // Applied before a wire reply exists: they select its format.
  jsonForStream: (wire) => wire,
  streamForJson: (wire) => wire,
  wrongContentType: (wire, { type }) => {
    const { 'content-type': _, ...headers } = wire.headers;
    return { ...wire, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
  },
  htmlErrorPage: (_, { status }) =>
    bytesWire(
      bytesOf(`<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>\n`),
      { 'content-type': 'text/html; charset=utf-8' },
      status,
    ),
  error: (_, { status, code, message, headers }, scene) => failure(scene, status, code, message, headers),
  rateLimit: (_, { retryAfter, code }, scene) => failure(scene, 429, code, 'Rate limit reached for requests.', headersOf(retryAfter)),
  embeddedFailure: (_, { shape, code, message }, { route, request }) =>
    jsonWire(envelope(shape ?? embeddedShapeOf(route), { status: 200, code, message }, request.requestId)),
  emptyBody: (wire, { status }) => ({ ...withBlocks(wire, []), status, headers: status === 204 ? {} : { ...wire.headers, 'content-length': '0' } }),
  redirect: (_, { location, status }) => bytesWire(new Uint8Array(), { location }, status),
  gzip: (wire) => withBlocks({ ...wire, headers: { ...wire.headers, 'content-encoding': 'gzip' } }, gzipBlocks(wire.blocks)),
  oneByteAtATime: (wire) => withBlocks(wire, slices(joined(wire.blocks), 1)),
  multiByteSplit: (wire) => withBlocks(wire, splitCharacters(joined(wire.blocks))),
  lineEnds: (wire, { ends }) =>
    withBlocks(
      wire,
      wire.blocks.map((block) =>
        Buffer.from(
          Buffer.from(block)
            .toString('latin1')
            .replaceAll('\n', ends === 'cr' ? '\r' : '\r\n'),
          'latin1',
        ),
      ),
    ),
  hugeHeader: (wire, { bytes }) => ({ ...wire, headers: { ...wire.headers, 'x-padding': 'x'.repeat(bytes) } }),
  invalidHeader: (wire) => rawWire(wire, 'HTTP/1.1 200 OK\r\nthis line is no header\r\ncontent-length: 2\r\n\r\n{}', 'open'),
  halfHeader: (wire) => rawWire(wire, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-le', 'close'),
  switchingProtocols: (wire) => rawWire(wire, 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 'open'),
  raw: (wire, { bytes, ending }) => rawWire(wire, bytes, ending),
  keepAliveHint: (wire, { seconds }) => ({ ...wire, headers: { ...wire.headers, connection: 'keep-alive', 'keep-alive': `timeout=${seconds}` } }),
  lyingLength: (wire, { bytes }) => ({ ...wire, headers: { ...wire.headers, 'content-length': String(bytes) }, ending: 'close' }),
  cutJson: (wire) => {
    const body = joined(wire.blocks);
    return withBlocks(wire, [body.slice(0, Math.floor(body.length / 2))]);
  },
  byteOrderMark: (wire) => withBlocks(chunked(wire), [Uint8Array.of(0xef, 0xbb, 0xbf), ...wire.blocks]),
};

function rawWire(wire: WireReply, bytes: string | Uint8Array, ending: WireReply['ending']): WireReply {
  return { ...wire, head: 'raw', raw: typeof bytes === 'string' ? bytesOf(bytes) : bytes, ending };
}

function failure(scene: Scene, status: number, code: string, message: string, headers: Readonly<Record<string, string>>): WireReply {
  const { route, request } = scene;
  return jsonWire(envelope(shapeOf(route), { status, code, message }, request.requestId), status, headers);
}

function headersOf(retryAfter: RetryAfter | undefined): Record<string, string> {
  if (!retryAfter) return {};
  if ('seconds' in retryAfter) return { 'retry-after': String(retryAfter.seconds) };
  if ('ms' in retryAfter) return { 'retry-after-ms': String(retryAfter.ms) };
  return { 'retry-after': 'text' in retryAfter ? retryAfter.text : new Date(Date.now() + retryAfter.dateInMs).toUTCString() };
}

function slices(bytes: Uint8Array, size: number): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) blocks.push(bytes.subarray(at, at + Math.max(1, size)));
  return blocks;
}

/** Cut before every byte that continues a character. */
function splitCharacters(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  let start = 0;
  for (const [at, byte] of bytes.entries()) {
    if ((byte & 0xc0) !== 0x80) continue;
    blocks.push(bytes.subarray(start, at));
    start = at;
  }
  return [...blocks, bytes.subarray(start)];
}
