import { isObject } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';

/** The result of a call instead of its run: `error: <deny>`, or `replace`. */
export type Instead = { readonly deny: string } | { readonly replace: string };

/** Decision about a tool call: run it, return `error: <deny>` to the model, or return `replace` as the result. */
export type ToolDecision = 'allow' | Instead;

/** The compiler widens `'allow'` to string in a variable or in the return value of a function. Any other word is refused at run time. */
type AnyWord = string & {};

/** ToolDecisions about the calls of a round, in their order. A call without one is run. */
// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return value has the type void
export type ToolDecisions = readonly (ToolDecision | AnyWord | undefined)[] | undefined | void;

/** Answer of a tool's own `approve`: true or `'allow'` runs the call, false denies it. */
export type ToolApproval = boolean | ToolDecision | AnyWord;

const path = 'options.onRound';
const decisions = "'allow', { deny: string } or { replace: string }";

/**
 * Validates and copies the decisions that `onRound` returned for `calls` calls. Any other value throws, so that a mistake in an
 * approval callback never runs a tool.
 */
export function checkedDecisions(given: unknown, calls: number): readonly (Instead | undefined)[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw new Problem(path, 'must return an array of decisions, one per call in order, or undefined');
  const { length } = given;
  if (length > calls) throw new Problem(path, `returned ${length} decisions for ${calls} calls: return at most one per call`);
  return Array.from({ length }, (_, index) => {
    const one: unknown = given[index];
    return one === undefined ? undefined : checkedDecision(one, `${path}[${index}]`, `must be ${decisions}, or undefined`);
  });
}

/** Validates what the `approve` of a tool returned. Undefined runs the call. */
export function checkedApproval(given: unknown, name: string): Instead | undefined {
  if (typeof given === 'boolean') return given ? undefined : { deny: 'the call was not approved' };
  return checkedDecision(given, `approve of ${name}`, `must return true, false, ${decisions}`);
}

function checkedDecision(given: unknown, at: string, rule: string): Instead | undefined {
  if (given === 'allow') return undefined;
  if (isObject(given)) {
    const hasDeny = 'deny' in given;
    const hasReplace = 'replace' in given;
    if (hasDeny && hasReplace) throw new Problem(at, 'has both deny and replace: return one of them');
    const { deny, replace } = given as { deny?: unknown; replace?: unknown };
    if (hasDeny && typeof deny === 'string') return { deny };
    if (hasReplace && typeof replace === 'string') return { replace };
  }
  throw new Problem(at, rule);
}
