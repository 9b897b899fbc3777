import { ConnectionError } from './errors.ts';

/** A part of the library that is loaded when it is first used, and at hand ever after. A load that failed is tried again at the next use. */
export class Part<T> {
  readonly #load: () => Promise<T>;
  #loading: Promise<T> | undefined;
  /** The part, once it has been loaded: whoever finds it here waits for nothing. */
  here: T | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Failing is a ConnectionError of the operation: it can only happen in a page that fetches the code piece by piece. */
  async load(operation: string): Promise<T> {
    try {
      this.#loading ??= this.#load();
      this.here = await this.#loading;
      return this.here;
    } catch (cause) {
      this.#loading = undefined;
      throw new ConnectionError(`${operation}: a part of the library could not be loaded`, { operation, phase: 'connect', cause });
    }
  }
}
