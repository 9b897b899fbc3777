import { cleanText } from './clean.ts';
import { ConfigError, ValidationError } from './errors.ts';

/** The place of an invalid input and its problem. Checks throw it; the public methods convert it to a ValidationError or ConfigError. */
export class Problem extends Error {
  /** Place in the input, for instance `messages[0].content`; empty for the input itself. */
  readonly path: string;
  /** The broken rule, worded to follow `path`, for instance `must be a string`. */
  readonly text: string;
  /** Suggested next step; may be empty. */
  readonly advice: string;

  constructor(path: string, text: string, cause?: unknown, advice: string = '') {
    super(`${path} ${text}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.text = text;
    this.advice = advice;
  }

  /** The same problem with its path relative to the enclosing input. */
  within(prefix: string): Problem {
    return new Problem(this.path === '' ? prefix : `${prefix}.${this.path}`, this.text, this.cause, this.advice);
  }
}

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
    throw error instanceof Problem ? new ConfigError(error.text, undefined, error.path, error.advice) : error;
  }
}
