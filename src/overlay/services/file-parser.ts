import type { operations } from '../../generated/operations.ts';
import { fileParserCreate, fileParserResult, fileParserSync } from '../../generated/routes.ts';
import type { ParserCreateRequest, ParserCreateResponse, ParserResult, ParserSyncRequest } from '../../generated/types.ts';
import { explained, poll, polledRoute, statusState, type TaskState, type WaitOptions } from '../call/operations/poll.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import type { ParametersOf } from '../call/request/input.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst } from '../context.ts';
import { type UploadOptions, uploadInput } from '../files/upload-request.ts';

/** Form of a parser's result: the text itself, or a link to download it. */
export type ParserFormat = ParametersOf<operations['fileParser.result']>['format_type'];

/** Text from documents, for retrieval. Documented for the china host only. */
export class FileParser {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Start a job that extracts a document's text. Fetch the text with `result` or `wait` and the reply's `task_id`. Always send `file_type`.
   * Every call is billed.
   */
  create<Names extends PropertyKey = never>(request: Extensible<ParserCreateRequest & UploadOptions, Names>): Promise<Received<ParserCreateResponse>>;
  create<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ParserCreateRequest & UploadOptions, Names>,
  ): Promise<Received<ParserCreateResponse>>;
  create(...given: Called<[request: ParserCreateRequest & UploadOptions]>): Promise<Received<ParserCreateResponse>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, fileParserCreate, ctx, () => uploadInput(fileParserCreate, request, { fallbackName: nameOf(request) }));
  }

  /**
   * Extract a document's text in one call. Throws an ApiError if the document cannot be parsed. The service replies only when it is done:
   * raise `timeout` of the context. Every call is billed.
   */
  sync<Names extends PropertyKey = never>(request: Extensible<ParserSyncRequest & UploadOptions, Names>): Promise<Received<ParserResult>>;
  sync<Names extends PropertyKey = never>(
    ctx: CallContext,
    request: Extensible<ParserSyncRequest & UploadOptions, Names>,
  ): Promise<Received<ParserResult>>;
  sync(...given: Called<[request: ParserSyncRequest & UploadOptions]>): Promise<Received<ParserResult>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, fileParserSync, ctx, () => uploadInput(fileParserSync, request, { fallbackName: nameOf(request) }));
  }

  /** Poll a job once: `status` is `processing` until it ends. A failed job throws an ApiError. */
  result(taskId: string, format: ParserFormat): Promise<Received<ParserResult>>;
  result(ctx: CallContext, taskId: string, format: ParserFormat): Promise<Received<ParserResult>>;
  result(...given: Called<[taskId: string, format: ParserFormat]>): Promise<Received<ParserResult>> {
    const [ctx, taskId, format] = contextFirst(given, given.length < 3);
    return requestJson(this.#settings, fileParserResult, ctx, () => ({ parameters: { taskId, format_type: format } }));
  }

  /**
   * Poll a job until it ends. A failed job throws a TaskError.
   *
   * @param wait Milliseconds between two polls, or options. Default: 1,000, growing to 10,000.
   */
  wait(taskId: string, format: ParserFormat, wait?: number | WaitOptions<ParserResult>): Promise<Received<ParserResult>>;
  wait(ctx: CallContext, taskId: string, format: ParserFormat, wait?: number | WaitOptions<ParserResult>): Promise<Received<ParserResult>>;
  wait(
    ...given: Called<[taskId: string, format: ParserFormat, wait?: number | WaitOptions<ParserResult> | undefined]>
  ): Promise<Received<ParserResult>> {
    const [ctx, taskId, format, wait = {}] = contextFirst(given, given.length < 4 && typeof given[0] === 'string');
    const operation = 'fileParser.wait';
    const settings = this.#settings;
    const fetchState = (bounded: CallContext): Promise<ParserResult> =>
      requestJson(settings, polled, bounded, () => ({ parameters: { taskId, format_type: format } }), operation);
    return poll({ operation, id: taskId, settings, ctx, fetchState, judge: stateOf }, wait);
  }
}

const polled = polledRoute(fileParserResult, stateOf);

function stateOf(result: ParserResult): TaskState {
  return explained(statusState(result.status, 'succeeded'), result);
}

/** A name for a file without one, because the service also reads the extension. */
function nameOf(request: { readonly file_type?: unknown } | undefined): string | undefined {
  const kind = request?.file_type;
  return typeof kind === 'string' && /^\w+$/.test(kind) ? `file.${kind.toLowerCase()}` : undefined;
}
