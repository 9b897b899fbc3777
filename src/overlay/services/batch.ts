import { batchCancel, batchCreate, batchList, batchRetrieve } from '../../generated/routes.ts';
import type { Batch, BatchCreateRequest, BatchList } from '../../generated/types.ts';
import { type BatchRequest, batchEndpoint, customIds, inputFile, inputLine, maxLines } from '../batch/input.ts';
import { type BatchResult, readResults } from '../batch/output.ts';
import { batchJudge, lacksFile, patient } from '../batch/state.ts';
import { perform } from '../call/operation.ts';
import { pagesOf } from '../call/operations/pages.ts';
import { checkWait, poll, type WaitOptions, waitFields } from '../call/operations/poll.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Extensible } from '../call/request/extensible.ts';
import { filtered, type QueryOf } from '../call/request/input.ts';
import { isQuery } from '../call/request/parameters.ts';
import type { Settings } from '../call/settings/settings.ts';
import { type CallContext, type Called, contextFirst, fieldsOfContext } from '../context.ts';
import { TaskError } from '../errors/answer-errors.ts';
import { type ModelsvcError, ReplyError } from '../errors/errors.ts';
import { validated } from '../errors/problem.ts';
import { raiseBilled } from '../errors/refusal.ts';
import { isFields, labelOf, textOf } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { cleanToken, secretsOf } from '../secrets/clean.ts';
import { Files } from './files.ts';

/** One page of batches. */
export type BatchQuery = QueryOf<'batch.list'>;

/** Options of `start`. */
export interface BatchStartOptions {
  /** Metadata that the service returns with the batch: up to 16 entries, keys of up to 64 and values of up to 512 characters. */
  readonly metadata?: Record<string, string> | undefined;
  /** Let the service delete the input file when it is done with it. Default: true, set by the service. */
  readonly auto_delete_input_file?: boolean | undefined;
  /** Name of the input file at the service. Choose one by which you find it again. Default: `requests.jsonl`. */
  readonly filename?: string | undefined;
  /**
   * Send the creation once, whatever `maxRetries` is: if its reply is lost, a batch may exist, and a retry would create a second one. The
   * upload before it is retried. Default: false.
   */
  readonly createOnce?: boolean | undefined;
}

/** Options of `run`. */
export interface BatchRunOptions extends BatchStartOptions, WaitOptions<Batch> {
  /** Called with the id of the new batch, and awaited. Store the id to `resume` after a crash. If it fails, `run` fails, but the batch continues. */
  readonly onCreated?: ((id: string) => unknown) | undefined;
  /**
   * Id of a batch that an earlier `run` or `start` created from the same requests. `run` then only waits for it and fetches its results. Of the
   * requests it reads only the custom ids.
   */
  readonly resume?: string | undefined;
}

const startFields: KnownFields<BatchStartOptions> = { metadata: 1, auto_delete_input_file: 1, filename: 1, createOnce: 1 };
const runFields: KnownFields<BatchRunOptions> = { ...waitFields, ...startFields, onCreated: 1, resume: 1 };

/** Result of `run`. */
export interface BatchOutcome {
  /** The batch after its end; `status` is `completed`, `expired` or `cancelled`. */
  readonly batch: Batch;
  /** One result per request, in the order of the requests. */
  readonly results: BatchResult[];
  /** Results in the files whose custom id is not among the requests. */
  readonly unmatched: BatchResult[];
  /** Number of lines in the files that are not JSON or have no custom id. */
  readonly unreadable: number;
}

/** Batches of chat requests, processed asynchronously by the service. Documented for the china host only: set `baseURL` to it. */
export class Batches {
  /** The largest number of requests in one batch. */
  readonly maxRequests: number = maxLines;
  readonly #settings: Settings;
  readonly #files: Files;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#files = new Files(settings);
  }

  /** Start a batch from a file uploaded with purpose `batch`. Another call starts another batch, which is billed too. */
  create<Names extends PropertyKey = never>(request: Extensible<BatchCreateRequest, Names>): Promise<Received<Batch>>;
  create<Names extends PropertyKey = never>(ctx: CallContext, request: Extensible<BatchCreateRequest, Names>): Promise<Received<Batch>>;
  create(...given: Called<[request: BatchCreateRequest]>): Promise<Received<Batch>> {
    const [ctx, request] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, batchCreate, ctx, () => ({ body: request }));
  }

  /** Retrieve a batch. Returns a failed batch as a result; `wait` throws a TaskError for it. */
  retrieve(id: string): Promise<Received<Batch>>;
  retrieve(ctx: CallContext, id: string): Promise<Received<Batch>>;
  retrieve(...given: Called<[id: string]>): Promise<Received<Batch>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    return this.#retrieve(batchRetrieve.id, ctx, id);
  }

  /**
   * Validate chat requests like `run`, upload them and create a batch of them. Another call starts another batch, which is billed too. Fetch
   * the results later, also in another process, by `run` with the id as `resume`.
   */
  start(requests: readonly BatchRequest[], options?: BatchStartOptions): Promise<Received<Batch>>;
  start(ctx: CallContext, requests: readonly BatchRequest[], options?: BatchStartOptions): Promise<Received<Batch>>;
  async start(...given: Called<[requests: readonly BatchRequest[], options?: BatchStartOptions | undefined]>): Promise<Received<Batch>> {
    const [ctx, requests, options = {}] = contextFirst(given, given.length < 3 && Array.isArray(given[0]) && !Array.isArray(given[1]));
    const file = validated('batch.start', () => {
      checkFields(options, startFields, 'options', 'must be an object of options');
      return inputFile(requests, customIds(requests), this.#settings, options.filename);
    });
    return this.#start('batch.start', ctx, file, options);
  }

  /**
   * The line of a request in the input file of a batch, with its line feed. The request needs a `custom_id`. It is validated like a request of
   * `run`, and not sent. For input files that are written line by line: upload them with `files().upload` and purpose `batch`.
   */
  inputLine(request: BatchRequest): string {
    return validated('batch.inputLine', () => inputLine(request, this.#settings));
  }

  /** One page of batches. While `has_more` is true, pass `last_id` as `after` for the next page; `listAll` does this. */
  list(query?: BatchQuery): Promise<Received<BatchList>>;
  list(ctx: CallContext, query?: BatchQuery): Promise<Received<BatchList>>;
  list(...given: Called<[query?: BatchQuery | undefined]>): Promise<Received<BatchList>> {
    const [ctx, query = {}] = contextFirst(given, given.length === 1 && isQuery(batchList, given[0]));
    return requestJson(this.#settings, batchList, ctx, () => ({ parameters: filtered(query) }));
  }

  /** All batches, one page at a time as needed: `for await (const batch of c.batch().listAll(ctx))`. */
  listAll(query?: BatchQuery): AsyncGenerator<Received<Batch>, void, undefined>;
  listAll(ctx: CallContext, query?: BatchQuery): AsyncGenerator<Received<Batch>, void, undefined>;
  listAll(...given: Called<[query?: BatchQuery | undefined]>): AsyncGenerator<Received<Batch>, void, undefined> {
    const [ctx, query = {}] = contextFirst(given, given.length === 1 && isQuery(batchList, given[0]));
    return pagesOf(batchList.id, ctx, query?.after, async (within, after) => {
      const page = await this.list(within, after === undefined ? query : { ...query, after });
      const items = (page.data ?? []).filter(isFields);
      return { items, reply: page, next: page.has_more ? textOf(page.last_id) || textOf(items.at(-1)?.id) : undefined };
    });
  }

  /** Cancel a batch: its status is first `cancelling`, later `cancelled`. Requests finished before keep their results and are billed. */
  cancel(id: string): Promise<Received<Batch>>;
  cancel(ctx: CallContext, id: string): Promise<Received<Batch>>;
  cancel(...given: Called<[id: string]>): Promise<Received<Batch>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    return requestJson(this.#settings, batchCancel, ctx, () => ({ parameters: { batch_id: id } }));
  }

  /**
   * Poll a batch until it ends. Returns a batch that is `completed`, `expired` or `cancelled`: check `status`, because the last two have
   * only some of the results. `failed` and an empty status throw a TaskError. A batch may end before the ids of its files are there: a few more polls
   * look for them. Polling continues on unknown statuses and after up to ten polls in a row without a reply.
   *
   * @param wait Milliseconds between two polls, or options. Default: 1,000, growing to 10,000.
   */
  wait(id: string, wait?: number | WaitOptions<Batch>): Promise<Received<Batch>>;
  wait(ctx: CallContext, id: string, wait?: number | WaitOptions<Batch>): Promise<Received<Batch>>;
  wait(...given: Called<[id: string, wait?: number | WaitOptions<Batch> | undefined]>): Promise<Received<Batch>> {
    const [ctx, id, wait = {}] = contextFirst(given, given.length < 3 && typeof given[0] === 'string');
    return this.#wait('batch.wait', ctx, id, wait);
  }

  /**
   * Run chat requests as one batch and return a result for each. `run` uploads the requests, creates the batch, waits like `wait`, and joins
   * the result files to the requests by custom id. A failed request is an `error` in its own result and does not affect the others.
   *
   * Every request is validated before sending, as in `chat().create`: an error's path begins with `requests[3].body`. The limit is 50,000
   * requests and 100 MB. If the counts of an ended batch are without any result, `run` throws a ReplyError: pass the id as `resume` later. A batch
   * that expired or was canceled returns the results it has. To survive a crash of this process, store the id that `onCreated` gets and pass it as
   * `resume`, with the same requests.
   *
   * For small sets, or results within minutes, use `mapCalls` with `Config.concurrency`.
   *
   * @example
   * ```ts
   * const bodies = ['rain', 'snow'].map((word) => ({ model: 'glm-5.1', effort: 'low' as const, messages: [{ role: 'user', content: `A haiku about ${word}` }] }));
   * const { results } = await c.batch().run(bodies.map((body) => ({ body })));
   * for (const { custom_id, response, error } of results) console.log(custom_id, response?.choices[0]?.message.content ?? error);
   * ```
   */
  run(requests: readonly BatchRequest[], options?: BatchRunOptions): Promise<BatchOutcome>;
  run(ctx: CallContext, requests: readonly BatchRequest[], options?: BatchRunOptions): Promise<BatchOutcome>;
  run(...given: Called<[requests: readonly BatchRequest[], options?: BatchRunOptions | undefined]>): Promise<BatchOutcome> {
    const [ctx, requests, options = {}] = contextFirst(given, given.length < 3 && Array.isArray(given[0]) && !Array.isArray(given[1]));
    return perform(this.#settings, 'batch.run', 'batch.run', ctx, (within) => this.#run('batch.run', within, requests, options));
  }

  async #run(operation: string, ctx: CallContext, requests: readonly BatchRequest[], options: BatchRunOptions): Promise<BatchOutcome> {
    const { ids, file } = validated(operation, () => {
      checkWait(options, runFields);
      const ids = customIds(requests);
      return { ids, file: options.resume === undefined ? inputFile(requests, ids, this.#settings, options.filename) : undefined };
    });
    let id = options.resume as string;
    if (file) {
      id = (await this.#start(operation, ctx, file, options)).id;
      await options.onCreated?.(id);
    }
    const { onCreated: _1, resume: _2, metadata: _3, auto_delete_input_file: _4, filename: _5, createOnce: _6, ...wait } = options;
    try {
      const batch = await this.#wait(operation, ctx, id, wait);
      return await this.#collect(operation, ctx, batch, ids);
    } catch (error) {
      throw file ? raiseBilled(error, 'yes') : error;
    }
  }

  async #start(operation: string, ctx: CallContext, lines: File, options: BatchStartOptions): Promise<Received<Batch>> {
    // Before the upload, which would be in vain.
    this.#settings.purse?.refuseBatch(operation);
    const { metadata, auto_delete_input_file: autoDelete, createOnce } = options;
    const file = await this.#files.upload(ctx, { file: lines, purpose: 'batch' });
    const body: BatchCreateRequest = {
      input_file_id: file.id,
      endpoint: batchEndpoint,
      // Absent from the current description, but older servers require it.
      completion_window: '24h',
      ...(metadata && { metadata }),
      ...(autoDelete !== undefined && { auto_delete_input_file: autoDelete }),
    };
    const creation = createOnce ? { ...fieldsOfContext(ctx), maxRetries: 0 } : ctx;
    return requestJson(this.#settings, batchCreate, creation, () => ({ body }), operation);
  }

  #retrieve(operation: string, ctx: CallContext, id: string): Promise<Received<Batch>> {
    return requestJson(this.#settings, batchRetrieve, ctx, () => ({ parameters: { batch_id: id } }), operation);
  }

  #wait(operation: string, ctx: CallContext, id: string, wait: number | WaitOptions<Batch>): Promise<Received<Batch>> {
    const fetchState = patient((bounded) => this.#retrieve(operation, bounded, id));
    return poll({ operation, id, settings: this.#settings, ctx, fetchState, judge: batchJudge() }, wait);
  }

  async #collect(operation: string, ctx: CallContext, batch: Batch, ids: readonly string[]): Promise<BatchOutcome> {
    const found = new Map<string, BatchResult>();
    const secrets = secretsOf(this.#settings, fieldsOfContext(ctx).headers);
    let unreadable = 0;
    // The id of a missing file is an empty string.
    for (const fileId of [batch.output_file_id, batch.error_file_id]) {
      if (typeof fileId !== 'string' || fileId === '') continue;
      const content = await this.#files.content(ctx, fileId);
      unreadable += await readResults(content, found, {
        operation,
        surface: batchCreate.surface,
        secrets,
        maxLineLength: this.#settings.maxReplyBytes,
      });
    }
    if (found.size + unreadable === 0 && batch.status === 'completed' && lacksFile(batch)) throw missing(operation, batch, secrets, 'lines yet');
    const results = ids.map((id): BatchResult => {
      const result = found.get(id) ?? { custom_id: id, error: missing(operation, batch, secrets) };
      found.delete(id);
      return result;
    });
    return { batch, results, unmatched: [...found.values()], unreadable };
  }
}

/** Error for a request without a result. */
function missing(operation: string, batch: Batch, secrets: readonly string[], what = 'line for this request'): ModelsvcError {
  const [id, status] = [cleanToken(labelOf(batch.id), secrets), cleanToken(textOf(batch.status), secrets)];
  if (status === 'completed') return new ReplyError(operation, 'truncated', `the result files of batch ${id} have no ${what}`);
  return new TaskError(operation, id, status, batch, `batch ${id} ended with status ${status} before this request was done`);
}
