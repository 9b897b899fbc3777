// `npm test` runs a fixed sample of the longest tables and properties, and `npm run test:deep` runs them all. The nightly job and a release use it.
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    isDeep: boolean;
  }
}

const isDeep = inject('isDeep');

/** One of `share` rows, and all of them in a deep run. Choose a share that has no factor in common with the period of the table. */
export function sampled<Row>(rows: Iterable<Row>, share: number): Row[] {
  return [...rows].filter((_, index) => isDeep || index % share === 0);
}

/** The runs of a property: a fifth of them, always the same, and all of them at random in a deep run. */
export function runs(deep: number): { readonly numRuns: number; readonly seed?: number } {
  return isDeep ? { numRuns: deep } : { numRuns: Math.ceil(deep / 5), seed: 5 };
}
