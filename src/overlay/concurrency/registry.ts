import { Gate } from './gate.ts';

/** Unused gates are forgotten after this time, in milliseconds. */
const forgetAfterMs = 10 * 60 * 1000;
const looksPerGate = 2;

/** The gates of the process. The key is part of their names, so they are private: inspecting the registry must not print them. */
export class Registry {
  readonly #gates = new Map<string, Gate>();
  /** Position of the sweep. A Map's iterator also visits entries that were added after its creation. */
  #sweeper = this.#gates.entries();
  #count = 0;
  #tickets = 0;

  /** Tickets are comparable in the whole process. */
  ticket(): number {
    return ++this.#tickets;
  }

  find(name: string): Gate | undefined {
    return this.#gates.get(name);
  }

  gate(name: string, model: string, start: number | undefined, unitMs: number): Gate {
    const found = this.#gates.get(name);
    if (found && !isStale(found)) {
      found.guess(start);
      return found;
    }
    this.#sweep();
    const made = new Gate(String(++this.#count), model, start, unitMs);
    this.#gates.set(name, made);
    return made;
  }

  /** Forgets what was learned about a host. */
  forget(origin: string): void {
    for (const name of this.#gates.keys()) if (name.startsWith(`${origin} `)) this.#gates.delete(name);
  }

  /** Forgets unused gates. Each new gate inspects two, so that 50,000 keys cause no pause and gates are removed faster than they are added. */
  #sweep(): void {
    for (let look = 0; look < looksPerGate; look++) {
      const { done, value } = this.#sweeper.next();
      if (done) this.#sweeper = this.#gates.entries();
      else if (isStale(value[1])) this.#gates.delete(value[0]);
    }
  }
}

function isStale(gate: Gate): boolean {
  return gate.inFlight === 0 && gate.waiting === 0 && performance.now() - gate.usedAt > forgetAfterMs;
}

/** Version of the code of a gate. Copies of the package with another version do not share their gates. */
const shared = Symbol.for('modelsvc.gates');
const format = 3;

/** The registry that all copies of the package in this process share. */
export function registry(): Registry {
  const host = globalThis as unknown as Record<symbol, Map<number, Registry> | undefined>;
  const formats = (host[shared] ??= new Map());
  let found = formats.get(format);
  if (!found) formats.set(format, (found = new Registry()));
  return found;
}
