import type { SurfacePaths } from '../generated/routes.ts';
import type { AsyncResult } from '../generated/types.ts';
import type { Bindings } from './call/operations/bindings.ts';
import { bindingsClient } from './call/operations/bindings.ts';
import type { WaitOptions } from './call/operations/poll.ts';
import type { Received } from './call/reply/response-info.ts';
import { changedSettings, resolveConfig, type Settings } from './call/settings/settings.ts';
import { type Config, configFromEnv } from './config.ts';
import { type CallContext, type Called, contextFirst } from './context.ts';
import { ConfigError } from './errors/errors.ts';
import type { GateState } from './errors/gate-state.ts';
import type { BinaryReply } from './files/binary.ts';
import { openLink } from './files/link.ts';
import { formInput } from './files/upload-request.ts';
import { newBudget } from './monitor/budget.ts';
import { Account } from './services/account.ts';
import { Agents } from './services/agents.ts';
import { Audio } from './services/audio.ts';
import { Batches } from './services/batch.ts';
import { Chat } from './services/chat.ts';
import { Detection } from './services/detection.ts';
import { Embeddings } from './services/embeddings.ts';
import { FileParser } from './services/file-parser.ts';
import { Files } from './services/files.ts';
import { Images } from './services/images.ts';
import { getAsyncResult, waitForResult } from './services/jobs.ts';
import { Layout } from './services/layout.ts';
import { Anthropic } from './services/messages.ts';
import { Models } from './services/models.ts';
import { Moderations } from './services/moderations.ts';
import { Quotas } from './services/quota.ts';
import { Rerank } from './services/rerank.ts';
import { Responses } from './services/responses.ts';
import { Usage } from './services/usage.ts';
import { Videos } from './services/videos.ts';
import { Voice } from './services/voice.ts';
import { Tools } from './services/web-tools.ts';

const parts = { makeBudget: newBudget };

/** A configured client of the service, with one accessor per service group. */
export class Client {
  readonly #settings: Settings;
  readonly #services = new Map<object, unknown>();

  /** Use `newClient`. */
  constructor(settings: Settings) {
    if ((settings as Settings | undefined)?.lifetime === undefined) throw new ConfigError('new Client: use newClient(config)');
    this.#settings = settings;
  }

  /** Chat completions on the OpenAI-style surface. */
  chat(): Chat {
    return this.#service(Chat);
  }

  /** The Anthropic-style message surface. */
  anthropic(): Anthropic {
    return this.#service(Anthropic);
  }

  /** The Responses surface. */
  responses(): Responses {
    return this.#service(Responses);
  }

  /** Limits and current use of the coding plan. Free calls. */
  quota(): Quotas {
    return this.#service(Quotas);
  }

  /** Summary of the plan and its use. Free calls. */
  usage(): Usage {
    return this.#service(Usage);
  }

  /** Detection of the kind of key: `detect` with free calls, `probeWithBilledChat` with billed ones. */
  detection(): Detection {
    return this.#service(Detection);
  }

  /** The account and its subscriptions. Free calls. */
  account(): Account {
    return this.#service(Account);
  }

  /** Ready-made agents, on the region's host. */
  agents(): Agents {
    return this.#service(Agents);
  }

  /** Text embeddings, on the china host. */
  embeddings(): Embeddings {
    return this.#service(Embeddings);
  }

  /** The model catalogue. */
  models(): Models {
    return this.#service(Models);
  }

  /** Content moderation, on the china host. */
  moderations(): Moderations {
    return this.#service(Moderations);
  }

  /** Ranking of documents by relevance. */
  rerank(): Rerank {
    return this.#service(Rerank);
  }

  /** Web search, page reader and tokenizer. */
  tools(): Tools {
    return this.#service(Tools);
  }

  /** Image generation from text. */
  images(): Images {
    return this.#service(Images);
  }

  /** Video generation from text and images, always as a job. */
  videos(): Videos {
    return this.#service(Videos);
  }

  /** Speech to text and text to speech. */
  audio(): Audio {
    return this.#service(Audio);
  }

  /** Voices for text-to-speech, including cloned ones. */
  voice(): Voice {
    return this.#service(Voice);
  }

  /** Text and layout blocks from images and PDF files. */
  layout(): Layout {
    return this.#service(Layout);
  }

  /** Text from documents, for retrieval. */
  fileParser(): FileParser {
    return this.#service(FileParser);
  }

  /** Stored files. */
  files(): Files {
    return this.#service(Files);
  }

  /** Batches of chat requests, processed asynchronously by the service. */
  batch(): Batches {
    return this.#service(Batches);
  }

  /** Poll a chat, image or video job once. Returns a failed job as a result; `waitForResult` throws a TaskError for it. */
  getAsyncResult(id: string): Promise<Received<AsyncResult>>;
  getAsyncResult(ctx: CallContext, id: string): Promise<Received<AsyncResult>>;
  getAsyncResult(...given: Called<[id: string]>): Promise<Received<AsyncResult>> {
    const [ctx, id] = contextFirst(given, given.length < 2);
    return getAsyncResult(this.#settings, ctx, id, 'getAsyncResult');
  }

  /**
   * Poll a chat, image or video job until it ends. A job that failed, expired or was canceled throws a TaskError, as does an empty status.
   * Unknown statuses count as running, so set `maxWait` to limit the total wait.
   *
   * @param wait Milliseconds between two polls, or options. Default: 1,000, growing to 10,000.
   *
   * @example
   * ```ts
   * const task = await c.images().generateAsync({ model: 'glm-image', prompt: 'A lighthouse in the rain' });
   * const result = await c.waitForResult(task.id, { interval: 2000, onState: (state) => console.log(state.task_status) });
   * console.log(result.image_result?.[0]?.url);
   * ```
   */
  waitForResult(id: string, wait?: number | WaitOptions<AsyncResult>): Promise<Received<AsyncResult>>;
  waitForResult(ctx: CallContext, id: string, wait?: number | WaitOptions<AsyncResult>): Promise<Received<AsyncResult>>;
  waitForResult(...given: Called<[id: string, wait?: number | WaitOptions<AsyncResult> | undefined]>): Promise<Received<AsyncResult>> {
    const [ctx, id, wait = {}] = contextFirst(given, given.length < 3 && typeof given[0] === 'string');
    return waitForResult(this.#settings, ctx, id, wait);
  }

  /**
   * Download the file at a link of a result: an image, a video or a document. Read the reply or call its `cancel()`. It uses the proxy, the
   * timeouts and the retries of the client. The host of the link gets neither a key nor `Config.headers`.
   *
   * Throws an ApiError if the host refuses the link, for instance because it has expired. Throws a ValidationError for a link that is not HTTP
   * or leads into a private network. The function `download` of `modelsvc/node` writes results to files.
   *
   * @example
   * const png = await (await c.fetchFile(image.data[0].url)).bytes();
   */
  fetchFile(link: string | URL): Promise<Received<BinaryReply>>;
  fetchFile(ctx: CallContext, link: string | URL): Promise<Received<BinaryReply>>;
  fetchFile(...given: Called<[link: string | URL]>): Promise<Received<BinaryReply>> {
    const [ctx, link] = contextFirst(given, given.length < 2);
    return openLink(this.#settings, ctx, link);
  }

  /**
   * The state of `Config.concurrency` for a model: the limit, the calls in flight and the waiting calls. For calls without a model pass the
   * name of the service. Undefined while there is no limit, and before the first call.
   */
  concurrency(model: string): GateState | undefined {
    const { gates, endpoints } = this.#settings;
    return gates?.state(Object.values(endpoints), model);
  }

  /**
   * Create a client with some fields of the Config changed; undefined resets a field to its default. It shares connections with this one,
   * but is closed on its own. Throws a ConfigError as `newClient` does.
   *
   * @example
   * const patient = client.with({ timeout: 120_000, maxRetries: 5 });
   */
  with(changes: { readonly [Field in keyof Config]?: Config[Field] | undefined }): Client {
    return new Client(changedSettings(this.#settings, changes as Partial<Config> | undefined, parts));
  }

  /**
   * Close the client. Calls in flight fail with an AbortError, later calls with a ConfigError, and idle sockets are closed. Other clients
   * that share these sockets open new ones. A process also exits without `close`, because idle sockets do not keep it running.
   */
  close(): Promise<void> {
    this.#settings.lifetime.close();
    this.#settings.transport.close();
    return Promise.resolve();
  }

  /** `close`, for `await using client = newClient(config)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Typed bindings of one surface, generated from the spec: call any operation by method and path, with the same key, retries and hooks,
   * but without request validation. As in openapi-fetch, a failed reply is returned as `error` and not thrown.
   * Forms are written as by the services. Bytes are an ArrayBuffer, which `parseAs: 'arrayBuffer'` types, unless `parseAs` selects another form.
   */
  bindings<S extends keyof SurfacePaths>(surface: S): Bindings<S> {
    return bindingsClient(this.#settings, surface, formInput);
  }

  #service<Service>(service: new (settings: Settings) => Service): Service {
    let made = this.#services.get(service) as Service | undefined;
    if (made === undefined) this.#services.set(service, (made = new service(this.#settings)));
    return made;
  }
}

/**
 * Create a client. Throws a ConfigError if `config` is invalid. No request is sent.
 *
 * @example
 * ```ts
 * const client = newClient({ apiKey: 'your-api-key', maxRetries: 1 });
 * const response = await client.chat().createSimple('glm-5.3', 'Write a haiku about rain.', { effort: 'low' });
 * console.log(response.choices[0]?.message.content);
 * ```
 */
export function newClient(config: Config): Client {
  return new Client(resolveConfig(config, parts));
}

/** Create a client from SVC_API_KEY and, if set, SVC_API_BASE_URL. No other variable is read. */
export function newClientFromEnv(): Client {
  return newClient(configFromEnv());
}
