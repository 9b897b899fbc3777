// A bound in time for the work of libraries on the text of a model. A pattern of theirs may take minutes for one line.
import { Script } from 'node:vm';

/** CPU time of a usual piece of work, and characters for each further millisecond. */
const usualMs = 10;
const charactersPerMs = 200;
/** Time for all unusual work of one text. */
const mostMs = 250;
/** Work on a shorter text is not watched: the watch costs more than the slowest pattern. */
const shortText = 80;

const work = Symbol.for('modelsvc.watchedWork');
const scope = globalThis as unknown as Record<symbol, (() => unknown) | undefined>;
const watched = new Script("globalThis[Symbol.for('modelsvc.watchedWork')]()");

export interface Done<T> {
  readonly value: T;
  /** It took longer than work on a text of this length may. */
  readonly isSlow: boolean;
}

/** One for each text. */
export class TimeLimit {
  readonly #clock: () => number;
  #leftMs = mostMs;

  /** `clock` returns milliseconds. Default: the CPU time of the process, so that a busy machine does not count. */
  constructor(clock: () => number = cpuMs) {
    this.#clock = clock;
  }

  /** The result of work on a text of `length` characters. Undefined if the work failed or was ended, or if the time for the whole text is over. */
  run<T>(length: number, make: () => T): Done<T> | undefined {
    if (this.#leftMs <= 0) return undefined;
    const start = this.#clock();
    try {
      const value = length <= shortText ? make() : inTime(make);
      const ms = this.#clock() - start;
      const isSlow = ms > usualMs + length / charactersPerMs;
      if (isSlow) this.#leftMs -= ms;
      return { value, isSlow };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') this.#leftMs = 0;
      // A plain text is better than a lost one.
      return undefined;
    }
  }
}

/** Only the watch of a script ends a pattern that is at work. */
function inTime<T>(make: () => T): T {
  scope[work] = make;
  try {
    return watched.runInThisContext({ timeout: mostMs }) as T;
  } finally {
    delete scope[work];
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
