import type { GateState } from '../errors/gate-state.ts';
import type { Gate } from './gate.ts';
import type { GateOptions } from './options.ts';
import { registry } from './registry.ts';

/** Numbers of key functions, for the names of their gates. */
const numbers = new WeakMap<object, string>();

/** Origin and key of the calls of a gate. */
interface GateKey {
  readonly origin: string;
  /** Calls with the same key function share their gates, whichever key it returns. */
  readonly key: string | object;
}

/** A client's access to the gates of the process, with its `Config.concurrency`. */
export class Gates {
  readonly options: GateOptions;
  readonly #unitMs: number;
  readonly #registry = registry();

  /** `unitMs` is `Config.retryDelay`. */
  constructor(options: GateOptions, unitMs: number) {
    this.options = options;
    this.#unitMs = unitMs;
  }

  ticket(): number {
    return this.#registry.ticket();
  }

  maxOf(model: string): number {
    return this.options.perModel.get(model) ?? this.options.max;
  }

  /** Undefined: this client adds no limit of its own. */
  startOf(model: string): number | undefined {
    return this.options.perModel.get(model) ?? this.options.start;
  }

  gate(target: GateKey, model: string): Gate {
    return this.#registry.gate(this.#name(target, model), model, this.startOf(model), this.#unitMs);
  }

  /** The state of the first target that has a gate with a limit for the model. */
  state(targets: readonly GateKey[], model: string): GateState | undefined {
    for (const target of targets) {
      const found = this.#registry.find(this.#name(target, model));
      if (found && !found.isUnlimited) return found.state;
    }
    return undefined;
  }

  #name({ origin, key }: GateKey, model: string): string {
    return `${origin} ${typeof key === 'string' ? key : this.#numberOf(key)} ${model}`;
  }

  /** Begins with a line break, which no key contains, so that a number never equals a key. */
  #numberOf(key: object): string {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = `\n${this.#registry.ticket()}`));
    return number;
  }
}
