// Texts of the library in words of the command line. Its users have options in place of the fields and functions that the texts name.
import { ApiError, isTimeoutError, type ModelsvcError } from 'modelsvc';
import { type Origins, originIn } from '../table/origin.ts';

/** The origins if the command is not known: the options of every command. */
export const anyCommand: Origins = (field) => originIn({}, field);

/** The message of an error of the library. */
export function messageOf(error: ModelsvcError, origins: Origins): string {
  const { message, cause } = error;
  // The advice about a timeout follows in a sentence of its own; the report has a next step in its place.
  if (isTimeoutError(error)) return message.split('. ', 1)[0] ?? '';
  if (error instanceof ApiError) {
    // The text of the service stays as it is. The library adds its advice after it.
    const said = new ApiError({ ...error, advice: '' }).message;
    return [said, ...inOptions(error.advice, origins)].join(' ');
  }
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  // The first clause begins with the operation, which stays: `chat.create` is in the API reference. A function such as `waitForResult` is not.
  const [first = '', ...rest] = clausesOf(message.replace(' (see cause)', () => reason).replace(/^[a-z]+[A-Z]\w*: /, ''));
  return [first, ...inOptions(rest.join(' '), origins)].join(' ').replace(/;$/, '');
}

/** A problem with a value, for instance `--count must be at most 50, not 99`. Undefined if no option sets the field. */
export function fieldProblem(field: string, problem: string, origins: Origins): string | undefined {
  const origin = origins(field);
  if (!origin) return undefined;
  // The library counts milliseconds; options have units.
  const text = inOptions(problem.replace('a number of milliseconds, from', 'a duration from'), origins).join(' ');
  return `${origin.name} ${text}${origin.text === undefined ? '' : `, not ${origin.text}`}`;
}

/** The clauses of a text. Names with an option become the option. A clause that still names a field or function of the library is left out. */
function inOptions(text: string, origins: Origins): string[] {
  if (text === '') return [];
  return clausesOf(text)
    .map((clause) => clause.replace(/\b[a-z]+(?:[A-Z]\w*|_[a-z]\w*)\b/g, (name) => origins(name)?.name ?? name))
    .filter((clause) => !/\b[a-z]+[A-Z]\w*\b|\bConfig\b/.test(clause));
}

function clausesOf(text: string): string[] {
  return text.split(/(?<=[.;]) /);
}
