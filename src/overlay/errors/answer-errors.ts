/** Errors about an answer that arrived: it is incomplete, failed, of the wrong structure, or asks for too many rounds of tools. */
import type { ErrorCategory } from '../../generated/codes.ts';
import { ModelsvcError } from './errors.ts';

/** The answer is incomplete: cut off, withheld or failed. Returned by `finishError`. */
export class FinishError extends ModelsvcError {
  override readonly name = 'FinishError';
  declare readonly kind: 'finish';
  /** The finish reason (chat) or stop reason (messages). */
  readonly reason: string;
  readonly category: ErrorCategory;
  /** True if the same request may succeed. */
  readonly retryable: boolean;

  constructor(reason: string, category: ErrorCategory, retryable: boolean, text: string, advice?: string) {
    super('finish', `finish reason ${reason}: ${text}`, undefined, { advice });
    this.reason = reason;
    this.category = category;
    this.retryable = retryable;
  }
}

/** A job failed while the caller waited for it. */
export class TaskError extends ModelsvcError {
  override readonly name = 'TaskError';
  declare readonly kind: 'task';
  readonly operation: string;
  readonly id: string;
  /** Status of the job as the service sent it, for instance `FAIL`. */
  readonly status: string;
  /** Business code of the failure, if the service sent one. */
  readonly code: string | undefined;
  /** The last response, unchanged. Not enumerable, so that logging the error does not log content. */
  declare readonly result: unknown;

  constructor(
    operation: string,
    id: string,
    status: string,
    result: unknown,
    text: string = `job ${id} ended with ${status === '' ? 'an empty status' : `status ${status}`}`,
    code?: string | undefined,
    advice: string = 'Its last reply is in error.result. Start a new job; the failed one may be billed.',
  ) {
    super('task', `${text}${code === undefined ? '' : ` (code ${code})`}`, undefined, { operation, advice });
    this.code = code;
    this.operation = operation;
    this.id = id;
    this.status = status;
    Object.defineProperty(this, 'result', { value: result, enumerable: false });
  }
}

/** `unfinished`: the answer was cut off or withheld. `malformed`: it is not JSON. `invalid`: it does not match the schema. */
export type OutputProblem = 'unfinished' | 'malformed' | 'invalid';

/** The next step after an answer that was billed and cannot be used. */
function outputAdvice(problem: OutputProblem, issues: number): string {
  if (problem === 'unfinished') return 'The answer is billed. Its cause has the reason: raise max_tokens if that is length.';
  if (issues === 0) return 'The answer is billed; error.text has it.';
  return `The answer is billed; error.issues has ${issues === 1 ? 'the reason' : `all ${issues} reasons`}. Send this back to the model, or relax the schema.`;
}

/** The answer of a model does not match the requested structure. The error message does not quote the answer. */
export class OutputError extends ModelsvcError {
  override readonly name = 'OutputError';
  declare readonly kind: 'output';
  readonly problem: OutputProblem;
  /** Violations of the schema; one without a path if the answer is not JSON; none if it is unfinished. Not enumerable, because schema libraries quote values in their messages. */
  declare readonly issues: readonly { readonly path: string; readonly message: string }[];
  /** Text of the answer, unchanged. Not enumerable. */
  declare readonly text: string;

  constructor(problem: OutputProblem, words: string, text: string, issues: OutputError['issues'] = [], cause?: unknown) {
    super('output', `structured output: ${words}`, cause, { seeCause: cause !== undefined, advice: outputAdvice(problem, issues.length) });
    this.problem = problem;
    Object.defineProperties(this, { issues: { value: issues, enumerable: false }, text: { value: text, enumerable: false } });
  }
}

/** The tool loop reached its limit of rounds while the model still asked for tools. The tool calls of the last response were not run. */
export class ToolLoopError extends ModelsvcError {
  override readonly name = 'ToolLoopError';
  declare readonly kind: 'tool-loop';
  readonly operation: string;
  /** Rounds whose tool calls were run; equal to the limit. */
  readonly rounds: number;
  /** The last response, with the tool calls that were not run. Not enumerable, like the next two, so that logging the error does not log content. */
  declare readonly lastResponse: unknown;
  /** The conversation so far, which can be sent as it is: the last calls are answered with an error. */
  declare readonly transcript: readonly unknown[];
  /** Usage of all model calls, summed. */
  declare readonly usage: unknown;

  constructor(
    operation: string,
    rounds: number,
    run: { readonly lastResponse: unknown; readonly transcript: readonly unknown[]; readonly usage: unknown },
  ) {
    const many = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
    const advice = 'Raise maxRounds, or continue with error.transcript: the rounds so far are billed.';
    super('tool-loop', `the model still requests tools after ${many}; the last calls were not run`, undefined, { operation, advice });
    this.operation = operation;
    this.rounds = rounds;
    for (const field of ['lastResponse', 'transcript', 'usage'] as const)
      Object.defineProperty(this, field, { value: run[field], enumerable: false });
  }
}
