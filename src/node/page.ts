import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type PageOptions, toResponse } from '../overlay/streams/to-response.ts';

export type { PageOptions };

/**
 * `toResponse` for `node:http` and Express: writes status, headers and events, and resolves when the response is over. A page that leaves ends the stream, and
 * with it the call to the service, also while the stream opens.
 *
 * Throws a ValidationError for wrong options, before the response begins.
 */
export async function pipeToResponse(stream: AsyncIterable<unknown>, response: ServerResponse, options: PageOptions): Promise<void> {
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
  // Only a page that left ends it with an error.
  await pipeline(body, response).catch(() => undefined);
}
