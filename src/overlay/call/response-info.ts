import { cleanToken } from '../errors/clean.ts';
import type { WireResponse } from '../transport/transport.ts';

/** What is known of the exchange behind a result. */
export interface ResponseInfo {
  /** The service's id of the request, for support. */
  readonly requestId: string | undefined;
  readonly status: number;
  /** Response headers; built when asked for. */
  readonly headers: Headers;
  /** Attempts made, the first included. */
  readonly attempts: number;
}

/** A class, because an object literal with a getter costs more than the rest of a reply's bookkeeping together. */
class ExchangeInfo implements ResponseInfo {
  readonly requestId: string | undefined;
  readonly status: number;
  readonly attempts: number;
  readonly #response: WireResponse;
  #headers: Headers | undefined;

  constructor(response: WireResponse, attempts: number, secrets: readonly string[]) {
    this.requestId = requestIdOf(response, secrets);
    this.status = response.status;
    this.attempts = attempts;
    this.#response = response;
  }

  get headers(): Headers {
    this.#headers ??= this.#response.headers();
    return this.#headers;
  }
}

export function infoOf(response: WireResponse, attempts: number, secrets: readonly string[]): ResponseInfo {
  return new ExchangeInfo(response, attempts, secrets);
}

/** Each surface has its own header for it, and gateways a third. Cleaned: errors and hooks carry it. */
export function requestIdOf(response: WireResponse, secrets: readonly string[]): string | undefined {
  const id = response.header('x-log-id') ?? response.header('request-id') ?? response.header('x-request-id');
  return id && cleanToken(id, secrets);
}

/** Any object as `this`: what a class adds to it are private fields, which nobody sees. */
const Given = function (this: object, target: object): object {
  return target;
} as unknown as new (
  target: object,
) => object;

/**
 * Keeps an object's info in a private field of the object. A WeakMap does the same, but its entries are looked at in every garbage
 * collection, and cost a busy client a sixth of a call.
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

export function rememberInfo(result: object, info: ResponseInfo): void {
  Informed.remember(result, info);
}

/** Request id, status, headers and attempts of any result of this client; undefined for anything else, and for a stream before its first item. */
export function responseInfo(result: object): ResponseInfo | undefined {
  return typeof result === 'object' && result !== null ? Informed.infoOf(result) : undefined;
}
