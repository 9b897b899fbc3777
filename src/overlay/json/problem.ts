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
