// The output of an answer: its text, its first code block, or the value of its JSON once that was checked.
import { isOutputError, type OutputError } from 'modelsvc';
import type { TalkAnswer } from './exchange.ts';
import { firstCodeBlock } from './extract.ts';
import type { AnswerOptions } from './question.ts';

export interface OutputForm extends Pick<AnswerOptions, 'format'> {
  /** Only the first code block. */
  readonly extract: boolean;
}

/** The output of an answer. Throws an OutputError if it does not fit. */
export async function outputOf(text: string, { format, extract }: OutputForm): Promise<unknown> {
  const given = extract ? (firstCodeBlock(text) ?? text) : text;
  return format ? format.parse(given) : given;
}

/** The value of the JSON that was asked for, or the reason why the answer has none. */
export type AnswerCheck = { readonly value: unknown } | { readonly misfit: OutputError };

/** Undefined if no JSON was asked for, and for an incomplete answer and one that requests calls: they are no value yet. */
export async function checked({ text, problem, calls }: TalkAnswer, form: OutputForm): Promise<AnswerCheck | undefined> {
  if (!form.format || problem || calls.length > 0) return undefined;
  try {
    return { value: await outputOf(text, form) };
  } catch (error) {
    if (!isOutputError(error)) throw error;
    return { misfit: error };
  }
}
