// Texts of the library in words of the command line: its users set options where the texts name fields and functions.
import { type ConfigError, isModelsvcError, type ModelsvcError, type ValidationError } from 'modelsvc';
import { type Origins, originIn } from '../table/origin.ts';

/** Finds only the options of every command, for errors without a command. */
export const anyCommand: Origins = (field) => originIn({}, field);

/** An error of the library without its advice. The operation is left out unless it is a request that was typed, `POST /path`: users do not type `chat.create`. */
export function problemOf(error: ModelsvcError): string {
  const { summary, seeCause, cause } = error;
  const operation = 'operation' in error ? String(error.operation) : '';
  const start = /^[A-Z]+ /.test(operation) ? `${operation}: ` : '';
  const reason = seeCause && cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return `${start}${summary}${reason}`;
}

/** An error of the library in one sentence. */
export function wordsOf(error: ModelsvcError, origins: Origins): string {
  // The report has a next step for these.
  const advice = isModelsvcError(error, 'timeout', 'output') ? '' : inOptions(error.advice, origins);
  const separator = /^[a-z]/.test(advice) ? '; ' : '. ';
  return `${problemOf(error)}${advice === '' ? '' : separator + advice}`;
}

/** A problem with a value, for instance `--count must be at most 50, not 99`. Undefined if no option sets the field. */
export function fieldProblem({ path, problem, advice }: ConfigError | ValidationError, origins: Origins): string | undefined {
  const origin = origins(path);
  if (!origin) return undefined;
  const typed = origin.text === undefined ? '' : `, not ${origin.text}`;
  // Advice that names no option is for code.
  const step = inOptions(advice, origins);
  return `${origin.name} ${inOptions(problem, origins)}${typed}${step === '' || step === advice ? '' : `; ${step}`}`;
}

const switches: Readonly<Record<string, string>> = { true: 'on', false: 'off' };
const setEffort = /Replace [\w. ]+ with effort, for instance effort: 'low'/;

/**
 * The clauses of a text. Names with an option become the option. A clause that still names a field or function of the library is left out. So is
 * one about the bill, because the report ends with it.
 */
function inOptions(text: string, origins: Origins): string {
  const ofEffort = origins('effort');
  return (ofEffort ? text.replace(setEffort, `Pass ${ofEffort.name} low`) : text)
    .split(/(?<=[.;]) /)
    .map((clause) =>
      clause.replace(/\b([a-z]+(?:[A-Z]\w*|_[a-z]\w*))\b(?:: (true|false|\d+)\b)?/g, (text: string, name: string, value?: string) => {
        const option = origins(name)?.name;
        return option === undefined ? text : value === undefined ? option : `${option} ${switches[value] ?? value}`;
      }),
    )
    .filter((clause) => !/\b[a-z]+[A-Z]\w*\b|\bConfig\b|\berror\.[a-z]|\bbill(ed)?\b/.test(clause))
    .join(' ')
    .replace(/;$/, '');
}
