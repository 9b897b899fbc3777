/** Schemas nested or referenced deeper than this are cut to their type and description. Real tools stay below 20 levels. */
export const MAX_DEPTH = 100;

/** The bound of a rewritten schema, in bytes of JSON: a multiple of its input, and an amount that is always allowed. */
export interface Growth {
  readonly factor: number;
  readonly always: number;
}

export const GROWTH: Growth = { factor: 2, always: 12_000 };

/**
 * Maximum objects and lists in a schema that is measured and kept. A shared object counts once for each place. A schema with more places is sent
 * unchanged only if they are fewer than twice its distinct objects. Real tools have a few hundred.
 */
export const MAX_OBJECTS = 100_000;

/** Counted as the bytes of data with more than `MAX_OBJECTS`, of cyclic data, and of data that JSON cannot express. */
export const UNMEASURED = 320_000;

/** Maximum merge steps. A step is a keyword, a listed value, or a property looked up in a branch. Further merges keep only the types. */
export const MAX_MERGE_STEPS = 300_000;

/** Maximum characters that a rewrite adds to one description. */
export const MAX_ADDED_TEXT = 4_000;
