/** Parts of the effects of faults: each changes the wire reply of a correct answer. */

import { eventFrame } from '../replies/message-turn.ts';
import type { Scene } from '../replies/reply.ts';
import { type EnvelopeShape, envelope, shapeOf } from '../requests/envelopes.ts';
import { bytesOf, chunked, jsonWire, textOf, type WireReply, withBlocks } from '../sockets/wire-reply.ts';

/** Changes a wire reply. */
export type Spoil = (wire: WireReply, scene: Scene) => WireReply;

type Blocks = readonly Uint8Array[];

/** A stream without some of its frames. A JSON reply stays as it is. */
export function without(wire: WireReply, { stream }: Scene, isLeftOut: (frame: Uint8Array) => boolean): WireReply {
  return stream
    ? withBlocks(
        wire,
        wire.blocks.filter((frame) => !isLeftOut(frame)),
      )
    : wire;
}

/** Writes bytes instead of headers and body. */
export function rawBytes(bytes: string | Uint8Array, ending: WireReply['ending']): Spoil {
  return (wire) => ({ ...wire, head: 'raw', raw: typeof bytes === 'string' ? bytesOf(bytes) : bytes, ending });
}

/** A failure with an HTTP status, in the envelope of the surface. */
export function failure(scene: Scene, status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): WireReply {
  return jsonWire(envelope(shapeOf(scene.route), { status, code, message }, scene.request.requestId), status, headers);
}

/** The body of a failure inside a 200. */
export function failureBody({ route, request }: Scene, code: string, message: string, shape: EnvelopeShape = shapeOf(route)): object {
  return envelope(shape, { status: 200, code, message }, request.requestId);
}

/** The wire reply with other headers. An undefined value leaves a header out. */
export function withHeaders(wire: WireReply, changes: Readonly<Record<string, string | undefined>>): WireReply {
  const headers = Object.entries({ ...wire.headers, ...changes }).filter((header): header is [string, string] => header[1] !== undefined);
  return { ...wire, headers: Object.fromEntries(headers) };
}

/** The blocks, then a text until the client leaves. 0 ms sends as fast as the client reads. */
export function endless(wire: WireReply, blocks: Blocks, text: string, everyMs = 0): WireReply {
  return { ...chunked(wire), blocks, repeat: { block: bytesOf(text), everyMs }, ending: 'open' };
}

/** The frames up to the place of a text frame, and a text frame of that place in the form of the surface. */
export function largeFrame({ blocks }: WireReply, { route }: Scene, text: string): { readonly before: Blocks; readonly frame: string } {
  // The deltas of a block must follow its start.
  const framesTo = (type: string): Blocks =>
    blocks.slice(0, blocks.findIndex((block) => Buffer.from(block).toString().startsWith(`event: ${type}\n`)) + 1);
  if (route.surface === 'responses') {
    const event = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text };
    return { before: framesTo('response.content_part.added'), frame: eventFrame(event) };
  }
  if (route.surface === 'messages') {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    return { before: framesTo('content_block_start'), frame: eventFrame(event) };
  }
  const chunk = { id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] };
  return { before: [], frame: `data: ${JSON.stringify(chunk)}\n\n` };
}

export function isDone(frame: Uint8Array): boolean {
  return /^(data: \[DONE\]|event: message_stop)/.test(textOf(frame));
}

export function isFinish(frame: Uint8Array): boolean {
  return /^event: (message_delta|response\.(completed|incomplete))\n|"finish_reason":\s*"|"type":\s*"transcript\.text\.done"/.test(textOf(frame));
}

export function half<T extends string | Uint8Array>(whole: T): T {
  return whole.slice(0, Math.floor(whole.length / 2)) as T;
}

/** The first half of a chunk, with another id. */
export function foreignHead(frame: Uint8Array): Uint8Array {
  return bytesOf(half(textOf(frame).replace(/"id":\s*"[^"]*"/, '"id":"20260101000000abcdef0123456789"')));
}

/** A frame without its line ends. */
export function unended(frame: Uint8Array | undefined): Uint8Array {
  return bytesOf(textOf(frame ?? new Uint8Array()).trimEnd());
}

/** The blocks with other line ends. */
export function withLineEnds(blocks: Blocks, end: string): Blocks {
  return blocks.map((block) => Buffer.from(Buffer.from(block).toString('latin1').replaceAll('\n', end), 'latin1'));
}

export function slices(bytes: Uint8Array, size: number): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) blocks.push(bytes.subarray(at, at + Math.max(1, size)));
  return blocks;
}

/** Cut before every byte that continues a character. */
export function splitCharacters(bytes: Uint8Array): Uint8Array[] {
  const cuts = [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index]));
}
