import type { ApiError } from '../errors/errors.ts';
import type { GateState, Outcome } from '../errors/gate-state.ts';
import { Learner, type Scene, type Start } from './learner.ts';
import { Line, type Waiter } from './line.ts';

/** A call that asks for a place. */
export interface Ask extends Waiter {
  /** The most places that the call may share. */
  readonly max: number;
  /** True for a call that waits for `max` only, because it is not retried. */
  readonly bold: boolean;
}

/** A waiting call. One of its functions is called, once. */
export interface Waiting extends Ask {
  enter(place: Place): void;
  fail(error: ApiError): void;
}

/** How an exchange ended, with the facts that the gate needs. */
export interface Ending {
  readonly outcome: Outcome;
  /** The refusal was about the rate of the requests. */
  readonly tooFast?: boolean;
  /** The error of a quota that is used up. */
  readonly error?: ApiError;
}

/** Retries that failures other than refusals may take: a budget that a share of the successes refills. */
const firstRetries = 10;
const retriesPerSuccess = 0.2;
const mostRetries = 100;

const success: Ending = { outcome: 'ok' };

/** Distributes the places of one key and model. */
export class Gate {
  readonly #id: string;
  readonly #model: string;
  readonly #learner: Learner;
  readonly #line = new Line<Waiting>();
  /** Places of exchanges whose reader may have stopped. */
  readonly #open = new Set<Place>();
  #inFlight = 0;
  #retries = firstRetries;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted = false;
  /** Time of the last end. */
  usedAt: number = performance.now();

  constructor(id: string, model: string, start: number, unitMs: number) {
    this.#id = id;
    this.#model = model;
    this.#learner = new Learner(start, unitMs);
  }

  get state(): GateState {
    return Object.freeze({
      gate: this.#id,
      model: this.#model,
      limit: this.#learner.limit,
      inFlight: this.#inFlight,
      waiting: this.#line.size,
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** A place, if there is one now. */
  enter(ask: Ask): Place | undefined {
    return (ask.bold || this.#line.size === 0) && this.#startsAt(ask) <= performance.now() ? this.#start() : undefined;
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

  /** Take one retry. False if none is left. */
  takeRetry(): boolean {
    if (this.#retries < 1) return false;
    this.#retries--;
    return true;
  }

  /** @internal The exchange of the place is over. Call `learn` or `advance` next. */
  free(place: Place): void {
    this.#inFlight--;
    this.#open.delete(place);
    this.#learner.leave(place.start);
  }

  /** @internal The outcome of a free place is known. */
  learn(place: Place, { outcome, tooFast, error }: Ending): void {
    const now = (this.usedAt = performance.now());
    const scene: Scene = { now, others: this.#inFlight, wanted: this.#line.first?.max ?? 0, random: Math.random() };
    const { limit } = this.#learner;
    if (outcome === 'ok') this.#retries = Math.min(this.#retries + retriesPerSuccess, mostRetries);
    place.yields = this.#learner.learn(place.start, outcome, scene, tooFast);
    if (error) for (const waiting of this.#line.clear()) waiting.fail(error);
    this.advance();
    if (limit !== this.#learner.limit) place.onLimit?.(outcome);
  }

  /** @internal The exchange of the place can end while its reader does not read. */
  opened(place: Place): void {
    this.#open.add(place);
    if (this.#wanted) place.want(true);
  }

  #startsAt({ max, bold }: Ask): number {
    const startsAt = bold ? 0 : this.#learner.startsAt(this.#inFlight);
    return this.#inFlight < max ? (startsAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  }

  #start(): Place {
    this.#inFlight++;
    return new Place(this, this.#learner.start(performance.now()));
  }

  /** @internal Let waiting calls in while there is room. Otherwise set the timer for the next. */
  advance(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let first = this.#line.first; first; first = this.#line.first) {
      const waitMs = this.#startsAt(first) - performance.now();
      if (waitMs > 0) {
        // Not rounded down, or the timer would fire early and be set again.
        if (waitMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.advance(), Math.ceil(waitMs));
        break;
      }
      this.#line.leave(first);
      first.enter(this.#start());
    }
    const wanted = this.#line.size > 0;
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    for (const place of this.#open) place.want(wanted);
  }
}

/** The right of one exchange to be in flight. It ends once. */
export class Place {
  readonly gate: Gate;
  readonly start: Start;
  #isFree = false;
  #ended: Outcome | undefined;
  #want: ((wanted: boolean) => void) | undefined;
  /** True if the failed call should not be the first to start again. */
  yields = false;
  /** Called when the exchange is over. */
  onFree: ((outcome: Outcome) => void) | undefined;
  /** Called if the outcome changed the limit. */
  onLimit: ((because: Outcome) => void) | undefined;

  constructor(gate: Gate, start: Start) {
    this.gate = gate;
    this.start = start;
  }

  /** The exchange is over, but its outcome is not known before its reader has read it. The next one can start. */
  free(): void {
    if (this.#free('ok')) this.gate.advance();
  }

  /** The outcome of the exchange, which is over. The first outcome counts. */
  end(ending: Ending = success): void {
    if (this.#ended !== undefined) return;
    this.#ended = ending.outcome;
    this.#free(ending.outcome);
    this.gate.learn(this, ending);
  }

  #free(outcome: Outcome): boolean {
    if (this.#isFree) return false;
    this.#isFree = true;
    this.gate.free(this);
    this.onFree?.(outcome);
    return true;
  }

  /** True if the failed call may be retried. Failures other than refusals take from the budget of retries. */
  mayRetry(): boolean {
    return this.#ended === 'refused' || this.gate.takeRetry();
  }

  /** `want` is called while other calls wait for a place, and when they no longer do. */
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
