import { conditional, counted } from './conditions.ts';
import { loop, needed, onceRead, optional } from './fields.ts';
import { type Node, replaceRuns, rewriteLines, rewriteLists } from './tree.ts';
import { shortTests, typeCheck } from './types.ts';
import { allowed, bounds, numeric, pattern } from './values.ts';

/** The innermost checks first, since others are known by what stands inside of them. */
const rules = [typeCheck, needed, allowed, bounds, numeric, pattern, onceRead, optional, loop, counted, conditional];

/** Second pass: statements that follow one another as ajv writes a check become one call of a word of src/overlay/checks.ts. */
export function sayInChecks(tree: readonly Node[]): Node[] {
  return rewriteLists(rewriteLines(tree, shortTests), (list) => rules.reduce<Node[]>(replaceRuns, list));
}
