import type { EffortInfo } from '../../hooks/hook.ts';
import { isObject } from '../../json/json-value.ts';
import { cleanToken } from '../../secrets/clean.ts';
import type { WireResponse } from '../../transport/transport.ts';
import type { Settings } from '../settings/settings.ts';

/** Facts about the exchange of a result. */
export interface ResponseInfo {
  /** Id of the request at the service, for support. */
  readonly requestId: string | undefined;
  readonly status: number;
  /** Response headers, built on first access. */
  readonly headers: Headers;
  /** Number of attempts, including the first. */
  readonly attempts: number;
  /** Milliseconds that the call waited for places of `Config.concurrency`, in all attempts. */
  readonly waitedMs: number;
  /** The body of a JSON reply, decompressed and otherwise as received. Undefined without `rawBody` in the context, and for streams and downloads. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** How the client translated the request's `effort`. Undefined if the request had none. */
  readonly effort: EffortInfo | undefined;
}

declare const received: unique symbol;

/** Optional, so that a plain `T` fits, for instance of a test double. */
interface ReceivedMark {
  readonly [received]?: never;
}

/** A result of a method of the client, for which `responseInfo` is never undefined. The mark exists only in the type. */
export type Received<T> = T & ReceivedMark;

/** The facts of a call that its info has. */
interface AskedCall {
  readonly secrets: readonly string[];
  readonly effort?: EffortInfo | undefined;
}

/** A class, because an object literal with a getter costs more than all other bookkeeping of a reply. */
export class ExchangeInfo implements ResponseInfo {
  readonly requestId: string | undefined;
  readonly status: number;
  readonly attempts: number;
  readonly waitedMs: number;
  readonly effort: EffortInfo | undefined;
  readonly #response: WireResponse;
  readonly #settings: Settings;
  #headers: Headers | undefined;
  /** Private, so that logging the info does not log an answer. */
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  constructor(response: WireResponse, attempts: number, waitedMs: number, { secrets, effort }: AskedCall, settings: Settings) {
    this.requestId = requestIdOf(response, secrets);
    this.status = response.status;
    this.attempts = attempts;
    this.waitedMs = waitedMs;
    this.effort = effort;
    this.#response = response;
    this.#settings = settings;
  }

  static settingsOf(info: ResponseInfo): Settings | undefined {
    return #settings in info ? info.#settings : undefined;
  }

  get headers(): Headers {
    this.#headers ??= this.#response.headers();
    return this.#headers;
  }

  get bytes(): Uint8Array<ArrayBuffer> | undefined {
    return this.#bytes;
  }

  /** Keeps a copy: a block of a socket can be part of a larger buffer. */
  keep(bytes: Uint8Array): void {
    this.#bytes = new Uint8Array(bytes);
  }
}

/** The settings of the client that received a result. Undefined for other objects, such as a result that was stored as JSON. */
export function settingsOf(result: object): Settings | undefined {
  const info = Informed.infoOf(result);
  return info && ExchangeInfo.settingsOf(info);
}

/** Read the request id: each surface has its own header, and gateways a third. It is cleaned because errors and hooks contain it. */
export function requestIdOf(response: WireResponse, secrets: readonly string[]): string | undefined {
  const id = response.header('x-log-id') ?? response.header('request-id') ?? response.header('x-request-id');
  return id && cleanToken(id, secrets);
}

/** Returns a given object as `this`, so that a subclass can add private fields to it, invisible to other code. */
const Given = function (this: object, target: object): object {
  return target;
} as unknown as new (
  target: object,
) => object;

/**
 * Keeps an object's info in a private field of the object. Not a WeakMap: every garbage collection scans its entries, which costs a busy
 * client a sixth of each call.
 */
class Informed extends Given {
  #info: ResponseInfo;

  constructor(target: object, info: ResponseInfo) {
    super(target);
    this.#info = info;
  }

  static remember(target: object, info: ResponseInfo): void {
    if (#info in target) target.#info = info;
    else new Informed(target, info);
  }

  static infoOf(target: object): ResponseInfo | undefined {
    return #info in target ? target.#info : undefined;
  }
}

export function rememberInfo<T extends object>(result: T, info: ResponseInfo): Received<T> {
  Informed.remember(result, info);
  return result;
}

/** Facts of a result; perhaps undefined for an object that is not marked as one. */
export type InfoOf<Result extends object> = typeof received extends keyof Result ? ResponseInfo : ResponseInfo | undefined;

/**
 * Request id, status, headers, attempts and effort of a result of this client. Undefined for other objects, for a copy of a result, and for a
 * stream before its first item. For a collected response or a `partial` it is about the stream, for an item of `listAll` about the page. An
 * ApiError has the facts of the refusal, a stream of tools of its last complete round. A response in a batch has request id and status of its line.
 */
export function responseInfo<Result extends object>(result: Result): InfoOf<Result>;
export function responseInfo(caught: unknown): ResponseInfo | undefined;
export function responseInfo(result: unknown): ResponseInfo | undefined {
  return isObject(result) ? Informed.infoOf(result) : undefined;
}
