import { isObject } from '../errors/json-value.ts';
import { Problem } from '../errors/problem.ts';

/** Decision about a tool call: run it, return `error: <deny>` to the model, or return `replace` as the result. */
export type ToolDecision = 'allow' | { readonly deny: string } | { readonly replace: string };

// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return value has the type void
export type Decisions = readonly (ToolDecision | undefined)[] | undefined | void;

const path = 'options.onRound';

/**
 * Validates and copies the decisions that `onRound` returned for `calls` calls. Any other value throws, so that a mistake in an
 * approval callback never runs a tool.
 */
export function checkedDecisions(given: unknown, calls: number): readonly (ToolDecision | undefined)[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new Problem(path, 'must return an array of decisions, one per call in order, or undefined');
  const { length } = given;
  if (length > calls) throw new Problem(path, `returned ${length} decisions for ${calls} calls: return at most one per call`);
  return Array.from({ length }, (_, index) => checkedDecision(given[index], index));
}

function checkedDecision(given: unknown, index: number): ToolDecision | undefined {
  if (given === undefined || given === 'allow') return given;
  if (isObject(given)) {
    const hasDeny = 'deny' in given;
    const hasReplace = 'replace' in given;
    if (hasDeny && hasReplace) throw new Problem(`${path}[${index}]`, 'has both deny and replace: return one of them');
    const { deny, replace } = given as { deny?: unknown; replace?: unknown };
    if (hasDeny && typeof deny === 'string') return { deny };
    if (hasReplace && typeof replace === 'string') return { replace };
  }
  throw new Problem(`${path}[${index}]`, "must be 'allow', { deny: string }, { replace: string } or undefined");
}
