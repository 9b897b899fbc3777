// Whether a failed call is billed, and the failures before it.
import { type ModelsvcError, ReplyError } from './errors.ts';
import { isModelsvcError } from './guards.ts';
import type { Billed } from './message.ts';

/** The higher of two. */
export function higherOf(one: Billed, other: Billed): Billed {
  return one === 'yes' || other === 'no' ? one : other;
}

/** Writes it on an error, and returns the error. */
export function withBilled<E extends ModelsvcError>(error: E, billed: Billed): E {
  // Not an assignment, which would throw for an error that its user has frozen.
  Reflect.set(error, 'billed', billed);
  return error;
}

/** A reply of a free call that cannot be used. */
export function freeReplyError(operation: string, summary: string, advice: string): ReplyError {
  return withBilled(new ReplyError(operation, 'malformed', summary, undefined, advice), 'no');
}

/** Raises it on an error of this package, for what was sent before. Returns the error. */
export function raiseBilled<E>(error: E, before: Billed): E {
  return isModelsvcError(error) ? withBilled(error, higherOf(error.billed, before)) : error;
}

/** True for the code of a connection that no program accepted. Bun has a word of its own. */
export function isNoProgram(code: string | undefined): boolean {
  return code === 'ECONNREFUSED' || code === 'ConnectionRefused';
}

/** Keeps the failure of the attempt before on the error that ends the call. */
export function withPrevious(error: unknown, previous: ModelsvcError | undefined): void {
  if (previous && error !== previous && isModelsvcError(error)) Object.defineProperty(error, 'previous', { value: previous, configurable: true });
}

/** Keeps failures of earlier calls on an error, the newest first. One that the chain contains already is left out: a circle has no end. */
export function withFailures(error: unknown, newestFirst: readonly ModelsvcError[]): void {
  const linked = failuresOf(error);
  for (const failure of newestFirst) {
    const more = failuresOf(failure);
    if (more.some((one) => linked.includes(one))) continue;
    withPrevious(linked.at(-1), failure);
    linked.push(...more);
  }
}

/** An error, and each `previous` of it. */
function failuresOf(error: unknown): ModelsvcError[] {
  const chain: ModelsvcError[] = [];
  for (let one = error; isModelsvcError(one) && !chain.includes(one); one = one.previous) chain.push(one);
  return chain;
}
