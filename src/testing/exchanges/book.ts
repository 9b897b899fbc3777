// The answers of a cassette by request: from the file, and those that this process has recorded.
import { canonical, type ExchangeRequest, isJsonObject, type RecordedExchange } from './form.ts';
import { idsByAppearance } from './ids.ts';
import { counted, keyOf } from './match.ts';
import { sameButTimes } from './times.ts';

/** The place of an answer that is being recorded. */
export interface AnswerPlace {
  /** Number of earlier answers to equal requests. */
  readonly order: number;
  /** Undefined until the reply has ended. */
  exchange: RecordedExchange | undefined;
}

/** How requests are redacted now, which may be stricter than at their recording. */
export interface Rules {
  /** Equal while the rules are the same. */
  readonly version: string;
  again(recorded: ExchangeRequest): ExchangeRequest;
  /** The client takes the answer as a stream or whole. */
  readonly takesWhole: boolean;
}

interface Entry {
  readonly recorded: readonly RecordedExchange[];
  used: number;
  slots: AnswerPlace[];
  /** The answers of this process that are in the file. */
  written: readonly RecordedExchange[];
  /** Keys of the file that give way to this one. */
  readonly replaced: readonly string[];
}

function empty(): Entry {
  return { recorded: [], used: 0, slots: [], written: [], replaced: [] };
}

export class Book {
  readonly #ignored: ReadonlySet<string>;
  readonly #entries = new Map<string, Entry>();
  readonly #recorded: readonly RecordedExchange[];
  readonly #replaces: boolean;
  /** The keys of the file by the keys that its requests would get now. */
  #renewed: { readonly version: string; readonly keys: ReadonlyMap<string, string[]> } | undefined;

  /** With `replaces`, the answers of the file are not used, and give way to new ones. */
  constructor(recorded: readonly RecordedExchange[], ignored: ReadonlySet<string>, replaces: boolean) {
    this.#recorded = recorded;
    this.#ignored = ignored;
    this.#replaces = replaces;
    for (const [key, list] of this.#byKey(recorded)) this.#entries.set(key, { ...empty(), recorded: list });
  }

  /** Requests of the file. */
  get requests(): readonly ExchangeRequest[] {
    return this.#recorded.map(({ request }) => request);
  }

  /** The requests of the file whose answers are not used up, once for each answer. With `replaces`, those that no new answer replaces. */
  get unused(): readonly ExchangeRequest[] {
    const replaced = new Set([...this.#entries.values()].flatMap((entry) => (entry.slots.length > 0 ? entry.replaced : [])));
    return [...this.#entries].flatMap(([key, { recorded, used, slots }]) => {
      if (this.#replaces && (replaced.has(key) || slots.length > 0)) return [];
      return recorded.slice(used).map(({ request }) => request);
    });
  }

  /** Number of answers that the file has for a request. */
  count(request: ExchangeRequest, rules: Rules): number {
    return this.#keys(request, rules).reduce((sum, key) => sum + (this.#entries.get(key)?.recorded.length ?? 0), 0);
  }

  /** The next answer of the file. With `repeats`, the last one comes again and again. */
  take(request: ExchangeRequest, repeats: boolean, rules: Rules): RecordedExchange | undefined {
    if (this.#replaces) return undefined;
    const entries = this.#keys(request, rules).flatMap((key) => this.#entries.get(key) ?? []);
    const entry = entries.find(({ recorded, used }) => used < recorded.length);
    if (entry) return entry.recorded[entry.used++];
    return repeats ? entries.at(-1)?.recorded.at(-1) : undefined;
  }

  /** A place for the answer to a request that is being sent. Equal requests are answered in the order of their places. */
  open(request: ExchangeRequest, rules: Rules): AnswerPlace {
    const key = keyOf(request, this.#ignored);
    const entry = this.#entries.get(key) ?? { ...empty(), replaced: this.#replaces ? this.#keys(request, rules) : [] };
    this.#entries.set(key, entry);
    const last = entry.slots.at(-1)?.order ?? (this.#replaces ? 0 : entry.recorded.length) - 1;
    const slot: AnswerPlace = { order: last + 1, exchange: undefined };
    entry.slots.push(slot);
    return slot;
  }

  /** Gives up the place of a request without a response. */
  drop(slot: AnswerPlace): void {
    for (const entry of this.#entries.values()) if (entry.slots.includes(slot)) entry.slots.splice(entry.slots.indexOf(slot), 1);
  }

  /**
   * The exchanges of the file with this process's. Answers that another process wrote meanwhile to the same request come first, and
   * as many of our own are left out. If an answer differs from the file's only in times, the file's stays as it is.
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
      for (const old of entry.replaced) byKey.delete(old);
    }
    return [...byKey.values()].flat();
  }

  /** The keys of the entries for a request. A recording of a complete reply answers a client that takes it, if none has the stream. */
  #keys(request: ExchangeRequest, rules: Rules): readonly string[] {
    const keys = this.#keysOf(request, rules);
    if (keys.length > 0 || !rules.takesWhole || !isJsonObject(request.body)) return keys;
    const { stream: _asked, ...body } = request.body;
    return this.#keysOf({ ...request, body }, rules);
  }

  /** Its own key, or keys of the file that equal it once they are redacted as it was, apart from names of ids. */
  #keysOf(request: ExchangeRequest, rules: Rules): readonly string[] {
    const key = keyOf(request, this.#ignored);
    if (this.#entries.has(key)) return [key];
    if (this.#renewed?.version !== rules.version) {
      const keys = new Map<string, string[]>();
      for (const recorded of this.requests) {
        const now = this.#looseKey(rules.again(recorded));
        keys.set(now, [...(keys.get(now) ?? []), keyOf(recorded, this.#ignored)]);
      }
      this.#renewed = { version: rules.version, keys };
    }
    return [...new Set(this.#renewed.keys.get(this.#looseKey(request)))];
  }

  #looseKey(request: ExchangeRequest): string {
    return canonical(idsByAppearance(counted(request, this.#ignored)));
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
