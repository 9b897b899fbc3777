import type { NodeOutgoing } from '../platform.ts';

/**
 * Runs at most `limit` requests of one Agent at once, and the others in order. An Agent counts a socket only once it is open. Alone it
 * would dial all sockets through a proxy at once, and requests queued behind a failed dial would wait forever.
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
        // The request closes before its socket can be reused.
        queueMicrotask(() => this.#next());
      });
      start();
    }
  }
}
