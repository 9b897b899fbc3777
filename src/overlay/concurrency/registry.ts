import { Gate } from './gate.ts';

/** Unused gates are forgotten after this time, in milliseconds. */
const forgetAfterMs = 10 * 60 * 1000;
const looksPerCall = 2;

/** The gates of the process. The key is part of their names, so they are private: inspecting the registry must not print them. */
export class Registry {
  readonly #gates = new Map<string, Gate>();
  /** Goes around the gates. A Map's iterator also comes to the entries that are added meanwhile. */
  #round = this.#gates.entries();
  #count = 0;
  #tickets = 0;

  /** Tickets are comparable in the whole process. */
  ticket(): number {
    return ++this.#tickets;
  }

  find(name: string): Gate | undefined {
    return this.#gates.get(name);
  }

  gate(name: string, model: string, start: number, unitMs: number): Gate {
    this.#sweep();
    const found = this.#gates.get(name);
    if (found && !isStale(found)) {
      found.guess(start);
      return found;
    }
    const made = new Gate(String(++this.#count), model, start, unitMs);
    this.#gates.set(name, made);
    return made;
  }

  /** Forgets unused gates. Two looks a call: 50,000 keys cause no pause, and gates go at least as fast as new ones come. */
  #sweep(): void {
    for (let look = 0; look < looksPerCall; look++) {
      const { done, value } = this.#round.next();
      if (done) this.#round = this.#gates.entries();
      else if (isStale(value[1])) this.#gates.delete(value[0]);
    }
  }
}

function isStale(gate: Gate): boolean {
  return gate.inFlight === 0 && gate.waiting === 0 && performance.now() - gate.usedAt > forgetAfterMs;
}

/** The format of the gates: copies of the package with another one do not share. */
const shared = Symbol.for('modelsvc.gates');
const format = 2;

/** The registry that all copies of the package in this process share. */
export function registry(): Registry {
  const host = globalThis as unknown as Record<symbol, Map<number, Registry> | undefined>;
  const formats = (host[shared] ??= new Map());
  let found = formats.get(format);
  if (!found) formats.set(format, (found = new Registry()));
  return found;
}
