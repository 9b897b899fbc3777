import type { Claim } from './claim.ts';

/** A claim as its file has it. */
export type Found = Omit<Claim, 'place' | 'seen'> & { readonly path: readonly string[] };
