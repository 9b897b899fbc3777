/** Schemas nested or referenced deeper than this are cut to their type and description. Real tools stay below 20 levels. */
export const MAX_DEPTH = 100;

/**
 * Maximum weight of a rewritten schema as JSON, or twice the weight of the input if that is more. A schema weighs 1, plus
 * 1 for every 64 characters of its own names and data.
 */
export const MAX_WEIGHT = 10_000;

/** Maximum merge steps. A step is a keyword, a listed value, or a property looked up in a branch. Further merges keep only the types. */
export const MAX_MERGE_STEPS = 300_000;

/** Maximum rewrites of one schema whose result depends on the schemas being expanded around it. */
export const MAX_EXPANSIONS = 8;

/** Maximum characters that a rewrite adds to one description. */
export const MAX_ADDED_TEXT = 4_000;
