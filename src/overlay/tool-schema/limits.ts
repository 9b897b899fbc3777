/** Schemas nested (or referenced) deeper than this are cut to their type and description. Real tools stay below 20. */
export const MAX_DEPTH = 100;

/**
 * The most a rewritten schema may weigh when it is written out, or twice the input if that is more. A schema weighs 1, and
 * 1 for every 64 characters of its own names and data.
 */
export const MAX_WEIGHT = 10_000;

/** Steps of merging (a keyword, a listed value, a property looked up in a branch); after them merges keep types only. */
export const MAX_MERGE_STEPS = 300_000;

/** How often one schema is rewritten anew because its result depends on what is being expanded around it. */
export const MAX_EXPANSIONS = 8;

/** Characters of text that a rewrite adds to one description. */
export const MAX_ADDED_TEXT = 4_000;
