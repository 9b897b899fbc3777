// Frames of an event stream: from the blocks of a body, and back.
import { utf8 } from './bodies.ts';
import type { ExchangeFrame } from './form.ts';

/** A block of a body, with the time of its arrival in milliseconds. */
export interface Block {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** The frames of a body. Each has the time of the block that completes it, counted from the frame before. */
export function framesOfBlocks(blocks: readonly Block[], startedAt: number): ExchangeFrame[] {
  // A character for each byte: a frame that is not UTF-8 keeps its bytes.
  const texts = blocks.map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
  const frames: ExchangeFrame[] = [];
  let [end, block, blockEnd, last] = [0, -1, 0, startedAt];
  for (const frame of texts.join('').match(/[\s\S]*?(?:\r\n\r\n|\n\n|\r\r)|[\s\S]+$/g) ?? []) {
    end += frame.length;
    while (blockEnd < end && block < texts.length - 1) blockEnd += texts[++block]?.length ?? 0;
    const at = blocks[Math.min(block, blocks.length - 1)]?.at ?? last;
    frames.push({ after: Math.max(0, Math.round(at - last)), ...fieldsOfBytes(Buffer.from(frame, 'latin1')) });
    last = at;
  }
  return frames;
}

function fieldsOfBytes(bytes: Uint8Array): Omit<ExchangeFrame, 'after'> {
  const text = utf8(bytes);
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : fieldsOfFrame(text);
}

function fieldsOfFrame(text: string): Omit<ExchangeFrame, 'after'> {
  const event = /^event: ([^\r\n]+)\n/.exec(text)?.[1];
  const lines = text.slice(event === undefined ? 0 : `event: ${event}\n`.length);
  // A frame of the usual form has lines of data and no others.
  const isUsual =
    lines.endsWith('\n\n') &&
    !lines.includes('\r') &&
    lines
      .slice(0, -2)
      .split('\n')
      .every((line) => line.startsWith('data: '));
  if (!isUsual) return { raw: text };
  const data = lines.slice('data: '.length, -2).replaceAll('\ndata: ', '\n');
  return event === undefined ? { data } : { event, data };
}

/** The bytes of a frame on the wire. */
export function frameBytes(frame: ExchangeFrame): Uint8Array {
  return frame.base64 === undefined ? new TextEncoder().encode(frameText(frame)) : new Uint8Array(Buffer.from(frame.base64, 'base64'));
}

function frameText({ event, data = '', raw }: ExchangeFrame): string {
  return raw ?? `${event === undefined ? '' : `event: ${event}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}

/** True for the frame that ends a stream of any surface. */
export function isLast(frame: ExchangeFrame | undefined): boolean {
  const text = frame?.raw ?? frame?.data ?? '';
  return /^(?:data: ?)?\[DONE\]\s*$/.test(text) || /"type": ?"(?:message_stop|response\.(?:completed|incomplete|failed))"/.test(text);
}
