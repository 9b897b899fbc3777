import type { RefusedAttempt } from '../call/attempt/failure.ts';
import type { Reply } from '../call/reply/reply.ts';
import { InBandFailure, refuseBareJson, type StreamProtocol } from '../surfaces/protocol.ts';
import { SseReader } from './sse.ts';

/** Comments before the first event are read up to this size. */
const maxBytes = 64 * 1024;

/**
 * Waits for the first item of a stream. Returns the failure that the service sent in place of it. The body is left as it came: whoever reads it
 * next gets every block, and the error of a body that is broken.
 */
export async function firstRefusal(reply: Reply, protocol: StreamProtocol<unknown>): Promise<RefusedAttempt | undefined> {
  const blocks: Uint8Array[] = [];
  let isOver = false;
  const frame = (name: string | undefined, data: string, isBare = false): void => {
    if (isOver) return;
    const { item, done } = isBare ? refuseBareJson(data) : protocol.decode(name, data);
    isOver = done || item !== undefined;
  };
  const frames = new SseReader(frame, (line) => frame(undefined, line, true), reply.settings.maxEventBytes);
  try {
    for (let size = 0; !isOver && size < maxBytes; ) {
      const block = await reply.body.next();
      if (!block) {
        frames.end();
        break;
      }
      blocks.push(block);
      size += block.length;
      frames.feed(block);
    }
  } catch (error) {
    if (error instanceof InBandFailure) return Object.assign(reply.refused(error.envelope), { usage: protocol.usage });
  } finally {
    reply.body.unshift(blocks);
  }
  return undefined;
}
