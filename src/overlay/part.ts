import { ConnectionError } from './errors.ts';

/** A part of the library that is loaded when it is first used, and at hand ever after. A load that failed is tried again at the next use. */
export class Part<T> {
  readonly #load: () => Promise<T>;
  /** By operation, since an error names its own. */
  readonly #waiting = new Map<string, Promise<T>>();
  /** The part, once it has been loaded: whoever finds it here waits for nothing. */
  here: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Failing is a ConnectionError of the operation: it can only happen in a page that fetches the code piece by piece. */
  load(operation: string): Promise<T> {
    const waiting = this.#waiting.get(operation) ?? this.#loaded(operation);
    this.#waiting.set(operation, waiting);
    return waiting;
  }

  async #loaded(operation: string): Promise<T> {
    try {
      this.here = await this.#load();
      return this.here;
    } catch (cause) {
      throw new ConnectionError(`${operation}: a part of the library could not be loaded`, { operation, phase: 'connect', cause });
    } finally {
      this.#waiting.delete(operation);
    }
  }
}
