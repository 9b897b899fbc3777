import { fileParserCreate, fileParserResult, fileParserSync, type Route } from '../../generated/routes.ts';
import type { ParserCreateRequest, ParserCreateResponse, ParserResult, ParserSyncRequest } from '../../generated/types.ts';
import { poll, type TaskState, type WaitOptions } from '../call/poll.ts';
import { requestJson } from '../call/request.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { textOf } from '../errors/json-value.ts';
import { type UploadOptions, uploadInput } from '../files/upload-request.ts';

/** What a parser job gives: the text itself, or a link to download the result. */
export type ParserFormat = 'text' | 'download_link' | (string & {});

/** Documents to text, for retrieval. Documented for the china host only. */
export class FileParser {
  readonly #settings: Settings;
  /** The failed state as a value: to a waiter it is the end of a task, not of a call. */
  readonly #polled = withoutFailedStatus(fileParserResult);

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Start turning a document into text; `result` or `wait` fetches the text by the reply's `task_id`. Send `file_type` always. Every call is billed. */
  async create(ctx: CallContext, request: ParserCreateRequest & UploadOptions): Promise<ParserCreateResponse> {
    return requestJson(this.#settings, fileParserCreate, ctx, () => uploadInput(request, { fallbackName: nameOf(request) }));
  }

  /**
   * Turn a document into text in one call. A document that cannot be parsed throws an ApiError. Every call is billed; give it time with
   * `withTimeout`, since the service answers when it is done.
   */
  async sync(ctx: CallContext, request: ParserSyncRequest & UploadOptions): Promise<ParserResult> {
    return requestJson(this.#settings, fileParserSync, ctx, () => uploadInput(request, { fallbackName: nameOf(request) }));
  }

  /** Ask once for the outcome of a job: `status` is `processing` until it ends. A job that failed throws an ApiError. */
  result(ctx: CallContext, taskId: string, format: ParserFormat): Promise<ParserResult> {
    return requestJson(this.#settings, fileParserResult, ctx, () => ({ parameters: { taskId, format_type: format } }));
  }

  /** Poll a job until it ends. A job that failed throws a TaskError. */
  wait(ctx: CallContext, taskId: string, format: ParserFormat, options: WaitOptions<ParserResult> = {}): Promise<ParserResult> {
    const operation = 'fileParser.wait';
    const settings = this.#settings;
    const fetchState = (bounded: CallContext): Promise<ParserResult> =>
      requestJson(settings, this.#polled, bounded, () => ({ parameters: { taskId, format_type: format } }), operation);
    return poll({ operation, id: taskId, settings, ctx, fetchState, judge: stateOf }, options);
  }
}

function withoutFailedStatus<Operation>({ failedStatus: _, ...route }: Route<Operation>): Route<Operation> {
  return route;
}

function stateOf(result: ParserResult): TaskState {
  const words = textOf(result.message);
  if (result.status === 'failed') return words === '' ? { failed: 'failed' } : { failed: 'failed', text: words };
  return result.status === 'succeeded' ? 'done' : 'running';
}

/** The service goes by the ending too. */
function nameOf(request: { readonly file_type?: unknown } | undefined): string | undefined {
  const kind = request?.file_type;
  return typeof kind === 'string' && /^\w+$/.test(kind) ? `file.${kind.toLowerCase()}` : undefined;
}
