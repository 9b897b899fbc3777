import type { FaultName } from './faults.ts';
import type { Spoil } from './frame-faults.ts';
import { gzipBomb } from './gzip.ts';
import { bytesOf, chunked, joined, jsonPlan, type Plan } from './plan.ts';
import type { Scene } from './reply.ts';

export type FloodFault = Extract<FaultName, 'gzipBomb' | 'endlessBlanks' | 'endlessLine' | 'hugeEvent' | 'endlessFrames' | 'drippedError'>;

/** Faults that send more than a client can buffer. */
export const floodFaults: { readonly [Name in FloodFault]: Spoil<Name> } = {
  gzipBomb: (plan, { bytes }) => {
    const answer = joined(plan.blocks);
    return { ...chunked(plan), headers: { ...chunked(plan).headers, 'content-encoding': 'gzip' }, blocks: [], source: () => gzipBomb(bytes, answer) };
  },
  endlessBlanks: (plan) => flood(plan, [], '\n'.repeat(blockBytes)),
  endlessLine: (plan, _, { stream }) => flood(plan, [bytesOf(stream ? 'data: {"id":"' : '{"id":"')], 'x'.repeat(blockBytes)),
  hugeEvent: (plan, { bytes }, scene) => {
    const text = 'x'.repeat(bytes);
    if (!scene.stream) return jsonPlan({ ...(JSON.parse(Buffer.from(joined(plan.blocks)).toString()) as object), padding: text });
    const { before, frame } = largeFrame(plan, scene, text);
    return { ...plan, blocks: [...before, bytesOf(frame), ...plan.blocks.slice(before.length)] };
  },
  endlessFrames: (plan, { bytes }, scene) => {
    const text = 'x'.repeat(bytes);
    if (!scene.stream) return flood(plan, [bytesOf('{"choices":[')], `{"index":0,"message":{"content":"${text}"}},`);
    const { before, frame } = largeFrame(plan, scene, text);
    return flood(plan, before, frame);
  },
  drippedError: (plan, { status, everyMs }) => ({
    ...chunked(plan),
    status,
    headers: { 'content-type': 'application/json' },
    blocks: [bytesOf('{"error":{"code":"1234","message":"dripping ')],
    repeat: { block: bytesOf('x'), everyMs },
    ending: 'open',
  }),
};

const blockBytes = 65_536;

function flood(plan: Plan, blocks: readonly Uint8Array[], repeated: string): Plan {
  return { ...chunked(plan), blocks, repeat: { block: bytesOf(repeated), everyMs: 0 }, ending: 'open' };
}

/** A text frame in the form of the surface, and the frames that must precede it. */
function largeFrame(plan: Plan, { route }: Scene, text: string): { readonly before: readonly Uint8Array[]; readonly frame: string } {
  if (route.surface !== 'messages') {
    const chunk = { id: '1', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] };
    return { before: [], frame: `data: ${JSON.stringify(chunk)}\n\n` };
  }
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  // The deltas of a block must follow its start.
  const start = plan.blocks.findIndex((block) => Buffer.from(block).toString().startsWith('event: content_block_start'));
  return { before: plan.blocks.slice(0, start + 1), frame: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` };
}
