import { type CallContext, type Context, fieldsOfContext, signalsOf, withSignal } from '../context.ts';
import { AbortError } from '../errors/errors.ts';
import { validated } from '../errors/problem.ts';
import { iterationOf } from '../json/iteration.ts';
import { isObject } from '../json/json-value.ts';
import { checkFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { leavable } from './leaving.ts';
import { withGranted } from './notes.ts';

/** The result of the call for one item. `index` counts the items from 0. */
export type Settled<R, T = unknown> =
  | { readonly status: 'fulfilled'; readonly index: number; readonly item: T; readonly value: R }
  | { readonly status: 'rejected'; readonly index: number; readonly item: T; readonly reason: unknown };

const operation = 'mapCalls';

/** Options of `mapCalls`. */
export interface MapCallsOptions {
  /** The context of the calls. Aborting it ends the loop with an AbortError. */
  readonly ctx?: CallContext | undefined;
  /**
   * Yield the results in the order of the items, not in the order of their ends. While the first call in order runs, the
   * others can run ahead by the number of places plus `ahead`. Default: false.
   */
  readonly ordered?: boolean | undefined;
  /**
   * Maximum number of items held in addition to those whose call has a place. These wait for a place, or their results wait to be yielded.
   * Without `Config.concurrency` no call has a place, so this is the number of calls at once. Default: 4.
   */
  readonly ahead?: number | undefined;
}

/**
 * Calls `call` for each item and yields the results: `for await (const { item, value } of mapCalls(items, call))`.
 *
 * Items are taken from `items` as `Config.concurrency` grants places, so a list of any length needs little memory. Pass the context on to the
 * client: it reports the places and carries the signal. A failed call is a result of status `rejected` and does not stop the others. An error
 * of `items` is thrown after the results of the items before it. Leaving the loop, also by an error in it, aborts the calls in flight, which may be
 * billed: to keep what was sent, end `items` and read on.
 *
 * `batch().run` is cheaper for large sets that can wait for hours.
 *
 * @example
 * ```ts
 * const words = ['rain', 'snow'];
 * const write = (word: string, ctx: Context) => c.chat().createSimple(ctx, 'glm-5.3', `A haiku about ${word}`, { effort: 'low' });
 * for await (const done of mapCalls(words, write)) {
 *   if (done.status === 'fulfilled') console.log(done.item, done.value.choices[0]?.message.content);
 *   else console.error(done.item, done.reason);
 * }
 * ```
 */
export function mapCalls<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  call: (item: T, ctx: Context) => Promise<R>,
  options: MapCallsOptions = {},
): AsyncGenerator<Settled<R, T>, void, undefined> {
  const leaving = new AbortController();
  return leavable(operation, results(items, call, options, leaving), () => leaving.abort());
}

async function* results<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  call: (item: T, ctx: Context) => Promise<R>,
  options: MapCallsOptions,
  leaving: AbortController,
): AsyncGenerator<Settled<R, T>, void, undefined> {
  const [context, source] = validated(operation, () => {
    checkFields<MapCallsOptions>(options, { ctx: 1, ordered: 1, ahead: 1 }, 'options');
    const { ahead = 4 } = options;
    if (typeof call !== 'function') throw new Problem('call', 'must be a function');
    if (!Number.isSafeInteger(ahead) || ahead < 1) throw new Problem('ahead', 'must be an integer of at least 1');
    return [fieldsOfContext(options.ctx), iteratorOf(items)];
  });
  const { ordered = false, ahead = 4 } = options;
  const signals = signalsOf(context);
  const work = new Work(source, call, withSignal(context, leaving.signal), ordered, ahead);
  for (const signal of [...signals, leaving.signal]) signal.addEventListener('abort', work.wake);
  try {
    while (!leaving.signal.aborted) {
      const aborted = signals.find((signal) => signal.aborted);
      if (aborted) throw new AbortError(operation, aborted.reason);
      const settled = work.take();
      if (settled) yield settled;
      else if (work.isOver) break;
      else await work.change();
    }
    if (work.failure) throw work.failure.error;
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', work.wake);
    leaving.abort();
    await work.close();
  }
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  if (isObject(items)) {
    const open: unknown = (items as Partial<AsyncIterable<T>>)[Symbol.asyncIterator] ?? (items as Partial<Iterable<T>>)[Symbol.iterator];
    const iterator: Iterator<T> | AsyncIterator<T> | undefined = typeof open === 'function' ? open.call(items) : undefined;
    if (typeof iterator?.next === 'function') return iterator;
  }
  throw new Problem('items', 'must be an array, another iterable or an async iterable');
}

interface InputState<R, T> {
  isGranted: boolean;
  settled: Settled<R, T> | undefined;
}

/** The calls of one loop. They continue while the caller handles a result. */
class Work<T, R> {
  readonly #source: Iterator<T> | AsyncIterator<T>;
  readonly #call: (item: T, ctx: Context) => Promise<R>;
  readonly #context: Context;
  readonly #ordered: boolean;
  readonly #ahead: number;
  /** All items that were taken and not yielded, in their order. */
  readonly #held = new Set<InputState<R, T>>();
  /** The settled ones, in the order of their ends. Unused with `ordered`. */
  readonly #ready: InputState<R, T>[] = [];
  #index = 0;
  /** Calls that have no place yet. */
  #waiting = 0;
  #running = 0;
  /** Highest number of places that the calls have had at once. */
  #places = 0;
  #isTaking = false;
  #isClosed = false;
  #wake: (() => void) | undefined;
  failure: { readonly error: unknown } | undefined;

  constructor(
    source: Iterator<T> | AsyncIterator<T>,
    call: (item: T, ctx: Context) => Promise<R>,
    context: Context,
    ordered: boolean,
    ahead: number,
  ) {
    this.#source = source;
    this.#call = call;
    this.#context = context;
    this.#ordered = ordered;
    this.#ahead = ahead;
    void this.#fill();
  }

  get isOver(): boolean {
    return this.#isClosed && this.#held.size === 0;
  }

  /** The next result, if it is there. */
  take(): Settled<R, T> | undefined {
    const [entry] = this.#ordered ? this.#held : this.#ready;
    if (!entry?.settled) return undefined;
    this.#held.delete(entry);
    if (!this.#ordered) this.#ready.shift();
    void this.#fill();
    return entry.settled;
  }

  change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly wake = (): void => this.#wake?.();

  /** Take no more items. A pending `next()` of the source is not awaited, because it may never settle. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closed = Promise.resolve(this.#source.return?.());
    if (this.#isTaking) closed.catch(() => undefined);
    else await closed;
  }

  async #fill(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (!this.#isClosed && this.#waiting < this.#ahead && this.#held.size < this.#places + this.#ahead) {
        const { done, value } = iterationOf(await this.#source.next(), 'mapCalls: items');
        if (done) this.#isClosed = true;
        else if (!this.#isClosed) void this.#run(value, this.#index++);
      }
    } catch (error) {
      this.#isClosed = true;
      this.failure = { error };
    }
    this.#isTaking = false;
    this.wake();
  }

  async #run(item: T, index: number): Promise<void> {
    const entry: InputState<R, T> = { isGranted: false, settled: undefined };
    this.#held.add(entry);
    this.#waiting++;
    const onGranted = (inFlight: number): void => {
      if (entry.isGranted || entry.settled) return;
      entry.isGranted = true;
      this.#waiting--;
      // A call that has just ended may still count as running.
      this.#places = Math.max(this.#places, Math.min(++this.#running, inFlight));
      void this.#fill();
    };
    try {
      const value = await this.#call(item, withGranted(this.#context, onGranted));
      entry.settled = { status: 'fulfilled', index, item, value };
    } catch (reason) {
      entry.settled = { status: 'rejected', index, item, reason };
    }
    if (entry.isGranted) this.#running--;
    else this.#waiting--;
    if (!this.#ordered) this.#ready.push(entry);
    this.wake();
    void this.#fill();
  }
}
