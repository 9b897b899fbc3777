import { Problem } from '../errors/problem.ts';

/** What to do with a call: run it, tell the model `error: <deny>`, or give it `replace` as the result. */
export type ToolDecision = 'allow' | { readonly deny: string } | { readonly replace: string };

// biome-ignore lint/suspicious/noConfusingVoidType: a watcher that gives nothing back is a function of type void
export type Decisions = readonly (ToolDecision | undefined)[] | undefined | void;

const path = 'options.onRound';

/**
 * The decisions that `onRound` gave back for so many calls, each copied. Approval fails closed: anything but a decision is an error, so
 * that a slip in an approver never runs a tool.
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
  if (typeof given === 'object' && given !== null) {
    const hasDeny = 'deny' in given;
    const hasReplace = 'replace' in given;
    if (hasDeny && hasReplace) throw new Problem(`${path}[${index}]`, 'has both deny and replace: return one of them');
    const { deny, replace } = given as { deny?: unknown; replace?: unknown };
    if (hasDeny && typeof deny === 'string') return { deny };
    if (hasReplace && typeof replace === 'string') return { replace };
  }
  throw new Problem(`${path}[${index}]`, "must be 'allow', { deny: string }, { replace: string } or undefined");
}
