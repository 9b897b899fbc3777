// Whether a failed call may be billed, and the failures before it.
import type { ModelsvcError } from './errors.ts';
import { isApiError, isConnectionError, isModelsvcError } from './guards.ts';

/** Marks an error of a call that may be billed, though its last attempt was refused. All copies of the package share this symbol. */
const billed: symbol = Symbol.for('modelsvc.billed');

/** True if the service began to work in no attempt of the call, so that it is not billed: each was refused, or found no program at the port. */
export function wasRefused(error: unknown): error is ModelsvcError {
  if (!isModelsvcError(error) || error.partial !== undefined || billed in error) return false;
  return isApiError(error) || (isConnectionError(error) && isNoProgram(error.code));
}

/** Marks an error as one of a call that may be billed. */
export function markBilled(error: ModelsvcError): void {
  Object.defineProperty(error, billed, { value: true });
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
