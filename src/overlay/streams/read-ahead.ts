import { validated } from '../errors/problem.ts';
import { iterationOf } from '../json/iteration.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { Beginning } from './beginning.ts';
import { itemsOf } from './items.ts';

/** Options of `opened`. */
export interface OpenedOptions {
  /** Milliseconds to wait for the first part of the answer. 0 waits without a limit. Default: 20,000. */
  readonly within?: number | undefined;
}

const optionFields: KnownFields<OpenedOptions> = { within: 1 };

/** A stream that `opened` has read the beginning of. */
export type OpenedStream<Stream> = Stream & {
  /** True if `within` passed before the first part of the answer. The stream can still fail without an answer. */
  readonly late: boolean;
};

/**
 * Wait until the answer of a stream begins. Resolves with the same stream once the first text, thought or call has come, or at its end. All
 * of its items are still to read. After `within` it resolves too, and its `late` is true. An event before the answer, such as `message_start`,
 * is not a part of it.
 *
 * Rejects with the error of a stream that fails before, so that a server can still choose the status of its reply. `toResponse` does that.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Write a haiku about rain.' }];
 * const stream = await opened(c.chat().stream({ model: 'glm-5.3', effort: 'low', messages }));
 * for await (const text of textDeltas(stream)) console.log(text);
 * ```
 */
export async function opened<Stream extends AsyncIterable<unknown>>(stream: Stream, options: OpenedOptions = {}): Promise<OpenedStream<Stream>> {
  const within = validated('opened', () => {
    checkFields(options, optionFields, 'options');
    if (Object.isFrozen(stream)) throw new Problem('stream', 'must not be frozen');
    return checkedTime(options.within ?? 20_000, 'options.within');
  });
  const source = itemsOf('opened', stream).source;
  const head = new Head(source);
  resume(stream, source, head);
  const limit = timer(within);
  try {
    const late = await Promise.race([begins(head), limit.passed]);
    return Object.defineProperty(stream, 'late', { value: late, configurable: true }) as OpenedStream<Stream>;
  } finally {
    limit.stop();
    head.paused = true;
  }
}

/** Timers overflow beyond 24.8 days and would fire immediately. */
export function checkedTime(ms: unknown, path: string): number {
  if (typeof ms === 'number' && ms >= 0 && ms < 2 ** 31) return ms;
  throw new Problem(path, 'must be milliseconds, or 0');
}

/** Reads until the first part of the answer, or the end. */
async function begins(head: Head): Promise<false> {
  const beginning = new Beginning();
  for (;;) {
    const { value, done } = iterationOf(await head.ahead(), 'opened: stream');
    if (done || beginning.add(value) || head.paused) return false;
  }
}

interface LateTimer {
  /** Resolves with true after the time, or never. */
  readonly passed: Promise<true>;
  stop(): void;
}

function timer(ms: number): LateTimer {
  let handle: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<true>((resolve) => {
    if (ms > 0) handle = setTimeout(resolve, ms, true);
  });
  return { passed, stop: () => clearTimeout(handle) };
}

type FirstRead = Promise<IteratorResult<unknown, unknown>>;

/** The iterator of a stream whose first items were read ahead: it gives them again. */
class Head implements AsyncIterator<unknown> {
  readonly #source: AsyncIterator<unknown>;
  /** Taken from the source now: the source may get the methods of this object. */
  readonly #methods: Pick<AsyncIterator<unknown>, 'next' | 'return' | 'throw'>;
  #kept: FirstRead[] = [];
  /** Reading ahead has ended. An item that was asked for is kept. */
  paused = false;

  constructor(source: AsyncIterator<unknown>) {
    this.#source = source;
    this.#methods = { next: source.next, return: source.return?.bind(source), throw: source.throw?.bind(source) } as never;
  }

  /** Reads an item that `next` will give. */
  ahead(): FirstRead {
    const read = this.#read();
    // Not an unhandled rejection: the reader of the stream may come later.
    read.catch(() => undefined);
    this.#kept.push(read);
    return read;
  }

  next(): FirstRead {
    return this.#kept.shift() ?? this.#read();
  }

  async return(value?: unknown): FirstRead {
    this.#kept = [];
    return (await this.#methods.return?.(value)) ?? { value, done: true };
  }

  async throw(error?: unknown): FirstRead {
    this.#kept = [];
    if (this.#methods.throw) return this.#methods.throw(error);
    await this.return();
    throw error;
  }

  async #read(): FirstRead {
    return this.#methods.next.call(this.#source);
  }
}

/** Makes a stream begin with the items that were read ahead, for whoever reads it: a loop, another function, or `next()`. */
function resume(stream: AsyncIterable<unknown>, source: AsyncIterator<unknown>, head: Head): void {
  const again = stream[Symbol.asyncIterator];
  const isOwn = (source as unknown) === stream;
  let iterated = false;
  const iterate = (): AsyncIterator<unknown> => {
    // A second reader gets what the stream itself has for it, an error for instance.
    if (iterated) return again.call(stream);
    iterated = true;
    return isOwn ? source : head;
  };
  const methods = isOwn
    ? { next: () => head.next(), return: (value?: unknown) => head.return(value), throw: (error?: unknown) => head.throw(error) }
    : {};
  for (const [name, value] of [[Symbol.asyncIterator, iterate], ...Object.entries(methods)] as const)
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
}
