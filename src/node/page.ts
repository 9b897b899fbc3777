import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { validationError } from '../overlay/errors/problem.ts';
import { fieldsOf } from '../overlay/json/json-value.ts';
import { Problem } from '../overlay/json/problem.ts';
import { type ToResponseOptions, toResponse } from '../overlay/streams/to-response.ts';

export type { ToResponseOptions };

/** The part of a ServerResponse of `node:http` that `pipeToResponse` uses. Express has the same. */
export interface PageReply {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(): unknown;
}

/**
 * `toResponse` for `node:http` and Express: writes status, headers and events, and resolves when the response is over. Closing the page ends the stream, and
 * with it the call to the service, also while the stream opens.
 *
 * Throws a ValidationError for wrong options, before the response begins.
 */
export async function pipeToResponse(stream: AsyncIterable<unknown>, response: PageReply, options: ToResponseOptions): Promise<void> {
  if (typeof fieldsOf(response)['writeHead'] !== 'function')
    throw validationError('pipeToResponse', new Problem('response', 'must be the response of a server of node:http'));
  const leave = (): void => {
    if (response.writableFinished) return;
    const { return: end } = stream as Partial<AsyncIterator<unknown>>;
    Promise.resolve(end?.call(stream)).catch(() => undefined);
  };
  response.once('close', leave);
  if (response.destroyed) leave();
  const { status, headers, body } = await toResponse(stream, options);
  response.writeHead(status, Object.fromEntries(headers));
  if (!body) return void response.end();
  // It fails only if the page was closed.
  await pipeline(body, response as object as Writable).catch(() => undefined);
}
