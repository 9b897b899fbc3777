// The answers of a cassette by request: those of the file, and those that this process has recorded.
import { canonical, type ExchangeRequest, type RecordedExchange } from './form.ts';
import { keyOf } from './match.ts';
import { sameButTimes } from './times.ts';

/** The place of an answer that is being recorded. */
export interface Slot {
  /** Number of earlier answers to equal requests. */
  readonly order: number;
  /** Undefined until the reply has ended. */
  exchange: RecordedExchange | undefined;
}

interface Entry {
  readonly recorded: readonly RecordedExchange[];
  used: number;
  slots: Slot[];
  /** What this process has written. */
  written: readonly RecordedExchange[];
}

export class Book {
  readonly #ignored: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry>();
  readonly #recorded: readonly RecordedExchange[];
  readonly #replaces: boolean;

  /** With `replaces`, the answers of the file are not used, and give way to new ones. */
  constructor(recorded: readonly RecordedExchange[], ignored: ReadonlySet<string>, replaces: boolean) {
    this.#recorded = recorded;
    this.#ignored = ignored;
    this.#replaces = replaces;
    for (const [key, list] of this.#byKey(recorded)) this.#entries.set(key, { recorded: list, used: 0, slots: [], written: [] });
  }

  /** Requests of the file. */
  get requests(): readonly ExchangeRequest[] {
    return this.#recorded.map(({ request }) => request);
  }

  /** Number of answers that the file has for a request. */
  count(request: ExchangeRequest): number {
    return this.#entries.get(keyOf(request, this.#ignored))?.recorded.length ?? 0;
  }

  /** The next answer of the file. With `repeats`, the last one comes again and again. */
  take(request: ExchangeRequest, repeats: boolean): RecordedExchange | undefined {
    const entry = this.#entries.get(keyOf(request, this.#ignored));
    if (!entry || this.#replaces) return undefined;
    const found = entry.recorded[entry.used] ?? (repeats ? entry.recorded.at(-1) : undefined);
    if (found) entry.used += 1;
    return found;
  }

  /** A place for the answer to a request that is being sent. Equal requests are answered in the order of their places. */
  open(request: ExchangeRequest): Slot {
    const key = keyOf(request, this.#ignored);
    const entry = this.#entries.get(key) ?? { recorded: [], used: 0, slots: [], written: [] };
    this.#entries.set(key, entry);
    const last = entry.slots.at(-1)?.order ?? (this.#replaces ? 0 : entry.recorded.length) - 1;
    const slot: Slot = { order: last + 1, exchange: undefined };
    entry.slots.push(slot);
    return slot;
  }

  /** Gives up the place of a request without a response. */
  drop(slot: Slot): void {
    for (const entry of this.#entries.values()) if (entry.slots.includes(slot)) entry.slots.splice(entry.slots.indexOf(slot), 1);
  }

  /**
   * The exchanges of the file with those of this process. Answers that another process wrote meanwhile to the same request come first, and
   * as many of our own are left out. An answer that differs from the one in its place only in times leaves that one as it is.
   */
  merged(present: readonly RecordedExchange[]): RecordedExchange[] {
    const byKey = this.#byKey(present);
    for (const [key, entry] of this.#entries) {
      const ours = entry.slots.flatMap(({ exchange }) => (exchange ? [exchange] : []));
      if (ours.length === 0) continue;
      const old = this.#replaces ? entry.recorded : [];
      const others = without(byKey.get(key) ?? [], [...old, ...entry.written]);
      const foreign = others.length - (this.#replaces ? 0 : entry.recorded.length);
      entry.written = ours.slice(Math.max(0, foreign)).map((one, index) => {
        const before = old[foreign + index];
        return before && sameButTimes(before, one) ? before : one;
      });
      byKey.set(key, [...others, ...entry.written]);
    }
    return [...byKey.values()].flat();
  }

  #byKey(exchanges: readonly RecordedExchange[]): Map<string, RecordedExchange[]> {
    const byKey = new Map<string, RecordedExchange[]>();
    for (const one of exchanges) {
      const key = keyOf(one.request, this.#ignored);
      const list = byKey.get(key);
      if (list) list.push(one);
      else byKey.set(key, [one]);
    }
    return byKey;
  }
}

/** A list without as many equal members as `removed` has. */
function without(list: readonly RecordedExchange[], removed: readonly RecordedExchange[]): RecordedExchange[] {
  const texts = removed.map(textOf);
  return list.filter((one) => {
    const at = texts.indexOf(textOf(one));
    if (at >= 0) texts.splice(at, 1);
    return at < 0;
  });
}

function textOf({ request, response }: RecordedExchange): string {
  return canonical(JSON.parse(JSON.stringify([request, response])));
}
