import { Problem } from '../../overlay/json/problem.ts';
import { type Fault, faults } from '../faults.ts';
import { type Reply, replyWire, type Scene, turnOperations } from '../replies/reply.ts';
import type { FakeRequest } from '../requests/request.ts';
import type { WireReply } from '../sockets/wire-reply.ts';

/** The answer to one request: a reply, a fault, or a function that returns one. Returning undefined selects the default answer. */
export type Answer = Reply | Fault | ((request: FakeRequest) => Reply | Fault | undefined | Promise<Reply | Fault | undefined>);

/** The wire reply of a scripted answer. `byDefault` makes an unscripted one. */
export function answerWire(answer: Reply | Fault, scene: Scene, byDefault: (scene: Scene) => WireReply): WireReply {
  if (!('fault' in answer)) return replyWire(answer, scene);
  const { effects } = madeByMenu(answer);
  const spoilt: Scene = { ...scene, stream: effects.find(({ stream }) => stream !== undefined)?.stream ?? scene.stream };
  const turn = turnOperations.includes(scene.route.id) ? effects.find((effect) => effect.turn)?.turn : undefined;
  const reply = answer.reply ?? (turn && { turn });
  const wire = reply === undefined ? byDefault(spoilt) : replyWire(reply, spoilt);
  return effects.reduce((spoiled, { spoil }) => spoil(spoiled, spoilt), wire);
}

/** The fault of an answer that applies before the request body is read. */
export function earlyFault(answer: Answer | undefined): Fault | undefined {
  return typeof answer === 'object' && 'fault' in answer && answer.fault !== 'all' && answer.effects[0]?.early ? answer : undefined;
}

/** Checks that a fault has its effects, which a copy as JSON or by hand lacks. */
export function madeByMenu(fault: Fault): Fault {
  if (Array.isArray(fault.effects)) return fault;
  const name = Object.hasOwn(faults, fault.fault) ? fault.fault : '…';
  throw new Problem('the fault', `is without its effects; make it with faults.${name}()`);
}
