import { constants, crc32, deflateRawSync } from 'node:zlib';
import { joined } from '../sockets/wire-reply.ts';

const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** Compresses blocks as one gzip stream. Each block can be inflated on arrival. */
export function gzipBlocks(blocks: readonly Uint8Array[]): Uint8Array[] {
  // Independent blocks that end on a byte boundary can be concatenated.
  const flushed = blocks.map(deflated);
  const whole = joined(blocks);
  return [gzipHeader, ...flushed, gzipTail(crc32(whole), whole.length)];
}

const bombBlock = Buffer.alloc(1_000_000, ' ');

/** A gzip stream of `bytes` blanks and then `body`, about 1,000 times smaller. It is generated block by block to keep memory small. */
export function* gzipBomb(bytes: number, body: Uint8Array): Generator<Uint8Array> {
  yield gzipHeader;
  const blanks = deflated(bombBlock);
  let checksum = 0;
  let left = bytes;
  for (; left >= bombBlock.length; left -= bombBlock.length) {
    checksum = crc32(bombBlock, checksum);
    yield blanks;
  }
  const last = joined([bombBlock.subarray(0, left), body]);
  yield deflated(last);
  yield gzipTail(crc32(last, checksum), bytes + body.length);
}

/** Compresses a block without references to earlier blocks. The result ends on a byte boundary. */
function deflated(block: Uint8Array): Uint8Array {
  return deflateRawSync(block, { finishFlush: constants.Z_SYNC_FLUSH });
}

function gzipTail(checksum: number, length: number): Uint8Array {
  const tail = new DataView(new ArrayBuffer(10));
  tail.setUint16(0, 0x0300);
  tail.setUint32(2, checksum, true);
  tail.setUint32(6, length % 2 ** 32, true);
  return new Uint8Array(tail.buffer);
}
