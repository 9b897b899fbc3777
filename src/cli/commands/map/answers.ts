// The results of rows, from answers and failures.
import { type Client, type Context, isApiError, isModelsvcError } from 'modelsvc';
import type { JudgedAnswer } from 'modelsvc/types';
import type { RowResult } from '../../bulk/results.ts';
import type { Input } from '../../input/input.ts';
import { reportOf } from '../../reports/report.ts';
import { type OutputForm, outputOf } from '../../talk/checked.ts';
import { chatSurface } from '../../talk/surfaces/chat.ts';
import type { MapRow } from './rows.ts';

type RowKey = Pick<MapRow, 'index' | 'hash'>;

/** Where the result of a row comes from. */
type RowAnswer = Pick<JudgedAnswer, 'text' | 'usage' | 'problem'>;

/** How answers become output. */
export interface RowForm extends OutputForm {
  readonly input: Input;
}

/** The result of a call. Throws if it failed before a part of its answer had arrived, was aborted, or failed for a reason that every row has. */
export async function answered(client: Client, ctx: Context, row: MapRow, form: RowForm): Promise<RowResult> {
  const { question, problem } = row;
  if (!question) return { index: row.index, hash: row.hash, error: { message: problem } };
  const exchange = chatSurface.send(client, ctx, question, {});
  try {
    for await (const _piece of exchange.pieces);
  } catch (error) {
    if (exchange.text() === '' || isModelsvcError(error, 'abort') || isFinal(error)) throw error;
    return { ...(await failureOf(row, error, form)), answer: exchange.text() };
  }
  const answer = exchange.answer();
  const result = await resultOf(row, answer, form);
  return question.fallback.length > 0 ? { ...result, model: answer.asked } : result;
}

/** The result of a row that has an answer. One that is not usable was paid for all the same: it is kept next to the error. */
async function resultOf({ index, hash }: RowKey, answer: RowAnswer, form: RowForm): Promise<RowResult> {
  const { usage, problem } = answer;
  const used = usage && { usage };
  try {
    const output = await outputOf(answer, form);
    return { index, hash, output, ...(problem && { finish_reason: 'length' }), ...used };
  } catch (error) {
    return { ...(await failureOf({ index, hash }, error, form)), answer: answer.text, ...used };
  }
}

/** True for a failure that every row would have: the key, the plan, the configuration. */
export function isFinal(reason: unknown): boolean {
  return isModelsvcError(reason, 'config', 'budget') || (isApiError(reason) && ['auth', 'account', 'quota', 'billing'].includes(reason.category));
}

/** The line of a failed row. */
export async function failureOf({ index, hash }: RowKey, reason: unknown, { input }: Pick<RowForm, 'input'>): Promise<RowResult> {
  const { message, details } = await reportOf(reason, input.originOf);
  return { index, hash, error: { message, ...details } };
}
