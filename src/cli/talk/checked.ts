// The output of an answer: its text, its first code block, or the value of its JSON once that was checked.
import { isModelsvcError, type OutputError } from 'modelsvc';
import { isCut } from './ending.ts';
import type { TalkAnswer } from './exchange.ts';
import { firstCodeBlock } from './extract.ts';
import type { AnswerOptions } from './question.ts';

export interface OutputForm extends Pick<AnswerOptions, 'format'> {
  /** Only the first code block. */
  readonly extract: boolean;
}

/** The output of an answer. Throws an OutputError if it does not fit, or the problem of the answer: one that was cut off is output as text alone. */
export async function outputOf({ text, problem }: Pick<TalkAnswer, 'text' | 'problem'>, { format, extract }: OutputForm): Promise<unknown> {
  // A part of JSON is not a value, also if it is valid.
  if (problem && (format || !isCut(problem))) throw problem;
  const given = extract ? (firstCodeBlock(text) ?? text) : text;
  return format ? format.parse(given) : given;
}

/** The value of the JSON that was asked for, or the reason why the answer has none. */
export type AnswerCheck = { readonly value: unknown } | { readonly misfit: OutputError };

/** Undefined if no JSON was asked for, and for an incomplete answer and one that requests calls: they are not values yet. */
export async function checked(answer: TalkAnswer, form: OutputForm): Promise<AnswerCheck | undefined> {
  if (!form.format || answer.calls.length > 0) return undefined;
  try {
    return { value: await outputOf(answer, form) };
  } catch (error) {
    if (isModelsvcError(error, 'finish')) return undefined;
    if (!isModelsvcError(error, 'output')) throw error;
    return { misfit: error };
  }
}
