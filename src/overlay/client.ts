import type { SurfacePaths } from '../generated/routes.ts';
import type { AsyncResult } from '../generated/types.ts';
import type { Bindings } from './call/bindings.ts';
import { bindingsClient } from './call/bindings-client.ts';
import type { WaitOptions } from './call/poll.ts';
import { type Config, configFromEnv, resolveConfig, type Settings } from './config.ts';
import type { CallContext } from './context.ts';
import { Account } from './services/account.ts';
import { Agents } from './services/agents.ts';
import { Anthropic } from './services/anthropic.ts';
import { Audio } from './services/audio.ts';
import { BatchService } from './services/batch.ts';
import { Chat } from './services/chat.ts';
import { Detection } from './services/detection.ts';
import { Embeddings } from './services/embeddings.ts';
import { FileParser } from './services/file-parser.ts';
import { Files } from './services/files.ts';
import { Images } from './services/images.ts';
import { getAsyncResult, waitForResult } from './services/jobs.ts';
import { Layout } from './services/layout.ts';
import { Models } from './services/models.ts';
import { Moderations } from './services/moderations.ts';
import { QuotaService } from './services/quota.ts';
import { Rerank } from './services/rerank.ts';
import { Usage } from './services/usage.ts';
import { Videos } from './services/videos.ts';
import { Voice } from './services/voice.ts';
import { Tools } from './services/web-tools.ts';

/** The configured entry to the service: one accessor per service group. */
export class Client {
  readonly #settings: Settings;
  #chat: Chat | undefined;
  #anthropic: Anthropic | undefined;
  #images: Images | undefined;
  #videos: Videos | undefined;
  #audio: Audio | undefined;
  #voice: Voice | undefined;
  #layout: Layout | undefined;
  #fileParser: FileParser | undefined;
  #files: Files | undefined;
  #quota: QuotaService | undefined;
  #usage: Usage | undefined;
  #detection: Detection | undefined;
  #account: Account | undefined;
  #agents: Agents | undefined;
  #embeddings: Embeddings | undefined;
  #models: Models | undefined;
  #moderations: Moderations | undefined;
  #rerank: Rerank | undefined;
  #tools: Tools | undefined;
  #batch: BatchService | undefined;

  /** Use `newClient`. */
  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Chat completions on the OpenAI-style surface. */
  chat(): Chat {
    this.#chat ??= new Chat(this.#settings);
    return this.#chat;
  }

  /** The Anthropic-style message surface. */
  anthropic(): Anthropic {
    this.#anthropic ??= new Anthropic(this.#settings);
    return this.#anthropic;
  }

  /** What the coding plan allows and what is used of it. Free calls. */
  quota(): QuotaService {
    this.#quota ??= new QuotaService(this.#settings);
    return this.#quota;
  }

  /** The plan at a glance. Free calls. */
  usage(): Usage {
    this.#usage ??= new Usage(this.#settings);
    return this.#usage;
  }

  /** What kind of key this is: `detect` by free calls, `probeWithBilledChat` by billed ones. */
  detection(): Detection {
    this.#detection ??= new Detection(this.#settings);
    return this.#detection;
  }

  /** The account and its subscriptions. Free calls. */
  account(): Account {
    this.#account ??= new Account(this.#settings);
    return this.#account;
  }

  /** Ready-made agents, on the region's host. */
  agents(): Agents {
    this.#agents ??= new Agents(this.#settings);
    return this.#agents;
  }

  /** Text as vectors, on the china host. */
  embeddings(): Embeddings {
    this.#embeddings ??= new Embeddings(this.#settings);
    return this.#embeddings;
  }

  /** The model catalogue. */
  models(): Models {
    this.#models ??= new Models(this.#settings);
    return this.#models;
  }

  /** Checks of content for risks, on the china host. */
  moderations(): Moderations {
    this.#moderations ??= new Moderations(this.#settings);
    return this.#moderations;
  }

  /** Documents ordered by relevance. */
  rerank(): Rerank {
    this.#rerank ??= new Rerank(this.#settings);
    return this.#rerank;
  }

  /** Web search, page reader and tokenizer. */
  tools(): Tools {
    this.#tools ??= new Tools(this.#settings);
    return this.#tools;
  }

  /** Pictures from text. */
  images(): Images {
    this.#images ??= new Images(this.#settings);
    return this.#images;
  }

  /** Video clips from text and pictures; always jobs. */
  videos(): Videos {
    this.#videos ??= new Videos(this.#settings);
    return this.#videos;
  }

  /** Speech to text and text to speech. */
  audio(): Audio {
    this.#audio ??= new Audio(this.#settings);
    return this.#audio;
  }

  /** Voices for text-to-speech, cloned ones too. */
  voice(): Voice {
    this.#voice ??= new Voice(this.#settings);
    return this.#voice;
  }

  /** Text and blocks out of pictures and PDF files. */
  layout(): Layout {
    this.#layout ??= new Layout(this.#settings);
    return this.#layout;
  }

  /** Documents to text, for retrieval. */
  fileParser(): FileParser {
    this.#fileParser ??= new FileParser(this.#settings);
    return this.#fileParser;
  }

  /** Stored files. */
  files(): Files {
    this.#files ??= new Files(this.#settings);
    return this.#files;
  }

  /** Batches of chat requests, worked off by the service at its own pace. */
  batch(): BatchService {
    this.#batch ??= new BatchService(this.#settings);
    return this.#batch;
  }

  /** Poll a chat, image or video job once. A failed job is a result here; `waitForResult` throws it. */
  getAsyncResult(ctx: CallContext, id: string): Promise<AsyncResult> {
    return getAsyncResult(this.#settings, ctx, id, 'getAsyncResult');
  }

  /**
   * Poll a chat, image or video job until it ends. A job that fails throws a TaskError.
   *
   * @param wait Milliseconds between two polls, or options. Default: 1,000, growing to 10,000.
   */
  waitForResult(ctx: CallContext, id: string, wait: number | WaitOptions<AsyncResult> = {}): Promise<AsyncResult> {
    return waitForResult(this.#settings, ctx, id, typeof wait === 'number' ? { interval: wait } : wait);
  }

  /**
   * End the client: calls under way fail with an AbortError, later ones with a ConfigError, and idle sockets are closed. Clients with equal
   * settings share their sockets; the others open new ones. A process also ends without `close`, since idle sockets do not hold it.
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
   * Typed bindings of one surface, straight from the spec: any operation by method and path, through the same key, retries and hooks,
   * without request validation. As openapi-fetch has it, a failed reply is `error`, not a throw.
   */
  bindings<S extends keyof SurfacePaths>(surface: S): Bindings<S> {
    return bindingsClient(this.#settings, surface);
  }
}

/** A client for `config`. Throws a ConfigError when it is wrong; nothing is sent. */
export function newClient(config: Config): Client {
  return new Client(resolveConfig(config));
}

/** A client for SVC_API_KEY and, if set, SVC_API_BASE_URL. No other variable is read. */
export function newClientFromEnv(): Client {
  return newClient(configFromEnv());
}
