import { type SocketQueue, TransportFailure, type WireRequest } from './transport.ts';

/** The right of one exchange to use a socket, or its entry in the queue. */
export class Slot {
  readonly client: object;
  /** Resolves when the exchange may begin; undefined if it may at once. Rejects with a TransportFailure after `timeoutMs`. */
  readonly granted: Promise<void> | undefined;
  readonly #limit: SocketLimit;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #resolve: (() => void) | undefined;

  /** @internal Use `enter` of the limit. */
  constructor(limit: SocketLimit, client: object, isFree: boolean, timeoutMs: number) {
    this.client = client;
    this.#limit = limit;
    if (isFree) return;
    this.granted = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      const expire = (): void => {
        reject(new TransportFailure('socket', undefined, { timeoutMs, queue: limit.queue() }));
        this.leave();
      };
      // A timer runs without a timeout too: streams that are not being read do not keep the process alive, but this wait must.
      this.#timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : setTimeout(() => {}, longestTimerMs);
    });
  }

  /** @internal The limit grants the slot. */
  grant(): void {
    clearTimeout(this.#timer);
    this.#resolve?.();
  }

  /** Hand the slot to the next exchange, or leave the queue. Further calls have no effect. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#limit.left(this);
  }
}

/** At most `limit` exchanges at once; the others wait in order, each for `timeoutMs` at most. 0 is no limit. */
export class SocketLimit {
  readonly #limit: number;
  readonly #holders = new Set<Slot>();
  readonly #waiting = new Set<Slot>();

  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  enter(client: object, { timeoutMs, onWait }: Pick<WireRequest, 'timeoutMs' | 'onWait'>): Slot {
    const isFree = this.#holders.size < this.#limit;
    const slot = new Slot(this, client, isFree, timeoutMs);
    (isFree ? this.#holders : this.#waiting).add(slot);
    if (!isFree) onWait?.(this.queue());
    return slot;
  }

  /** @internal */
  left(slot: Slot): void {
    if (this.#waiting.delete(slot) || !this.#holders.delete(slot)) return;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    this.#holders.add(next);
    next.grant();
  }

  queue(): SocketQueue {
    const clients = new Set([...this.#holders].map(({ client }) => client)).size;
    return { limit: this.#limit, open: this.#holders.size, clients, waiting: this.#waiting.size };
  }
}

export const longestTimerMs: number = 2 ** 31 - 1;
