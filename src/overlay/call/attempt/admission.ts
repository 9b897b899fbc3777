import type { Gate, Place, Waiting } from '../../concurrency/gate.ts';
import type { Gates } from '../../concurrency/gates.ts';
import { type ApiFailure, type ModelsvcError, QueueError, type QueueReason } from '../../errors/errors.ts';
import type { BodyReader } from '../../transport/body-reader.ts';
import type { Cancellation } from '../cancellation.ts';
import type { Door, Fate } from '../door.ts';
import type { Call, QueueFacts } from '../request/call.ts';
import { endingOf, gateAdvice, notSent } from './outcome.ts';
import { Wait } from './wait.ts';

/** Without `queueTimeout` and `retryFor`, a call fails once no call of its gate was answered for so many milliseconds, if none is in flight. */
const longestStandstillMs = 60_000;

/** Gets a place of a gate for each attempt. It is also the call's entry in the line. */
export class GateAdmission implements Door, Waiting {
  readonly priority: number;
  readonly max: number;
  readonly ignoresLimit: boolean;
  ticket: number;
  left = false;
  readonly #call: Call;
  readonly #facts: QueueFacts;
  readonly #gates: Gates;
  readonly #cancellation: Cancellation;
  readonly #gate: Gate;
  /** The place of the latest attempt; undefined while it waits for one. */
  #place: Place | undefined;
  /** The error of the attempt before. */
  #last: ModelsvcError | undefined;
  #attempt = 0;
  /** Undefined while the call does not wait. */
  #wait: Wait | undefined;
  #waitedMs = 0;

  constructor(call: Call, facts: QueueFacts, gates: Gates, cancellation: Cancellation) {
    this.#call = call;
    this.#facts = facts;
    this.#gates = gates;
    this.#cancellation = cancellation;
    this.#gate = gates.gate(call.endpoint, facts.model);
    this.priority = facts.priority;
    this.max = gates.maxOf(facts.model);
    this.ignoresLimit = facts.ignoresLimit;
    this.ticket = facts.ticket.number ??= gates.ticket();
  }

  /** Milliseconds waited in all attempts so far. */
  get waitedMs(): number {
    return Math.round(this.#waitedMs);
  }

  pass(attempt: number, last: ModelsvcError | undefined, endsAt?: number): void | Promise<void> {
    this.#attempt = attempt;
    this.#place = this.#gate.enter(this);
    // No promise if a place is free: the call does not wait for the event loop.
    if (this.#place) return this.#granted(this.#place);
    this.#last = last;
    return new Promise((resolve, reject) => {
      const wait = new Wait(resolve, reject);
      this.#wait = wait;
      if (attempt === 0 && this.#gate.waiting >= this.#gates.options.maxQueue) return this.#fail('full');
      this.#limit(wait, endsAt);
      // This handler stays until the exchange begins: the signal can abort between the grant and the resumption of the call.
      this.#cancellation.onAbort((reason) => {
        if (this.#place) this.#place.end({ outcome: 'other' });
        else this.#gate.quit(this);
        this.#settle();
        wait.reject(reason);
      });
      this.left = false;
      this.#gate.wait(this);
      this.#call.hooks?.queued(attempt, this.waitedMs, this.#gate.state);
    });
  }

  /** Ends the wait in time. */
  #limit(wait: Wait, endsAt: number | undefined): void {
    const { queueTimeoutMs } = this.#facts;
    const { retryForMs } = this.#call.retry;
    if (queueTimeoutMs === 0) return;
    if (queueTimeoutMs === undefined && retryForMs === 0) return wait.limit(this.#standstillMs(), () => this.#watch(wait));
    const isRetried = queueTimeoutMs === undefined && endsAt !== undefined;
    const leftMs = isRetried ? endsAt - performance.now() : (queueTimeoutMs ?? retryForMs) - this.#waitedMs;
    wait.limit(Math.max(0, leftMs), () => this.#expire());
  }

  /** A wait goes on while calls are in flight, or have ended well within a minute. */
  #watch(wait: Wait): void {
    const leftMs = this.#standstillMs(wait.ms);
    if (this.#gate.inFlight === 0 && leftMs === 0) return this.#expire();
    wait.limit(leftMs || longestStandstillMs, () => this.#watch(wait));
  }

  /** The rest of the minute, for a call that now waits for `ms`. */
  #standstillMs(ms: number = 0): number {
    const silentMs = performance.now() - this.#gate.answeredAt;
    return Math.max(0, longestStandstillMs - Math.min(this.#waitedMs + ms, silentMs));
  }

  ended({ failure }: Fate): void {
    // Also if it fails between two attempts. Without a failure, an attempt that has failed can be about to be retried.
    if (failure !== undefined) this.#gate.settle(this);
    this.#place?.end(failure === undefined ? undefined : endingOf(failure));
  }

  advice(failure: unknown, attempts: number): string {
    const { limit, waiting } = this.#gate.state;
    // A call that was refused alone shows no limit: other programs may use the key.
    if (this.#facts.hasOwnRetries && limit === 1 && waiting === 0) return '';
    return gateAdvice(failure, this.#place, attempts, this.waitedMs);
  }

  replied(): void {}

  over(): void {
    this.#place?.free();
  }

  handOver(body: BodyReader, maxBytes: number): void {
    const place = this.#place;
    this.#gate.settle(this);
    // A caller may make another call before it reads the rest of this body. That call must not wait forever for this place.
    const giveUp = (): void => place?.end({ outcome: 'other' });
    place?.whenWanted((wanted) => body.readOn(wanted ? maxBytes : undefined, giveUp));
  }

  /** After a failure that affects all calls, this call gets a new ticket, so that another one starts first. */
  mayRetry(): boolean {
    if (this.#place?.yields) this.ticket = this.#gates.ticket();
    return this.#place?.mayRetry(this.#facts.hasOwnRetries) ?? true;
  }

  /** @internal The gate grants a place. */
  enter(place: Place): void {
    this.#place = place;
    const wait = this.#settle();
    this.#granted(place);
    wait?.resolve();
  }

  /** @internal Another call has found the quota used up. */
  fail(refusal: ApiFailure): void {
    const wait = this.#settle();
    const { operation } = this.#call;
    wait?.reject(notSent(refusal, this.#last, { operation, attempts: this.#attempt, waitedMs: this.waitedMs }));
  }

  #granted(place: Place): void {
    this.#facts.onGranted?.(this.#gate.inFlight);
    const { hooks } = this.#call;
    if (hooks) place.onLimit = (because) => hooks.limited(this.#attempt, this.waitedMs, this.#gate.state, because);
  }

  #expire(): void {
    this.#gate.quit(this);
    this.#fail('timeout', this.#last);
  }

  #fail(reason: QueueReason, cause?: unknown): void {
    const wait = this.#settle();
    wait?.reject(new QueueError(this.#call.operation, reason, this.waitedMs, this.#gate.state, cause));
  }

  /** The wait is over. */
  #settle(): Wait | undefined {
    const wait = this.#wait;
    this.#wait = undefined;
    this.#waitedMs += wait?.end() ?? 0;
    return wait;
  }
}
