import { type Fault, type FaultName, flat } from './faults.ts';
import { floodFaults } from './flood-faults.ts';
import { frameFaults, type Spoil } from './frame-faults.ts';
import { type Reply, replyWire, type Scene, turnOperations } from './reply.ts';
import type { FakeRequest } from './request.ts';
import { wireFaults } from './wire-faults.ts';
import type { WireReply } from './wire-reply.ts';

/** The answer to one request: a reply, a fault, or a function that returns one. Returning undefined selects the default answer. */
export type Answer = Reply | Fault | ((request: FakeRequest) => Reply | Fault | undefined | Promise<Reply | Fault | undefined>);

const spoils = { ...frameFaults, ...floodFaults, ...wireFaults };

/** The wire reply of a scripted answer. `byDefault` makes that of an unscripted one. */
export function answerWire(answer: Reply | Fault, scene: Scene, byDefault: (scene: Scene) => WireReply): WireReply {
  if (!('fault' in answer)) return replyWire(answer, scene);
  const list = flat(answer);
  const forced = list.some(({ fault }) => fault === 'jsonForStream') ? false : list.some(({ fault }) => fault === 'streamForJson') || undefined;
  const spoilt: Scene = forced === undefined ? scene : { ...scene, stream: forced };
  const reply = [answer, ...list].find((one) => one.reply !== undefined)?.reply ?? defaultReply(list, spoilt);
  let wire = reply === undefined ? byDefault(spoilt) : replyWire(reply, spoilt);
  for (const fault of list) if (fault.fault !== 'all') wire = (spoils[fault.fault] as Spoil)(wire, fault, spoilt);
  return wire;
}

/** `multiByteSplit` needs text with multi-byte characters. */
function defaultReply(list: readonly Fault[], scene: Scene): Reply | undefined {
  const names: readonly FaultName[] = list.map(({ fault }) => fault);
  if (!names.includes('multiByteSplit') || !turnOperations.includes(scene.route.id)) return undefined;
  return { turn: { text: ['Größe ', '你好，', '世界 ', '🌧️ é'] } };
}

/** True for a fault that applies before the request body is read. */
export function isEarly(answer: Answer | undefined): answer is Fault & { fault: 'resetUpload' | 'stallUpload' | 'rejectUpload' } {
  return typeof answer === 'object' && 'fault' in answer && /^(reset|stall|reject)Upload$/.test(answer.fault);
}
