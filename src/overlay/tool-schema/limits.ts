/** Schemas nested or referenced deeper than this are cut to their type and description. Real tools stay below 20 levels. */
export const MAX_DEPTH = 100;

/** The bound of a rewritten schema, in bytes of JSON: a multiple of its input, and an amount that is always allowed. */
export interface Growth {
  readonly factor: number;
  readonly always: number;
}

export const GROWTH: Growth = { factor: 2, always: 12_000 };

/** Input beyond this counts shared objects once. Objects shared in doubling layers have no useful size as JSON. */
export const MAX_SHARED_INPUT = 320_000;

/** Maximum schemas in a schema that is sent unchanged, or twice its distinct objects if that is more. */
export const MAX_SCHEMAS = 10_000;

/** Maximum merge steps. A step is a keyword, a listed value, or a property looked up in a branch. Further merges keep only the types. */
export const MAX_MERGE_STEPS = 300_000;

/** Maximum rewrites of one schema whose result depends on the schemas being expanded around it. */
export const MAX_EXPANSIONS = 8;

/** Maximum characters that a rewrite adds to one description. */
export const MAX_ADDED_TEXT = 4_000;

/** Maximum objects and lists in a schema whose rewrite is kept. Real tools have a few hundred. */
export const MAX_KEPT_OBJECTS = 10_000;
