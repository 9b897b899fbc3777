import type { Place } from '../../concurrency/gate.ts';
import type { Limiter } from '../../config.ts';
import { quietly } from '../../hooks/safety.ts';

/** The steps after an answer of the limiter. */
interface LimiterAnswers {
  admitted(): void;
  /** The gate takes no request now: the call waits in line again. */
  again(): void;
  failed(cause: unknown): void;
}

/** Acquires a place of the user's limiter beside that of the gate. It is released with the place of the gate. */
export class LimiterRequest {
  /** Undefined once the limiter has answered. */
  #controller: AbortController | undefined = new AbortController();

  constructor(limiter: Limiter, asked: { readonly gate: string; readonly priority: number }, place: Place, answers: LimiterAnswers) {
    void this.#acquire(limiter, asked, place, answers);
  }

  abort(reason: unknown): void {
    this.#controller?.abort(reason);
  }

  async #acquire(
    limiter: Limiter,
    asked: { readonly gate: string; readonly priority: number },
    place: Place,
    answers: LimiterAnswers,
  ): Promise<void> {
    const { signal } = this.#controller as AbortController;
    // Deferred, so that calls aborted together do not reach `acquire`. An `acquire` that throws would also end all waiting calls in one stack.
    await undefined;
    if (signal.aborted) return;
    try {
      const release = await limiter.acquire({ ...asked, signal });
      if (typeof release !== 'function') throw new TypeError('acquire must resolve with a function');
      if (signal.aborted) return void quietly(() => release('other'));
      this.#controller = undefined;
      if (!place.begin()) {
        quietly(() => release('other'));
        return answers.again();
      }
      place.onFree = (outcome) => void quietly(() => release(outcome));
      answers.admitted();
    } catch (cause) {
      place.end({ outcome: 'other' });
      answers.failed(cause);
    }
  }
}
