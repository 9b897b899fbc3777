import { iterationOf } from '../json/iteration.ts';

/** The items of a `Leavable`. */
export interface LeavableSource<Item> {
  next(): Promise<IteratorResult<Item, unknown>>;
  /** Ends it. `waits` is true while `next()` is pending. */
  leave(waits: boolean): unknown;
}

/** A `next()` that waits for its item. */
export interface PendingNext<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The iterator of a function that converts items. `return()` and `throw()` end it at once: an async generator would queue them after a pending
 * `next()`, which may wait for the service. The source is opened by the first `next()`, and is read by one `next()` at a time.
 */
export class Leavable<T, Item = T> implements AsyncGenerator<T, void, undefined> {
  readonly #place: string;
  #open: (() => LeavableSource<Item>) | undefined;
  readonly #pick: (item: Item) => T | undefined;
  readonly #atEnd: (() => void) | undefined;
  #source: LeavableSource<Item> | undefined;
  #waiters: PendingNext<T>[] = [];
  #ended = false;
  #reading = false;

  /**
   * `place` names a source of the caller in errors. `pick` makes an item, or undefined to skip it. `atEnd` may throw the error of a source that
   * has ended.
   */
  constructor(place: string, open: () => LeavableSource<Item>, pick: (item: Item) => T | undefined = (item) => item as never, atEnd?: () => void) {
    this.#place = place;
    this.#open = open;
    this.#pick = pick;
    this.#atEnd = atEnd;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (!this.#reading) this.#read();
    });
  }

  async return(value?: void | PromiseLike<void>): Promise<IteratorResult<T, undefined>> {
    const [source, wasReading] = [this.#source, this.#reading];
    this.#end();
    if (source) {
      const closed = Promise.resolve(source.leave(wasReading));
      // A source of the caller may end with its pending `next()` only.
      if (wasReading) closed.catch(() => undefined);
      else await closed;
    }
    return { value: (await value) as undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  #read(): void {
    this.#reading = true;
    try {
      if (this.#open) this.#source = this.#open();
      this.#open = undefined;
      // Not an async function: a stream of small items would spend more on promises than on its items.
      Promise.resolve((this.#source as LeavableSource<Item>).next()).then(this.#arrived, this.#failed);
    } catch (error) {
      this.#failed(error);
    }
  }

  readonly #arrived = (result: IteratorResult<Item, unknown>): void => {
    this.#reading = false;
    if (this.#ended) return;
    let item: T | undefined;
    try {
      const { value, done } = iterationOf(result, this.#place);
      if (done) {
        this.#atEnd?.();
        return this.#end();
      }
      item = this.#pick(value as Item);
    } catch (error) {
      Promise.resolve(this.#source?.leave(false)).catch(() => undefined);
      return this.#failed(error);
    }
    if (item !== undefined) this.#waiters.shift()?.resolve({ value: item, done: false });
    if (this.#waiters.length > 0) this.#read();
  };

  readonly #failed = (error: unknown): void => {
    this.#reading = false;
    if (this.#ended) return;
    this.#waiters.shift()?.reject(error);
    this.#end();
  };

  #end(): void {
    this.#ended = true;
    this.#source = undefined;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve({ value: undefined, done: true });
  }
}

/** The items of an async generator. `stop` ends its pending wait, so that its `finally` runs. */
export function leavable<T>(place: string, items: AsyncGenerator<T, void, undefined>, stop: () => unknown): AsyncGenerator<T, void, undefined> {
  const leave = (waits: boolean): unknown => Promise.all([waits ? stop() : undefined, items.return()]);
  return new Leavable(place, () => ({ next: () => items.next(), leave }));
}
