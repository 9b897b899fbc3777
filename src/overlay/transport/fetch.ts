import type { FetchInit, FetchLike } from '../config.ts';
import { inPage } from '../platform.ts';
import { IdleTimer } from './idle.ts';
import { type Slot, SocketLimit } from './socket-limit.ts';
import {
  type BodySink,
  type Exchange,
  encodingsOf,
  MisusedFetch,
  type Transport,
  TransportFailure,
  UnreadEncoding,
  type WireRequest,
  type WireResponse,
} from './transport.ts';

/** The transport over any fetch: the runtime's own, or `Config.httpClient`. */
export function fetchTransport(fetchLike: FetchLike, maxExchanges: number): Transport {
  const limit = new SocketLimit(maxExchanges);
  return { open: (request) => new FetchExchange(fetchLike, limit.enter(limit, request), request), close() {} };
}

class FetchExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  readonly #controller = new AbortController();
  readonly #slot: Slot;
  #began = false;
  isSent = false;
  #reason: Error | undefined;
  /** The limit of the response header. Undefined once the wait is over. */
  #bound: IdleTimer | undefined;
  #body: FetchBody | undefined;
  #stop!: (reason: Error) => void;

  constructor(fetchLike: FetchLike, slot: Slot, request: WireRequest) {
    this.#slot = slot;
    // A fetch that ignores its signal must not block the caller: the first to settle wins.
    this.response = new Promise((resolve, reject) => {
      this.#stop = reject;
      this.#start(fetchLike, request).then(resolve, reject);
    });
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#endWait();
    this.#stop(this.#reason);
    if (!this.#began) this.#slot.leave();
    this.#body?.fail(this.#reason);
    this.#controller.abort(this.#reason);
  }

  /** Waits for the slot, and releases it when the body is over or there is none. */
  async #start(fetchLike: FetchLike, request: WireRequest): Promise<WireResponse> {
    try {
      if (this.#slot.granted) await this.#slot.granted;
      this.#began = true;
      if (this.#reason) throw this.#reason;
      return await this.#open(fetchLike, request);
    } catch (error) {
      this.#slot.leave();
      throw error;
    }
  }

  async #open(fetchLike: FetchLike, request: WireRequest): Promise<WireResponse> {
    const upload = typeof request.body === 'object' ? request.body : undefined;
    const blob = upload && inBrowser() ? upload.blob?.() : undefined;
    // The progress of a Blob is unknown: its limit allows for 64 KB per second.
    const timeoutMs = request.timeoutMs > 0 && blob ? request.timeoutMs + blob.size / 64 : request.timeoutMs;
    this.#bound = new IdleTimer(timeoutMs, () => this.destroy(new TransportFailure('headers', undefined, { timeoutMs })));
    this.#bound.start();
    const init: FetchInit = {
      method: request.method,
      headers: { ...request.headers },
      signal: this.#controller.signal,
      redirect: 'manual',
    };
    if (typeof request.body === 'string') init.body = request.body;
    else if (upload) {
      init.body =
        (blob as unknown as ReadableStream<Uint8Array<ArrayBuffer>> | undefined) ??
        streamOf(upload.open(), {
          // The limit is for the service's silence, not for the size of the upload nor for the pauses of its source.
          waiting: () => this.#bound?.hold(),
          sending: () => this.#bound?.start(),
        });
      init.duplex = 'half';
      // Fetch uses chunked encoding unless it gets the length. Runtimes that forbid the header drop it silently.
      if (upload.contentLength !== undefined) init.headers = { ...request.headers, 'content-length': String(upload.contentLength) };
    }
    let answered = false;
    this.isSent = true;
    try {
      const response = (await fetchLike(request.url, init)) as Response;
      answered = true;
      if (!isResponse(response)) throw new MisusedFetch('', response, 'it must resolve with a Response');
      if (this.#reason) {
        response.body?.cancel(this.#reason).catch(ignore);
        throw this.#reason;
      }
      this.#body = new FetchBody(response, this.#slot.leave);
      return this.#body;
    } catch (error) {
      if (answered) throw this.#reason ?? new TransportFailure('headers', error, { replied: true });
      const failure = refusal(error, request.url.startsWith('https:'));
      this.isSent = !unsentCodes.test(failure.code ?? '');
      throw this.#reason ?? failure;
    } finally {
      this.#endWait();
    }
  }

  /** Also for a fetch that ignores its signal: a timer would keep the process. */
  #endWait(): void {
    this.#bound?.stop();
    this.#bound = undefined;
  }
}

/** Not instanceof: polyfills and wrappers have classes of their own. */
function isResponse(value: unknown): value is Response {
  const { status, headers } = (value ?? {}) as Partial<Response>;
  return typeof status === 'number' && typeof headers?.get === 'function';
}

/** Codes for a response header that arrived but could not be parsed. */
const replyCodes = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/;

/** Codes for a request that found no connection: no program, or no host. */
const unsentCodes = /REFUSED$|^ENOTFOUND$|^EAI_|CONNECT_TIMEOUT$/i;

/** A rejected fetch does not report the phase; its code may imply it. */
function refusal(error: unknown, isSecure: boolean): TransportFailure {
  const { code = '' } = new TransportFailure('connect', error);
  if (replyCodes.test(code) || hasRead(error)) return new TransportFailure('headers', error, { replied: true });
  return new TransportFailure(wasOpen(error, isSecure) ? 'headers' : 'connect', error);
}

/** True if the connection broke after it was open. With TLS, a failed read or write may be part of the handshake. */
function wasOpen(error: unknown, isSecure: boolean): boolean {
  const { cause } = (error ?? {}) as { cause?: { syscall?: unknown; socket?: { bytesWritten?: unknown } } };
  return Number(cause?.socket?.bytesWritten) > 0 || (!isSecure && (cause?.syscall === 'read' || cause?.syscall === 'write'));
}

/**
 * Node's fetch reports the bytes read from a socket that the other side closed. On a reused socket they may belong to an earlier reply.
 * In doubt they count as part of this reply, because a wrong retry would bill the call twice.
 */
function hasRead(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { socket?: { bytesRead?: unknown } } };
  return Number(cause?.socket?.bytesRead) > 0;
}

/** Observes an upload: waiting for the source's next block, or for fetch to take one. */
interface UploadWatch {
  waiting(): void;
  sending(): void;
}

/** Browsers stream requests only over HTTP/2. */
function inBrowser(): boolean {
  return inPage() || 'importScripts' in globalThis;
}

function streamOf(blocks: AsyncIterable<Uint8Array>, watch: UploadWatch): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = blocks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      watch.waiting();
      const { done, value } = await iterator.next();
      watch.sending();
      if (done) controller.close();
      // The source may reuse its block while fetch still holds the one it got.
      else controller.enqueue(value.slice() as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

class FetchBody implements WireResponse {
  readonly status: number;
  readonly #response: Response;
  readonly #onOver: () => void;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #sink: BodySink | undefined;
  #resume: (() => void) | undefined;
  #paused = false;
  #over = false;
  /** Set once the body has failed; a later read fails with it. */
  #reason: Error | undefined;

  /** `onOver` is called once, when the body has ended or failed. */
  constructor(response: Response, onOver: () => void) {
    this.status = response.status;
    this.#response = response;
    this.#onOver = onOver;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  headers(): Headers {
    return this.#response.headers;
  }

  read(sink: BodySink): void {
    if (this.#reason) return sink.fail(this.#reason);
    this.#sink = sink;
    void this.#pump(sink);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#resume?.();
  }

  fail(reason: Error): void {
    if (this.#over) return;
    this.#end();
    this.#reason = reason;
    this.#resume?.();
    this.#sink?.fail(reason);
    // The body of a misused fetch may have no such method.
    const source: Partial<Pick<ReadableStream, 'cancel'>> | null = this.#reader ?? this.#response.body;
    source?.cancel?.(reason).catch(ignore);
  }

  async #pump(sink: BodySink): Promise<void> {
    try {
      const { body } = this.#response;
      let isFirst = true;
      if (body && !body.getReader) throw new MisusedFetch('a body that is ', body, 'the body of a Response is a ReadableStream');
      const reader = body?.getReader();
      this.#reader = reader;
      while (reader && !this.#over) {
        if (this.#paused)
          await new Promise<void>((resolve) => {
            this.#resume = resolve;
          });
        const { done, value } = await reader.read();
        if (this.#over) return;
        if (done) break;
        if (!ArrayBuffer.isView(value)) throw new MisusedFetch('a body with ', value, 'the body of a Response has only bytes');
        if (isFirst) refuseEncoded(this.header('content-encoding'), value);
        isFirst = false;
        sink.block(value);
      }
      if (this.#over) return;
      this.#end();
      sink.end();
    } catch (error) {
      const failure = new TransportFailure('body', error);
      // Codes of zlib and brotli for bytes that they cannot have made.
      const isGarbled = /^(Z_DATA|ERR__ERROR)/.test(failure.code ?? '');
      this.fail(isGarbled ? new TransportFailure('body', new UnreadEncoding(String(this.header('content-encoding')), error)) : failure);
    }
  }

  #end(): void {
    this.#over = true;
    this.#onOver();
  }
}

/** Throws for bytes that this fetch left encoded. Every fetch undoes gzip, br and deflate; some leave zstd, which begins with the bytes 28 b5 2f fd. */
function refuseEncoded(header: string | undefined, { 0: first, 1: second }: Uint8Array): void {
  const isLeft = (encoding: string): boolean =>
    encoding === 'zstd' ? first === 0x28 && second === 0xb5 : !/^(x-)?gzip$|^br$|^deflate$/.test(encoding);
  const left = encodingsOf(header).find(isLeft);
  if (left !== undefined) throw new UnreadEncoding(left);
}

function ignore(): void {}
