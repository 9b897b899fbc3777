import { embeddedShapeOf, envelope, shapeOf } from './envelopes.ts';
import type { FaultName, RetryAfter } from './faults.ts';
import type { FloodFault } from './flood-faults.ts';
import type { FrameFault, Spoil } from './frame-faults.ts';
import { gzipBlocks } from './gzip.ts';
import { bytesOf, bytesPlan, chunked, joined, jsonPlan, type Plan, withBlocks } from './plan.ts';
import type { Scene } from './reply.ts';

/** Faults of the connection, of the complete reply and of its bytes. */
export const wireFaults: { readonly [Name in Exclude<FaultName, FrameFault | FloodFault | 'all'>]: Spoil<Name> } = {
  resetBeforeHeaders: (plan) => ({ ...plan, head: 'reset' }),
  resetMidBody: (plan, { afterBytes }) => {
    const body = joined(plan.blocks);
    // `content-length` keeps the length of the complete body.
    return { ...plan, blocks: [body.slice(0, afterBytes ?? Math.floor(body.length / 2))], ending: 'reset' };
  },
  silentBeforeHeaders: (plan) => ({ ...plan, head: 'silent' }),
  silentAfterHeaders: (plan, { blocks }) => ({ ...plan, blocks: plan.blocks.slice(0, blocks), ending: 'open' }),
  slowHeaders: (plan, { ms }) => ({ ...plan, delayMs: ms }),
  slowDrip: (plan, { bytesPerTick, ms }) => ({ ...withBlocks(plan, slices(joined(plan.blocks), bytesPerTick)), paceMs: ms }),
  // Applied before a plan exists, because the request body must not be read.
  resetUpload: (plan) => ({ ...plan, head: 'reset' }),
  stallUpload: (plan) => ({ ...plan, head: 'silent' }),
  rejectUpload: (_, { status, code, message }, scene) => failure(scene, status, code, message, {}),
  // Applied before a plan exists: they select its format.
  jsonForStream: (plan) => plan,
  streamForJson: (plan) => plan,
  wrongContentType: (plan, { type }) => {
    const { 'content-type': _, ...headers } = plan.headers;
    return { ...plan, headers: type === undefined ? headers : { ...headers, 'content-type': type } };
  },
  htmlErrorPage: (_, { status }) =>
    bytesPlan(
      bytesOf(`<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>\n`),
      { 'content-type': 'text/html; charset=utf-8' },
      status,
    ),
  error: (_, { status, code, message, headers }, scene) => failure(scene, status, code, message, headers),
  rateLimit: (_, { retryAfter, code }, scene) => failure(scene, 429, code, 'Rate limit reached for requests.', headersOf(retryAfter)),
  embeddedFailure: (_, { shape, code, message }, { route, request }) =>
    jsonPlan(envelope(shape ?? embeddedShapeOf(route), { status: 200, code, message }, request.requestId)),
  emptyBody: (plan, { status }) => ({ ...withBlocks(plan, []), status, headers: status === 204 ? {} : { ...plan.headers, 'content-length': '0' } }),
  redirect: (_, { location, status }) => bytesPlan(new Uint8Array(), { location }, status),
  gzip: (plan) => withBlocks({ ...plan, headers: { ...plan.headers, 'content-encoding': 'gzip' } }, gzipBlocks(plan.blocks)),
  oneByteAtATime: (plan) => withBlocks(plan, slices(joined(plan.blocks), 1)),
  multiByteSplit: (plan) => withBlocks(plan, splitCharacters(joined(plan.blocks))),
  lineEnds: (plan, { ends }) =>
    withBlocks(
      plan,
      plan.blocks.map((block) =>
        Buffer.from(
          Buffer.from(block)
            .toString('latin1')
            .replaceAll('\n', ends === 'cr' ? '\r' : '\r\n'),
          'latin1',
        ),
      ),
    ),
  hugeHeader: (plan, { bytes }) => ({ ...plan, headers: { ...plan.headers, 'x-padding': 'x'.repeat(bytes) } }),
  invalidHeader: (plan) => rawPlan(plan, 'HTTP/1.1 200 OK\r\nthis line is no header\r\ncontent-length: 2\r\n\r\n{}', 'open'),
  halfHeader: (plan) => rawPlan(plan, 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-le', 'close'),
  switchingProtocols: (plan) => rawPlan(plan, 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', 'open'),
  raw: (plan, { bytes, ending }) => rawPlan(plan, bytes, ending),
  keepAliveHint: (plan, { seconds }) => ({ ...plan, headers: { ...plan.headers, connection: 'keep-alive', 'keep-alive': `timeout=${seconds}` } }),
  lyingLength: (plan, { bytes }) => ({ ...plan, headers: { ...plan.headers, 'content-length': String(bytes) }, ending: 'close' }),
  cutJson: (plan) => {
    const body = joined(plan.blocks);
    return withBlocks(plan, [body.slice(0, Math.floor(body.length / 2))]);
  },
  byteOrderMark: (plan) => withBlocks(chunked(plan), [Uint8Array.of(0xef, 0xbb, 0xbf), ...plan.blocks]),
};

function rawPlan(plan: Plan, bytes: string | Uint8Array, ending: Plan['ending']): Plan {
  return { ...plan, head: 'raw', raw: typeof bytes === 'string' ? bytesOf(bytes) : bytes, ending };
}

function failure(scene: Scene, status: number, code: string, message: string, headers: Readonly<Record<string, string>>): Plan {
  const { route, request } = scene;
  return jsonPlan(envelope(shapeOf(route), { status, code, message }, request.requestId), status, headers);
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
