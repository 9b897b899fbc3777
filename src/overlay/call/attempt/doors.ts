import type { Cancellation } from '../cancellation.ts';
import type { Door } from '../door.ts';
import type { Call } from '../request/call.ts';
import type { Settings } from '../settings/settings.ts';
import { GateAdmission } from './admission.ts';
import { gateAdvice } from './outcome.ts';

/** The door of a call: its budget around its gate. Without them, and for a call that only reads, each attempt starts at once. */
export function doorOf(call: Call, { gates, purse, models }: Settings, cancellation: Cancellation): Door {
  const gate = gates && call.queue ? new GateAdmission(call, call.queue, gates, cancellation) : open;
  return purse?.doorOf(call, models, gate) ?? gate;
}

function unchanged(): void {}

const open: Door = {
  waitedMs: 0,
  pass: unchanged,
  replied: unchanged,
  handOver: unchanged,
  over: unchanged,
  ended: unchanged,
  advice: (failure, attempts) => gateAdvice(failure, undefined, attempts, 0),
  mayRetry: () => true,
};
