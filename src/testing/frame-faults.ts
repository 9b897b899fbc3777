import { envelope, shapeOf } from './envelopes.ts';
import type { Fault, FaultName } from './faults.ts';
import { bytesOf, bytesPlan, chunked, joined, jsonPlan, type Plan, textOf, withBlocks } from './plan.ts';
import type { Scene } from './reply.ts';

/** Applies a fault to the plan of a correct answer. */
export type Spoil<Name extends FaultName = FaultName> = (plan: Plan, fault: Extract<Fault, { fault: Name }>, scene: Scene) => Plan;

/** Faults that change the frames of a stream. */
export const frameFaults: { readonly [Name in FrameFault]: Spoil<Name> } = {
  truncatedStream: (plan, { at, ending }, scene) => {
    if (!scene.stream) {
      const body = joined(plan.blocks);
      return { ...chunked(plan), blocks: [body.slice(0, Math.floor(body.length / 2))], ending };
    }
    const end = plan.blocks.findIndex((block) => isFinish(block) || isDone(block));
    const kept = plan.blocks.slice(0, end < 0 ? -1 : end);
    const next = plan.blocks[kept.length] ?? bytesOf('data: {');
    return { ...plan, blocks: at === 'frame' ? kept : [...kept, next.slice(0, Math.floor(next.length / 2))], ending };
  },
  missingDone: (plan, _, scene) =>
    scene.stream
      ? withBlocks(
          plan,
          plan.blocks.filter((block) => !isDone(block)),
        )
      : plan,
  missingFinish: (plan, _, scene) =>
    scene.stream
      ? withBlocks(
          plan,
          plan.blocks.filter((block) => !isFinish(block)),
        )
      : plan,
  doneThenOpen: (plan) => ({ ...chunked(plan), ending: 'open' }),
  afterDone: (plan, { text }) => withBlocks(plan, [...plan.blocks, bytesOf(text)]),
  unterminatedEnd: (plan, _, scene) => (scene.stream ? withBlocks(plan, [...plan.blocks.slice(0, -1), unended(plan.blocks.at(-1))]) : plan),
  emptyStream: (plan) => withBlocks(plan, []),
  gluedFrames: (plan, { how, index }, scene) => {
    if (!scene.stream || how === 'packed') return withBlocks(plan, [joined(plan.blocks)]);
    if (how === 'foreignHead')
      return withBlocks(
        plan,
        plan.blocks.map((block, at) => (at === index && scene.route.id === 'chat.create' ? joined([foreignHead(block), block]) : block)),
      );
    const [first = new Uint8Array(), second = new Uint8Array()] = plan.blocks.slice(index, index + 2);
    const head = how === 'cut' ? first.slice(0, Math.floor(first.length / 2)) : unended(first);
    return withBlocks(plan, [...plan.blocks.slice(0, index), joined([head, second]), ...plan.blocks.slice(index + 2)]);
  },
  malformedFrame: (plan, { index, data }, scene) => {
    if (!scene.stream) return bytesPlan(bytesOf(data), plan.headers);
    // A replacement function, because `$` has a special meaning in a replacement string.
    return withBlocks(
      plan,
      plan.blocks.map((block, at) => (at === index ? bytesOf(textOf(block).replace(/data: .*/, () => `data: ${data}`)) : block)),
    );
  },
  inBandError: (plan, { code, message, after }, scene) => {
    const body = envelope(shapeOf(scene.route), { status: 200, code, message }, scene.request.requestId);
    if (!scene.stream) return jsonPlan(body);
    return withBlocks(plan, [...plan.blocks.slice(0, after), bytesOf(`data: ${JSON.stringify(body)}\n\n`)]);
  },
  eventError: (plan, { code, message, after }, scene) => {
    const known = code ?? (scene.route.surface === 'messages' ? 'overloaded_error' : '1305');
    const body = envelope(shapeOf(scene.route), { status: 200, code: known, message }, scene.request.requestId);
    if (!scene.stream) return jsonPlan(body);
    return withBlocks(plan, [...plan.blocks.slice(0, after), bytesOf(`event: error\ndata: ${JSON.stringify(body)}\n\n`)]);
  },
  keepAliveOnly: (plan, { everyMs, after }, scene) => {
    const sign = !scene.stream ? '\n' : scene.route.surface === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': keep-alive\n\n';
    return { ...chunked(plan), blocks: scene.stream ? plan.blocks.slice(0, after) : [], repeat: { block: bytesOf(sign), everyMs }, ending: 'open' };
  },
};

export type FrameFault =
  | 'truncatedStream'
  | 'missingDone'
  | 'missingFinish'
  | 'doneThenOpen'
  | 'afterDone'
  | 'unterminatedEnd'
  | 'emptyStream'
  | 'gluedFrames'
  | 'malformedFrame'
  | 'inBandError'
  | 'eventError'
  | 'keepAliveOnly';

function isDone(frame: Uint8Array): boolean {
  const text = textOf(frame);
  return text.startsWith('data: [DONE]') || text.startsWith('event: message_stop');
}

function isFinish(frame: Uint8Array): boolean {
  const text = textOf(frame);
  return text.startsWith('event: message_delta') || /"finish_reason":\s*"|"type":\s*"transcript\.text\.done"/.test(text);
}

/** The first half of a chunk, with another id. */
function foreignHead(frame: Uint8Array): Uint8Array {
  const text = textOf(frame).replace(/"id":\s*"[^"]*"/, '"id":"20260101000000abcdef0123456789"');
  return bytesOf(text.slice(0, Math.floor(text.length / 2)));
}

/** A frame without its line ends. */
function unended(frame: Uint8Array | undefined): Uint8Array {
  return bytesOf(textOf(frame ?? new Uint8Array()).trimEnd());
}
