import type { GateOutcome } from '../errors/gate-state.ts';

/** The facts of a request at its start. */
export interface Start {
  /** Number of the request, from 1. */
  readonly number: number;
  /** Successes before it. */
  readonly successes: number;
  readonly at: number;
}

/** The situation at the end of a request. Times are in milliseconds of one clock. */
export interface Situation {
  readonly now: number;
  /** Other requests in flight. */
  readonly others: number;
  /** The highest ceiling of the waiting calls; 0 if no call waits. */
  readonly ceiling: number;
  /** True while a refused call is retried. */
  readonly retried: boolean;
  /** From 0 to 1. */
  readonly random: number;
}

// Times are multiples of `Config.retryDelay`: 5 units are a second with its default.
const firstTrial = 5;
const longestTrial = 50;
const foreignPause = 1;
const overloadPause = 4;
const longestPause = 150;
const firstGap = 0.25;
const longestGap = 25;

/** Places added per success before the first refusal. The limit has tripled when all requests in flight have succeeded. */
const growth = 2;

/** Number of refusals that show no lower limit, before the limit is cut anyway. */
const strikes = 3;

/**
 * Learns from the ends of requests how many can run at once, and when the next one may start. A pure state machine: it has no clock and
 * no timers.
 *
 * - A refusal states the limit: the requests that ran at the same time as the refused one.
 * - The limit grows only while a call waits: by two per success before the first refusal, later by `1 / limit` per success. It stops at the
 *   limit of the last refusal (the wall). From time to time, a trial goes beyond the wall, but not while a refused call is retried.
 *   The service can refuse either of two requests that arrive together, so one call would use up its retries on the trials of others.
 * - An overload pauses all requests, then lets one probe through, and continues with half.
 */
export class Learner {
  readonly #unitMs: number;
  #limit: number;
  /** True once a request was refused, or a pause was needed. */
  #isTaught = false;
  #sent = 0;
  #successes = 0;
  /** The limit at the last refusal; undefined while the limit may grow fast. */
  #wall: number | undefined;
  #trialMs: number;
  #trialAt = 0;
  /** The last request before the trial. The trial has succeeded after `#trialLeft` successes of later requests. */
  #trialFrom = 0;
  #trialLeft = 0;
  #strikes = 0;
  /** The last request before the limit was cut: older ones do not count against it again. */
  #cutAt = 0;
  /** The last request before the last pause: older ones do not cause another. */
  #beforePause = 0;
  #probing = false;
  #probes = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #gapMs = 0;
  #paced = 0;
  #nextStart = 0;

  /** `start` is undefined if there is no limit before the first refusal. */
  constructor(start: number | undefined, unitMs: number) {
    this.#limit = start ?? Number.POSITIVE_INFINITY;
    this.#unitMs = unitMs;
    this.#trialMs = firstTrial * unitMs;
  }

  /** A client's start value of the limit. The highest one applies until the first refusal or pause. */
  guess(start: number): void {
    if (!this.#isTaught) this.#limit = this.isUnlimited ? start : Math.max(this.#limit, start);
  }

  get isUnlimited(): boolean {
    return this.#limit === Number.POSITIVE_INFINITY;
  }

  /** Requests that may run at once now. */
  get limit(): number {
    return this.#probing ? 1 : Math.floor(this.#limit);
  }

  /** Time at which the next request may start; undefined if another one has to end first. */
  startsAt(inFlight: number): number | undefined {
    const busy = this.#probing ? this.#probes > 0 : inFlight >= Math.floor(this.#limit);
    return busy ? undefined : Math.max(this.#pausedUntil, this.#nextStart);
  }

  /** A request begins. Call `leave` when its exchange is over, and `learn` with its outcome. */
  start(now: number): Start {
    if (this.#probing) this.#probes++;
    this.#nextStart = Math.max(this.#nextStart, now + this.#gapMs);
    return { number: ++this.#sent, successes: this.#successes, at: now };
  }

  /** An outcome that changes no limit. */
  count(outcome: GateOutcome): void {
    if (outcome === 'ok') this.#successes++;
  }

  leave({ number }: Start): void {
    if (this.#probing && number > this.#beforePause) this.#probes--;
  }

  /** `tooFast`: the refusal was about the rate of the requests. Returns true if another call should start next. */
  learn(start: Start, outcome: GateOutcome, scene: Situation, tooFast = false): boolean {
    const isNew = start.number > this.#beforePause;
    if (outcome === 'ok') this.#succeeded(start, scene);
    if (outcome === 'refused') return this.#refused(start, scene, tooFast);
    if (outcome === 'overloaded' && isNew) {
      const width = this.isUnlimited ? scene.others + 1 : this.#limit;
      if (!this.#probing) this.#cut(Math.floor(width / 2));
      this.#pause(overloadPause, scene);
    }
    if (outcome === 'exhausted' && isNew) this.#probe();
    return outcome === 'overloaded';
  }

  #succeeded({ number }: Start, { now, ceiling, retried }: Situation): void {
    this.#successes++;
    this.#gapMs = this.#gapMs * 0.9 < (this.#unitMs * firstGap) / 4 ? 0 : this.#gapMs * 0.9;
    // A request from before the pause does not end it.
    if (this.#probing && number <= this.#beforePause) return;
    this.#pauses = 0;
    this.#probing = false;
    if (this.#limit >= ceiling) return;
    const wall = this.#wall;
    if (wall === undefined) this.#limit = Math.min(this.#limit + growth, ceiling);
    else if (this.#limit < wall) this.#limit = Math.min(this.#limit + 1 / this.#limit, wall);
    else if (this.#limit === wall && now >= this.#trialAt && !retried) {
      this.#limit = wall + 1;
      this.#trialLeft = this.#limit;
      this.#trialFrom = this.#sent;
    } else if (this.#limit > wall && number > this.#trialFrom && --this.#trialLeft <= 0) {
      this.#wall = undefined;
      this.#trialMs = firstTrial * this.#unitMs;
    }
  }

  #refused({ number, successes, at }: Start, scene: Situation, tooFast: boolean): boolean {
    const { others, now } = scene;
    this.#isTaught = true;
    const isForeign = !tooFast && others + this.#successes === successes;
    // Requests that were sent long after a slow refusal was due did not run at the same time as it.
    const later = now - at > this.#unitMs ? this.#sent - number : 0;
    const ran = others + this.#successes - successes - later;
    const trial = this.#wall !== undefined && this.#limit > this.#wall;
    if (tooFast && number > this.#paced) {
      this.#gapMs = Math.min(Math.max(this.#gapMs * 2, firstGap * this.#unitMs), longestGap * this.#unitMs);
      this.#nextStart = Math.max(this.#nextStart, now + this.#gapMs);
      this.#paced = this.#sent;
    }
    if (ran < this.#limit || trial) this.#cut(Math.min(ran, trial && this.#wall ? this.#wall : ran));
    // Requests of other processes with this key can use up the limit. A refusal of the rate does not prove that.
    else if (!tooFast && number > this.#cutAt && ++this.#strikes >= strikes) this.#cut(Math.floor(this.#limit * 0.7));
    this.#limit = this.#wall = Math.floor(this.#limit);
    this.#trialMs = trial ? Math.min(this.#trialMs * 2, longestTrial * this.#unitMs) : firstTrial * this.#unitMs;
    this.#trialAt = now + this.#trialMs;
    if (isForeign) this.#pause(foreignPause, scene);
    return isForeign;
  }

  #cut(limit: number): void {
    this.#limit = Math.max(1, limit);
    this.#strikes = 0;
    this.#cutAt = this.#sent;
  }

  /** No starts for a while; a later pause extends an earlier one. */
  #pause(units: number, { now, random }: Situation): void {
    // Not longer than the backoff of the call that was refused, which would wait again after it.
    const ms = Math.min(units * 2 ** this.#pauses++, longestPause) * this.#unitMs * (1 - random / 4);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
    this.#probe();
  }

  /** One request at a time, until one of them succeeds. */
  #probe(): void {
    this.#isTaught = true;
    this.#probing = true;
    this.#beforePause = this.#sent;
    this.#probes = 0;
  }
}
