import type { ApiFailure } from '../errors/errors.ts';
import type { GateOutcome, GateState } from '../errors/gate-state.ts';
import { Ceilings } from './ceilings.ts';
import { Learner, type Situation, type Start } from './learner.ts';
import { type Limits, Line, type LineEntry } from './line.ts';

/** A call that asks for a place. */
export interface Entrant extends LineEntry, Limits {}

/** A waiting call. Exactly one of its functions is called, once. */
export interface Waiting extends Entrant {
  enter(place: Place): void;
  fail(refusal: ApiFailure): void;
}

/** How an attempt ended, with the facts that the gate needs. */
export interface Ending {
  readonly outcome: GateOutcome;
  /** The refusal was about the rate of the requests. */
  readonly tooFast?: boolean;
  /** No header came in time. */
  readonly isLate?: boolean;
  /** Facts of a quota that is used up. */
  readonly refusal?: ApiFailure;
}

/** The budget of retries after failures other than refusals: its start, the part of a retry that each success adds, and its maximum. */
const firstRetries = 10;
const retriesPerSuccess = 0.2;
const mostRetries = 100;

/** Before any limit, so many calls have to meet an overload within this time, in milliseconds, before calls wait for each other. */
const overloadedCalls = 3;
const overloadedWithinMs = 1000;

const success: Ending = { outcome: 'ok' };

/** Distributes the places of one key and model. */
export class Gate {
  readonly #id: string;
  readonly #model: string;
  readonly #learner: Learner;
  readonly #line = new Line<Waiting>();
  readonly #ceilings = new Ceilings();
  /** Places of attempts whose caller reads the body, and may have stopped. */
  readonly #open = new Set<Place>();
  /** Refused calls that are retried, until the next attempt ends. */
  readonly #refused = new Set<Entrant>();
  /** Calls that met an overload before any limit: their tickets, and when. */
  #overloads: readonly { readonly ticket: number; readonly at: number }[] = [];
  #taken = 0;
  #retries = firstRetries;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted = false;
  /** Time at which the last attempt ended. */
  usedAt: number = performance.now();
  /** Time at which the last attempt ended well. */
  answeredAt = 0;

  constructor(id: string, model: string, start: number | undefined, unitMs: number) {
    this.#id = id;
    this.#model = model;
    this.#learner = new Learner(start, unitMs);
  }

  get state(): GateState {
    return Object.freeze({
      gate: this.#id,
      model: this.#model,
      limit: this.#learner.limit,
      inFlight: this.inFlight,
      waiting: this.waiting,
    });
  }

  get inFlight(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** True until the first refusal, if no client has set a limit. */
  get isUnlimited(): boolean {
    return this.#learner.isUnlimited;
  }

  /** A client's start value of the limit. The highest one applies until the first refusal or pause. */
  guess(start: number | undefined): void {
    if (start !== undefined) this.#learner.guess(start);
  }

  /** A place if one is free, otherwise undefined. */
  enter(entrant: Entrant): Place | undefined {
    if (this.isUnlimited) return this.#start(entrant);
    const isFree = this.#isFree();
    // Calls that already wait for the learned limit come first.
    return isFree(entrant) && (entrant.ignoresLimit || !this.#line.first(this.#waitsForLimit)) ? this.#start(entrant) : undefined;
  }

  wait(waiting: Waiting): void {
    this.#line.join(waiting);
    this.advance();
  }

  /** The call no longer waits. */
  quit(waiting: Waiting): void {
    this.#line.leave(waiting);
    this.advance();
  }

  /** @internal A refused call is retried. */
  retry(entrant: Entrant): void {
    this.#refused.add(entrant);
  }

  /** @internal A refused call is no longer retried: it was accepted, or has failed. */
  settle(entrant: Entrant): void {
    this.#refused.delete(entrant);
  }

  /** Take one retry. False if none is left. */
  takeRetry(): boolean {
    if (this.#retries < 1) return false;
    this.#retries--;
    return true;
  }

  /** @internal The exchange of the place is over. Call `learn` or `advance` next. */
  free(place: Place): void {
    this.#taken--;
    this.#ceilings.add(place.entrant.max, -1);
    this.#open.delete(place);
    this.#learner.leave(place.start);
  }

  /** @internal The outcome of an attempt is known, after its place was freed. */
  learn(place: Place, ending: Ending): void {
    const { outcome, tooFast, refusal } = ending;
    const now = (this.usedAt = performance.now());
    if (outcome === 'ok') this.answeredAt = now;
    // No call waits here, and the limit does not grow.
    if (this.isUnlimited && !this.#limits(place.entrant, ending, now)) return this.#learner.count(outcome);
    this.settle(place.entrant);
    const retried = this.#refused.size > 0;
    const scene: Situation = { now, others: this.inFlight, ceiling: this.#line.highest, retried, random: Math.random() };
    const { limit } = this.#learner;
    if (outcome === 'ok') this.#retries = Math.min(this.#retries + retriesPerSuccess, mostRetries);
    place.yields = this.#learner.learn(place.start, outcome, scene, tooFast);
    if (refusal) for (const waiting of this.#line.clear()) waiting.fail(refusal);
    this.advance();
    if (limit !== this.#learner.limit) place.onLimit?.(outcome);
  }

  /** True for a failure that begins a limit where there is none. */
  #limits({ ticket }: Entrant, { outcome, isLate }: Ending, now: number): boolean {
    if (outcome !== 'overloaded' || isLate) return outcome === 'refused';
    const others = this.#overloads.filter((one) => one.ticket !== ticket && one.at > now - overloadedWithinMs);
    this.#overloads = [...others, { ticket, at: now }].slice(-overloadedCalls);
    return this.#overloads.length === overloadedCalls;
  }

  /** @internal The caller reads the body of the place, and may stop before the end. */
  opened(place: Place): void {
    this.#open.add(place);
    if (this.#wanted) place.want(true);
  }

  /** A test for calls that can start now. */
  #isFree(): (limits: Limits) => boolean {
    const { full } = this.#ceilings;
    const startsAt = this.#learner.startsAt(this.#taken) ?? Number.POSITIVE_INFINITY;
    const isOpen = startsAt <= performance.now();
    return ({ max, ignoresLimit }) => max > full && (ignoresLimit || isOpen);
  }

  /** True for a call that waits for the learned limit, and not for its ceiling. */
  readonly #waitsForLimit = ({ max, ignoresLimit }: Limits): boolean => !ignoresLimit && max > this.#ceilings.full;

  #start(entrant: Entrant): Place {
    this.#taken++;
    this.#ceilings.add(entrant.max, 1);
    return new Place(this, entrant, this.#learner.start(performance.now()));
  }

  /** @internal Start waiting calls while places are free. Set a timer if the next call has to wait for a time. */
  advance(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let first = this.#line.first(this.#isFree()); first; first = this.#line.first(this.#isFree())) {
      this.#line.leave(first);
      first.enter(this.#start(first));
    }
    const startsAt = this.#learner.startsAt(this.#taken);
    // Not rounded down, or the timer would fire early and be set again.
    if (startsAt !== undefined && this.#line.first(this.#waitsForLimit))
      this.#timer = setTimeout(() => this.advance(), Math.ceil(startsAt - performance.now()));
    this.#tellReaders();
  }

  #tellReaders(): void {
    const wanted = this.waiting > 0;
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    for (const place of this.#open) place.want(wanted);
  }
}

/** The right of one attempt to be in flight. It ends once. */
export class Place {
  readonly gate: Gate;
  readonly entrant: Entrant;
  readonly start: Start;
  #isFree = false;
  #ended: GateOutcome | undefined;
  #want: ((wanted: boolean) => void) | undefined;
  /** True if the failed call should not be the first to start again. */
  yields = false;
  /** Called if the outcome changed the limit. */
  onLimit: ((because: GateOutcome) => void) | undefined;

  constructor(gate: Gate, entrant: Entrant, start: Start) {
    this.gate = gate;
    this.entrant = entrant;
    this.start = start;
  }

  /** The exchange is over, so another attempt can start. The outcome is known only after the caller has read the body. */
  free(): void {
    if (this.#free()) this.gate.advance();
  }

  /** End the attempt with its outcome. Later calls have no effect. */
  end(ending: Ending = success): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending.outcome;
    this.#free();
    this.gate.learn(this, ending);
  }

  #free(): boolean {
    if (this.#isFree) return false;
    this.#isFree = true;
    this.gate.free(this);
    return true;
  }

  /** True if the failed call may be retried. Failures other than refusals take from the budget of retries, unless `hasOwn` retries alone count. */
  mayRetry(hasOwn: boolean = false): boolean {
    if (this.#ended !== 'refused') return hasOwn || this.gate.takeRetry();
    this.gate.retry(this.entrant);
    return true;
  }

  /** `want` is called with true when other calls begin to wait for a place, and with false when none waits any more. */
  whenWanted(want: (wanted: boolean) => void): void {
    if (this.#isFree) return;
    this.#want = want;
    this.gate.opened(this);
  }

  /** @internal */
  want(wanted: boolean): void {
    this.#want?.(wanted);
  }
}
