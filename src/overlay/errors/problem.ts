import { ConfigError, ValidationError } from './errors.ts';

/** Why an input is wrong: the place and the problem. Checks throw it; the edge of the library turns it into the public error. */
export class Problem extends Error {
  /** Place in the input, for instance `messages[0].content`; empty for the input itself. */
  readonly path: string;
  /** The rest of the sentence, for instance `must be a string`. */
  readonly text: string;

  constructor(path: string, text: string, cause?: unknown) {
    super(`${path} ${text}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.text = text;
  }

  /** The same problem, seen from the input that holds this one. */
  within(prefix: string): Problem {
    return new Problem(this.path === '' ? prefix : `${prefix}.${this.path}`, this.text, this.cause);
  }
}

/** The result of `check`; its Problem becomes the ValidationError of the operation. */
export function validated<T>(operation: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? validationError(operation, error) : error;
  }
}

export function validationError(operation: string, { path, text, cause }: Problem): ValidationError {
  const error = new ValidationError(operation, path, text);
  // Not enumerable: the cause may be the caller's own and hold anything.
  if (cause !== undefined) Object.defineProperty(error, 'cause', { value: cause, enumerable: false });
  return error;
}

/** The result of `check`; its Problem becomes a ConfigError. */
export function configured<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Problem ? new ConfigError(`${error.path} ${error.text}`.trimStart()) : error;
  }
}
