import type { Work } from './growth.ts';

/** A function, an input that could be too much for it, and how to build the work for a size. */
export type Row = readonly [name: string, input: string, workOf: (size: number) => Work];

/** A value built for a size before the clock starts, and the work on it. */
interface Given<T> {
  through(work: (given: T) => unknown): Row[2];
}

/** A text. A typed refusal of it is an answer too. */
export function text(input: (size: number) => string): Given<string> {
  return {
    through: (work) => (size) => {
      const given = input(size);
      return () => quietly(() => work(given));
    },
  };
}
/** Any value. */
export function value<T>(input: (size: number) => T): Given<T> {
  return {
    through: (work) => (size) => {
      const given = input(size);
      return () => work(given);
    },
  };
}

export function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error;
  }
}
