import type { SurfacePaths } from '../generated/routes.ts';
import type { AsyncResult } from '../generated/types.ts';
import { getAsyncResult, waitForResult } from './async-result.ts';
import { type Bindings, openBindings } from './bindings.ts';
import { type Config, configFromEnv, resolveConfig, type Settings } from './config.ts';
import type { CallContext } from './context.ts';
import type { WaitOptions } from './poll.ts';
import { Anthropic } from './services/anthropic.ts';
import { Chat } from './services/chat.ts';

/** The configured entry to the service: one accessor per service group. */
export class Client {
  readonly #settings: Settings;
  #chat: Chat | undefined;
  #anthropic: Anthropic | undefined;

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
   * Typed bindings of one surface, straight from the spec: any operation by method and path, through the same key, retries and hooks,
   * without request validation. As openapi-fetch has it, a failed reply is `error`, not a throw.
   */
  bindings<S extends keyof SurfacePaths>(surface: S): Bindings<S> {
    return openBindings(this.#settings, surface);
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
