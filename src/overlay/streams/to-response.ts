import { validated } from '../errors/problem.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { type PageCause, pageCauseOf, pageStatuses, retryAfterSeconds } from './page-status.ts';
import { checkedTime, type OpenedOptions, opened } from './read-ahead.ts';
import { eventBytes, failureData, type SSEOptions } from './to-sse.ts';

/** Options of `toResponse`. */
export interface ToResponseOptions extends Pick<SSEOptions, 'heartbeat'>, OpenedOptions {
  /**
   * Called with the error of a stream that failed, for your log, before the answer or within it; `false` for no log. An abort and a closed page
   * are not failures; a deadline of `AbortSignal.timeout` is one. The value that it returns is the body of the failed response, or the data
   * of the `error` event, as JSON. It may be asynchronous: the page waits for it, at most one second. Default, or for undefined: `{ error: { type, message } }` with the `kind` of the error, without its text.
   */
  readonly onError: ((error: unknown) => unknown) | false;
  /** Headers for the response, in addition to `content-type` and `cache-control`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const optionFields: KnownFields<ToResponseOptions> = { onError: 1, within: 1, heartbeat: 1, headers: 1 };

/**
 * The response of your server to its page: the events of `toSSE` with status 200, once the answer has begun or `within` has passed. A stream that fails before gets
 * the status that a page should see: for instance 429 with `Retry-After` for a rate limit, or 503 for an overload.
 * The guide of streaming has the table. The text of the service is never part of the response.
 *
 * Throws a ValidationError for wrong options. In a program of `node:http` or Express use `pipeToResponse` of `modelsvc/node`.
 *
 * @example
 * ```ts
 * const stream = c.chat().stream({ model: 'glm-5.3', effort: 'low', messages: [{ role: 'user', content: 'Hi' }] });
 * const response = await toResponse(textDeltas(stream), { onError: console.error });
 * console.log(response.status, await response.text());
 * ```
 */
export async function toResponse(stream: AsyncIterable<unknown>, options: ToResponseOptions): Promise<Response> {
  const { onError, within, heartbeat, headers } = validated('toResponse', () => checkedOptions(options));
  const report = onError && ((error: unknown): unknown => (pageCauseOf(error) === left ? undefined : onError(error)));
  let open: { readonly late: boolean };
  try {
    open = await opened(stream, { within });
  } catch (error) {
    return failed(error, report, headers);
  }
  const body = eventBytes(stream, heartbeat, report || undefined, open.late);
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', ...shared, ...headers } });
}

const left: PageCause = 'page left';
const shared = { 'cache-control': 'no-cache' };

async function failed(error: unknown, report: ToResponseOptions['onError'], headers: ToResponseOptions['headers']): Promise<Response> {
  const cause = pageCauseOf(error);
  const status = pageStatuses[cause];
  if (cause === left) return new Response(null, { status });
  const after = status === 429 || status === 503 ? retryAfterSeconds(error) : undefined;
  const body = await failureData(error, false, report || undefined);
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', ...shared, ...(after === undefined ? {} : { 'retry-after': after }), ...headers },
  });
}

interface CheckedResponseOptions extends Pick<ToResponseOptions, 'onError'> {
  readonly within: number;
  readonly heartbeat: number;
  readonly headers: Readonly<Record<string, string>>;
}

function checkedOptions(options: ToResponseOptions): CheckedResponseOptions {
  checkFields(options, optionFields, 'options');
  const { onError, within = 20_000, heartbeat = 15_000, headers = {} } = options;
  if (onError !== false && typeof onError !== 'function') throw new Problem('options.onError', 'must be a function, or false for no log');
  return { onError, within: checkedTime(within, 'options.within'), heartbeat: checkedTime(heartbeat, 'options.heartbeat'), headers };
}
