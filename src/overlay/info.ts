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

const infos = new WeakMap<object, ResponseInfo>();

export function rememberInfo(result: object, info: ResponseInfo): void {
  infos.set(result, info);
}

/** Request id, status, headers and attempts of any result of this client; undefined for anything else, and for a stream before its first item. */
export function responseInfo(result: object): ResponseInfo | undefined {
  return infos.get(result);
}
