/** How an exchange ended, as a gate counts it. */
export type GateOutcome = 'ok' | 'refused' | 'overloaded' | 'exhausted' | 'other';

/** The calls of one key to one model, as `Config.concurrency` sees them, or the calls that share the sockets of `Config.maxSockets`. Frozen. */
export interface GateState {
  /** Number of the gate in this process, or `maxSockets`. It never contains the key. */
  readonly gate: string;
  /** Name of the model; of the service for calls without a model. */
  readonly model: string;
  /** Calls that may be in flight now: the known or learned limit. 1 during the probe after an overload. */
  readonly limit: number;
  readonly inFlight: number;
  /** Calls that wait for a place. */
  readonly waiting: number;
}

/** `full`: `maxQueue` calls are already waiting. `timeout`: `queueTimeout` has passed. */
export type QueueReason = 'full' | 'timeout';

/** The message of a QueueError, and its advice. */
export function queueText(reason: QueueReason, waitedMs: number, { model, limit, waiting }: GateState): [summary: string, advice?: string] {
  if (reason === 'full')
    return [`not sent: the queue of ${model} is full (${waiting} waiting)`, 'raise concurrency.maxQueue, or pass the calls to mapCalls'];
  const crowd = `${Number.isFinite(limit) ? `${limit} at once, ` : ''}${waiting} more waiting`;
  return [
    `waited ${waitedMs} ms for a place among the calls of ${model} (${crowd})`,
    'Raise queueTimeout, or send at once: concurrency: false, or maxRetries: 0.',
  ];
}
