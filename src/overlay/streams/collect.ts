import { rememberInfo, responseInfo } from '../call/reply/response-info.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { validationError } from '../errors/problem.ts';
import { Problem } from '../json/problem.ts';

/** Assembles the items of a stream into the response that `create` would return. */
export interface Assembler<Item, Response> {
  add(item: Item): void;
  /** The response so far. With `keepMalformed` it does not throw for a malformed tool call. */
  assembled(keepMalformed?: boolean): Response;
  /** The response so far; undefined before it has begun. */
  readonly partial: Response | undefined;
}

/** The last response of streams with the items of several responses, as in tool loops. */
export const lastResponses: WeakMap<object, () => unknown> = new WeakMap();

/** Throws for a stream of a tool loop, whose responses would be mixed into one. */
export function checkOneResponse(operation: string, stream: object): void {
  if (!lastResponses.has(stream)) return;
  throw validationError(operation, new Problem('the stream', 'has the responses of several rounds: read it, then use toolRun(stream)'));
}

/** Gives a response the info of the stream that it was assembled from. */
export function informed<Response extends object>(response: Response, stream: object): Response {
  const info = responseInfo(stream);
  return info ? rememberInfo(response, info) : response;
}

/** Adds the response so far to an error of this package. Not enumerable, so that logging the error does not log content. */
export function withPartial(error: unknown, assembler: Assembler<never, object> | undefined, stream: object): unknown {
  const value = assembler?.partial;
  if (value === undefined || !isModelsvcError(error)) return error;
  return Object.defineProperty(error, 'partial', { value: informed(value, stream), configurable: true });
}
