import type { NodeOutgoing } from '../platform.ts';

/**
 * At most `limit` requests at once by one Agent, the others in their order. An Agent counts a socket once it is open: those that are dialed
 * through a proxy would all be dialed at once, and requests queued behind a dial that fails would wait for ever.
 */
export class RequestGate {
  readonly #limit: number;
  readonly #waiting: [request: NodeOutgoing, start: () => void][] = [];
  #active = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  pass(request: NodeOutgoing, start: () => void): void {
    this.#waiting.push([request, start]);
    this.#next();
  }

  #next(): void {
    while (this.#active < this.#limit) {
      const next = this.#waiting.shift();
      if (!next) return;
      const [request, start] = next;
      if (request.destroyed) continue;
      this.#active++;
      request.once('close', () => {
        this.#active--;
        // The request closes before its socket is free to be used again.
        queueMicrotask(() => this.#next());
      });
      start();
    }
  }
}
