// The results of rows, from answers and failures.
import { type Client, type Context, type FinishError, isApiError, isConfigError } from 'modelsvc';
import type { Cli } from '../../cli.ts';
import type { Input } from '../../input/input.ts';
import type { ExchangeLog } from '../../log/record.ts';
import { reportOf } from '../../reports/report.ts';
import { chatSurface } from '../../talk/chat-surface.ts';
import { firstCodeBlock } from '../../talk/extract.ts';
import { logged } from '../../talk/logged.ts';
import type { Manner } from '../../talk/question.ts';
import type { RowResult } from './results.ts';
import type { MapRow } from './rows.ts';

/** Where the result of a row comes from. */
interface RowAnswer {
  readonly text: string;
  readonly usage: object | undefined;
  readonly problem: FinishError | undefined;
}

/** How answers become output. */
export interface OutputForm extends Pick<Manner, 'schema'> {
  readonly extract: boolean;
}

export async function answered(cli: Cli, log: ExchangeLog, client: Client, ctx: Context, row: MapRow, form: OutputForm): Promise<RowResult> {
  const { index, hash, question, prompt, problem } = row;
  if (!question) return { index, hash, error: { message: problem } };
  const exchange = chatSurface.ask(client, ctx, question, {});
  const answer = await logged(cli, log, { command: 'map', row: index, manner: question, prompt, attachments: [] }, exchange, async ({ pieces }) => {
    for await (const _piece of pieces);
    return exchange.answer();
  });
  return resultOf({ index, hash }, answer, form);
}

/** The result of a row that has an answer. Throws if the answer is not usable. */
export async function resultOf(
  { index, hash }: Pick<MapRow, 'index' | 'hash'>,
  answer: RowAnswer,
  { schema, extract }: OutputForm,
): Promise<RowResult> {
  const isCut = answer.problem?.reason === 'length';
  // A part of JSON is none: the error names the limit.
  if (answer.problem && (!isCut || schema)) throw answer.problem;
  const output = schema ? await schema.parse(answer.text) : extract ? (firstCodeBlock(answer.text) ?? answer.text) : answer.text;
  return { index, hash, output, ...(isCut && { finish_reason: 'length' }), ...(answer.usage && { usage: answer.usage }) };
}

/** True for a failure that every row would have: the key, the plan, the configuration. */
export function isFinal(reason: unknown): boolean {
  return isConfigError(reason) || (isApiError(reason) && ['auth', 'account', 'quota', 'billing'].includes(reason.category));
}

/** The line of a failed row. */
export async function failureOf({ index, hash }: Pick<MapRow, 'index' | 'hash'>, reason: unknown, input: Input): Promise<RowResult> {
  const { message, details } = await reportOf(reason, input.originOf);
  return { index, hash, error: { message, ...details } };
}
