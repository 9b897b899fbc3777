// The decisions about the calls of a round: first `onRound`'s, then the tools' own.
import { validated } from '../errors/problem.ts';
import type { RequestedCall } from '../surfaces/answer.ts';
import { checkedApproval, checkedDecisions, type Instead } from './decisions.ts';
import type { RunSignal } from './run-signal.ts';
import type { ToolLoopOptions, ToolRoundCall } from './tool-loop-input.ts';
import type { PreparedCall } from './typed-tool.ts';

/** A round whose calls are about to be decided. */
interface UndecidedRound<Response> {
  readonly operation: string;
  readonly run: RunSignal;
  readonly round: number;
  readonly response: Response;
  readonly calls: readonly RequestedCall[];
  readonly prepared: readonly PreparedCall[];
  readonly options: ToolLoopOptions<Response> | undefined;
}

/** The results of the calls that do not run; undefined for those that do. Throws a ValidationError for a value that is not a decision. */
export async function decided<Response>(undecided: UndecidedRound<Response>): Promise<readonly (Instead | undefined)[]> {
  const { operation, run, round, calls, prepared } = undecided;
  const decisions = [...(await decidedByRound(undecided))];
  // One at a time: two questions to a user would share a terminal or a screen.
  for (const [index, { id, name }] of calls.entries()) {
    const approve = prepared[index]?.approve;
    if (!approve || decisions[index]) continue;
    run.throwIfAborted();
    const ask = async (): Promise<unknown> => approve({ signal: run.signal, callId: id, round });
    const given = await run.race(ask());
    decisions[index] = validated(operation, () => checkedApproval(given, name));
  }
  return decisions;
}

async function decidedByRound<Response>(undecided: UndecidedRound<Response>): Promise<readonly (Instead | undefined)[]> {
  const { operation, run, round, response, calls, prepared, options } = undecided;
  const { onRound } = options ?? {};
  if (!onRound) return [];
  const shown = calls.map((call, index): ToolRoundCall => shownCall(call, prepared[index] as PreparedCall));
  const decide = async (): Promise<unknown> => onRound({ round, response, calls: shown });
  const given = await run.race(decide());
  return validated(operation, () => checkedDecisions(given, calls.length));
}

/** A call as callbacks get it. */
export function shownCall(call: RequestedCall, { input, problem }: PreparedCall): ToolRoundCall {
  return problem === undefined ? { ...call, input, problem } : { ...call, input: undefined, problem };
}
