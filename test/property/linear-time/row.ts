import type { Work } from './growth.ts';

/** A function, an input that could be too much for it, and how to build the work for a size. */
export type Row = readonly [name: string, input: string, workOf: (size: number) => Work];

/** Work on a text. A typed refusal is an answer too. */
export const text = (input: (size: number) => string, work: (given: string) => unknown): Row[2] => {
  return (size) => {
    const given = input(size);
    return () => quietly(() => work(given));
  };
};
/** Work on any value. */
export const value = <T>(input: (size: number) => T, work: (given: T) => unknown): Row[2] => {
  return (size) => {
    const given = input(size);
    return () => work(given);
  };
};

export function quietly(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return error;
  }
}
