import { IdleTimer } from './idle.ts';
import { type Exchange, TransportFailure, type WireResponse } from './transport/transport.ts';

const decoder = new TextDecoder();

/** A whole body as text, without a BOM; it fails when it is silent for `idleMs`, and is cut after `limit` bytes. */
export function readText(response: WireResponse, exchange: Exchange, idleMs: number, limit: number = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve, reject) => {
    const blocks: Uint8Array[] = [];
    let size = 0;
    const idle = new IdleTimer(idleMs, () => exchange.destroy(new TransportFailure('body', undefined, idleMs)));
    const finish = (): void => {
      idle.stop();
      resolve(decoder.decode(join(blocks, size)));
    };
    idle.touch();
    response.read({
      block(bytes) {
        idle.touch();
        blocks.push(bytes);
        size += bytes.length;
        if (size <= limit) return;
        finish();
        exchange.destroy(new TransportFailure('body', undefined));
      },
      end: finish,
      fail(error) {
        idle.stop();
        reject(error);
      },
    });
  });
}

function join(blocks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = blocks;
  if (blocks.length === 1 && first) return first;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}
