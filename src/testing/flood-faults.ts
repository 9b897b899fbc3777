import type { FaultName } from './faults.ts';
import type { Spoil } from './frame-faults.ts';
import { gzipBomb } from './gzip.ts';
import { eventFrame } from './message-turn.ts';
import type { Scene } from './reply.ts';
import { bytesOf, chunked, joined, jsonWire, type WireReply } from './wire-reply.ts';

export type FloodFault = Extract<FaultName, 'gzipBomb' | 'endlessBlanks' | 'endlessLine' | 'hugeEvent' | 'endlessFrames' | 'drippedError'>;

/** Faults that send more than a client can buffer. */
export const floodFaults: { readonly [Name in FloodFault]: Spoil<Name> } = {
  gzipBomb: (wire, { bytes }) => {
    const body = joined(wire.blocks);
    return { ...chunked(wire), headers: { ...chunked(wire).headers, 'content-encoding': 'gzip' }, blocks: [], source: () => gzipBomb(bytes, body) };
  },
  endlessBlanks: (wire) => flood(wire, [], '\n'.repeat(blockBytes)),
  endlessLine: (wire, _, { stream }) => flood(wire, [bytesOf(stream ? 'data: {"id":"' : '{"id":"')], 'x'.repeat(blockBytes)),
  hugeEvent: (wire, { bytes }, scene) => {
    const text = 'x'.repeat(bytes);
    if (!scene.stream) return jsonWire({ ...(JSON.parse(Buffer.from(joined(wire.blocks)).toString()) as object), padding: text });
    const { before, frame } = largeFrame(wire, scene, text);
    return { ...wire, blocks: [...before, bytesOf(frame), ...wire.blocks.slice(before.length)] };
  },
  endlessFrames: (wire, { bytes }, scene) => {
    const text = 'x'.repeat(bytes);
    if (!scene.stream) return flood(wire, [bytesOf('{"choices":[')], `{"index":0,"message":{"content":"${text}"}},`);
    const { before, frame } = largeFrame(wire, scene, text);
    return flood(wire, before, frame);
  },
  drippedError: (wire, { status, everyMs }) => ({
    ...chunked(wire),
    status,
    headers: { 'content-type': 'application/json' },
    blocks: [bytesOf('{"error":{"code":"1234","message":"dripping ')],
    repeat: { block: bytesOf('x'), everyMs },
    ending: 'open',
  }),
};

const blockBytes = 65_536;

function flood(wire: WireReply, blocks: readonly Uint8Array[], repeated: string): WireReply {
  return { ...chunked(wire), blocks, repeat: { block: bytesOf(repeated), everyMs: 0 }, ending: 'open' };
}

/** A text frame in the form of the surface, and the frames that must precede it. */
function largeFrame(wire: WireReply, { route }: Scene, text: string): { readonly before: readonly Uint8Array[]; readonly frame: string } {
  if (route.surface === 'responses') {
    const event = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text };
    return { before: framesTo(wire, 'response.content_part.added'), frame: eventFrame(event) };
  }
  if (route.surface !== 'messages') {
    const chunk = { id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] };
    return { before: [], frame: `data: ${JSON.stringify(chunk)}\n\n` };
  }
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  // The deltas of a block must follow its start.
  return { before: framesTo(wire, 'content_block_start'), frame: eventFrame(event) };
}

/** The frames up to the first event of a type. */
function framesTo({ blocks }: WireReply, type: string): readonly Uint8Array[] {
  return blocks.slice(0, blocks.findIndex((block) => Buffer.from(block).toString().startsWith(`event: ${type}\n`)) + 1);
}
