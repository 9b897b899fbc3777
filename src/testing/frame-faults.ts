import { envelope, shapeOf } from './envelopes.ts';
import type { Fault, FaultName } from './faults.ts';
import type { Scene } from './reply.ts';
import { failedFrames } from './responses-turn.ts';
import { bytesOf, bytesWire, chunked, joined, jsonWire, textOf, type WireReply, withBlocks } from './wire-reply.ts';

/** Applies a fault to the wire reply of a correct answer. */
export type Spoil<Name extends FaultName = FaultName> = (wire: WireReply, fault: Extract<Fault, { fault: Name }>, scene: Scene) => WireReply;

/** Faults that change the frames of a stream. */
export const frameFaults: { readonly [Name in FrameFault]: Spoil<Name> } = {
  truncatedStream: (wire, { at, ending }, scene) => {
    if (!scene.stream) {
      const body = joined(wire.blocks);
      return { ...chunked(wire), blocks: [body.slice(0, Math.floor(body.length / 2))], ending };
    }
    const end = wire.blocks.findIndex((block) => isFinish(block) || isDone(block));
    const kept = wire.blocks.slice(0, end < 0 ? -1 : end);
    const next = wire.blocks[kept.length] ?? bytesOf('data: {');
    return { ...wire, blocks: at === 'frame' ? kept : [...kept, next.slice(0, Math.floor(next.length / 2))], ending };
  },
  missingDone: (wire, _, scene) =>
    scene.stream
      ? withBlocks(
          wire,
          wire.blocks.filter((block) => !isDone(block)),
        )
      : wire,
  missingFinish: (wire, _, scene) =>
    scene.stream
      ? withBlocks(
          wire,
          wire.blocks.filter((block) => !isFinish(block)),
        )
      : wire,
  doneThenOpen: (wire) => ({ ...chunked(wire), ending: 'open' }),
  afterDone: (wire, { text }) => withBlocks(wire, [...wire.blocks, bytesOf(text)]),
  unterminatedEnd: (wire, _, scene) => (scene.stream ? withBlocks(wire, [...wire.blocks.slice(0, -1), unended(wire.blocks.at(-1))]) : wire),
  emptyStream: (wire) => withBlocks(wire, []),
  gluedFrames: (wire, { how, index }, scene) => {
    if (!scene.stream || how === 'packed') return withBlocks(wire, [joined(wire.blocks)]);
    if (how === 'foreignHead')
      return withBlocks(
        wire,
        wire.blocks.map((block, at) => (at === index && scene.route.id === 'chat.create' ? joined([foreignHead(block), block]) : block)),
      );
    const [first = new Uint8Array(), second = new Uint8Array()] = wire.blocks.slice(index, index + 2);
    const head = how === 'cut' ? first.slice(0, Math.floor(first.length / 2)) : unended(first);
    return withBlocks(wire, [...wire.blocks.slice(0, index), joined([head, second]), ...wire.blocks.slice(index + 2)]);
  },
  malformedFrame: (wire, { index, data }, scene) => {
    if (!scene.stream) return bytesWire(bytesOf(data), wire.headers);
    // A replacement function, because `$` has a special meaning in a replacement string.
    return withBlocks(
      wire,
      wire.blocks.map((block, at) => (at === index ? bytesOf(textOf(block).replace(/data: .*/, () => `data: ${data}`)) : block)),
    );
  },
  inBandError: (wire, { code, message, after }, scene) => {
    const body = envelope(shapeOf(scene.route), { status: 200, code, message }, scene.request.requestId);
    if (!scene.stream) return jsonWire(body);
    const isResponses = scene.route.surface === 'responses';
    const frames = isResponses ? failedFrames({ code, message }, scene.request.requestId) : [`data: ${JSON.stringify(body)}\n\n`];
    return withBlocks(wire, [...wire.blocks.slice(0, after), ...frames.map(bytesOf)]);
  },
  eventError: (wire, { code, message, after }, scene) => {
    const { surface } = scene.route;
    const known = code ?? overloaded[surface] ?? '1305';
    const failure = envelope(shapeOf(scene.route), { status: 200, code: known, message }, scene.request.requestId);
    if (!scene.stream) return jsonWire(failure);
    const body = surface === 'responses' ? { type: 'error', code: known, message, param: null } : failure;
    return withBlocks(wire, [...wire.blocks.slice(0, after), bytesOf(`event: error\ndata: ${JSON.stringify(body)}\n\n`)]);
  },
  keepAliveOnly: (wire, { everyMs, after }, scene) => {
    const sign = !scene.stream ? '\n' : scene.route.surface === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': keep-alive\n\n';
    return { ...chunked(wire), blocks: scene.stream ? wire.blocks.slice(0, after) : [], repeat: { block: bytesOf(sign), everyMs }, ending: 'open' };
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

/** The code of an overload on the surfaces that have words. */
const overloaded: Readonly<Record<string, string>> = { messages: 'overloaded_error', responses: 'overloaded' };

function isDone(frame: Uint8Array): boolean {
  const text = textOf(frame);
  return text.startsWith('data: [DONE]') || text.startsWith('event: message_stop');
}

function isFinish(frame: Uint8Array): boolean {
  const text = textOf(frame);
  return (
    /^event: (message_delta|response\.(completed|incomplete))\n/.test(text) || /"finish_reason":\s*"|"type":\s*"transcript\.text\.done"/.test(text)
  );
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
