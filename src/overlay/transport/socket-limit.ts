import { type SocketQueue, TransportFailure, type WireRequest } from './transport.ts';

/** The right of one exchange to use a socket. */
export interface Slot {
  /** Resolves when the exchange may begin; undefined if it may at once. Rejects with a TransportFailure after `timeoutMs`. */
  readonly granted: Promise<void> | undefined;
  /** Hand the slot to the next exchange, or leave the queue. Further calls have no effect. */
  leave(): void;
}

interface SocketWaiter {
  readonly client: object;
  grant(): void;
}

/** At most `limit` exchanges at once; the others wait in order, each for `timeoutMs` at most. 0 means no limit. */
export class SocketLimit {
  readonly #limit: number;
  readonly #holders = new Set<SocketWaiter>();
  readonly #waiting = new Set<SocketWaiter>();

  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  enter(client: object, { timeoutMs, onWait }: Pick<WireRequest, 'timeoutMs' | 'onWait'>): Slot {
    const entry: SocketWaiter = { client, grant: () => undefined };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (): void => {
      clearTimeout(timer);
      if (this.#waiting.delete(entry) || !this.#holders.delete(entry)) return;
      const [next] = this.#waiting;
      next?.grant();
    };
    if (this.#holders.size < this.#limit) {
      this.#holders.add(entry);
      return { granted: undefined, leave };
    }
    const granted = new Promise<void>((resolve, reject) => {
      entry.grant = () => {
        clearTimeout(timer);
        this.#waiting.delete(entry);
        this.#holders.add(entry);
        resolve();
      };
      const expire = (): void => {
        reject(new TransportFailure('socket', undefined, { timeoutMs, queue: this.#queue() }));
        leave();
      };
      // A timer runs without a timeout too: streams that are not being read do not keep the process alive, but this wait must.
      timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : setTimeout(() => {}, longestTimerMs);
    });
    this.#waiting.add(entry);
    onWait?.(this.#queue());
    return { granted, leave };
  }

  #queue(): SocketQueue {
    const clients = new Set([...this.#holders].map(({ client }) => client)).size;
    return { limit: this.#limit, open: this.#holders.size, clients, waiting: this.#waiting.size };
  }
}

export const longestTimerMs: number = 2 ** 31 - 1;
