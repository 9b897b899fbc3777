import { constants, crc32, deflateRawSync } from 'node:zlib';
import { joined } from './plan.ts';

/** Blocks as one gzip stream that can be inflated block by block as they arrive. */
export function gzipBlocks(blocks: readonly Uint8Array[]): Uint8Array[] {
  const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
  // Each block ends on a byte boundary and looks back on nothing, so they can stand behind one another.
  const flushed = blocks.map((block) => deflateRawSync(block, { finishFlush: constants.Z_SYNC_FLUSH }));
  const whole = joined(blocks);
  const tail = new DataView(new ArrayBuffer(10));
  tail.setUint16(0, 0x0300);
  tail.setUint32(2, crc32(whole), true);
  tail.setUint32(6, whole.length, true);
  return [header, ...flushed, new Uint8Array(tail.buffer)];
}
