// Each attempt of a call passes its doors. A door lets it through, and learns its fate.
import type { ModelsvcError } from '../errors/errors.ts';
import type { Billed } from '../errors/message.ts';
import type { BodyReader } from '../transport/body-reader.ts';

/** The end of an attempt. */
export interface Fate {
  readonly billed: Billed;
  /** Why it failed. Undefined if it was answered, or its reply was left. */
  readonly failure?: unknown;
  /** The usage and the value of a reply that was read as a whole. */
  readonly usage?: unknown;
  readonly value?: unknown;
}

/** A reply that begins. */
export interface Arriving {
  readonly body: BodyReader;
  readonly contentType: string;
  header(name: string): string | undefined;
}

export interface Door {
  /** Milliseconds waited in all attempts so far. */
  readonly waitedMs: number;
  /**
   * Lets the next attempt through. Throws or rejects with the error of a call that is not sent. `last` is the error of the attempt before,
   * `endsAt` the end of `retryFor` if it has begun.
   */
  pass(attempt: number, last: ModelsvcError | undefined, endsAt?: number): void | Promise<void>;
  /** The header of a reply has arrived. */
  replied(reply: Arriving): void;
  /** The caller reads the body from here on. If other calls wait, the rest of the body is read ahead, up to `maxBytes`. */
  handOver(body: BodyReader, maxBytes: number): void;
  /** A body that was handed over has arrived, or was cut off. Its reader may come later, or never. */
  over(): void;
  /** The fate of an attempt that has passed. The first report counts. */
  ended(fate: Fate): void;
  /** Advice for an attempt that has failed; may be empty. Asked after `ended`, so that a gate has learned from the failure. */
  advice(failure: unknown, attempts: number): string;
  /** False if the call may not be retried after the attempt that failed last. */
  mayRetry(): boolean;
}

/** A door around another one. */
export abstract class OuterDoor implements Door {
  readonly #inner: Door;

  constructor(inner: Door) {
    this.#inner = inner;
  }

  /** Throws the error of a call that is not sent. Called again after a wait at the inner door. */
  abstract check(attempt: number): void;

  abstract charge(fate: Fate): void;

  get waitedMs(): number {
    return this.#inner.waitedMs;
  }

  pass(attempt: number, last: ModelsvcError | undefined, endsAt?: number): void | Promise<void> {
    this.check(attempt);
    const wait = this.#inner.pass(attempt, last, endsAt);
    return wait?.then(() => this.check(attempt));
  }

  replied(reply: Arriving): void {
    this.#inner.replied(reply);
  }

  handOver(body: BodyReader, maxBytes: number): void {
    this.#inner.handOver(body, maxBytes);
  }

  over(): void {
    this.charge({ billed: 'maybe' });
    this.#inner.over();
  }

  ended(fate: Fate): void {
    this.charge(fate);
    this.#inner.ended(fate);
  }

  advice(failure: unknown, attempts: number): string {
    return this.#inner.advice(failure, attempts);
  }

  mayRetry(): boolean {
    return this.#inner.mayRetry();
  }
}
