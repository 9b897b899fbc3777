import { Problem } from '../json/problem.ts';
import { cleanText } from '../secrets/clean.ts';
import { ConfigError, ValidationError } from './errors.ts';

/** Runs `check`. Throws a Problem as a ValidationError of the operation. */
export function validated<T>(operation: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? validationError(operation, error) : error;
  }
}

/** The public error for a problem. Its texts are cleaned, because they may contain names of the caller's fields, and a name may be an API key. */
export function validationError(operation: string, { path, text, cause, advice }: Problem, secrets: readonly string[] = []): ValidationError {
  const clean = (words: string): string => cleanText(words, secrets, 2 * words.length);
  const error = new ValidationError(operation, clean(path), clean(text), advice);
  // Not enumerable: the cause may be an error of the caller and contain secrets.
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, enumerable: false });
  return error;
}

/** Runs `check`. Throws a Problem as a ConfigError. */
export function configured<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? configError(error) : error;
  }
}

/** The public error for a problem of a Config. */
function configError({ path, text, advice }: Problem): ConfigError {
  const clean = (words: string): string => cleanText(words, [], 2 * words.length);
  return new ConfigError(clean(text), undefined, clean(path), advice);
}
