import type { FetchLike } from '../config.ts';
import { IdleTimer } from './idle.ts';
import { type BodySink, type Exchange, type Transport, TransportFailure, type WireRequest, type WireResponse } from './transport.ts';

/** The transport over any fetch: the runtime's own, or the one given as `Config.httpClient`. */
export function fetchTransport(fetchLike: FetchLike): Transport {
  return { open: (request) => new FetchExchange(fetchLike, request), close() {} };
}

class FetchExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  readonly #controller = new AbortController();
  #reason: Error | undefined;
  #body: FetchBody | undefined;
  #stop!: (reason: Error) => void;

  constructor(fetchLike: FetchLike, request: WireRequest) {
    // A fetch that ignores its signal must not hold the caller: whichever settles first wins.
    this.response = new Promise((resolve, reject) => {
      this.#stop = reject;
      this.#open(fetchLike, request).then(resolve, reject);
    });
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#stop(this.#reason);
    this.#body?.fail(this.#reason);
    this.#controller.abort(this.#reason);
  }

  async #open(fetchLike: FetchLike, request: WireRequest): Promise<WireResponse> {
    const upload = typeof request.body === 'object' ? request.body : undefined;
    const blob = upload && inBrowser() ? upload.blob?.() : undefined;
    // Nobody tells how far a Blob is: its bound allows for a line of 64 KB a second.
    const timeoutMs = request.timeoutMs > 0 && blob ? request.timeoutMs + blob.size / 64 : request.timeoutMs;
    let over = false;
    const bound = new IdleTimer(timeoutMs, () => this.destroy(new TransportFailure('headers', undefined, { timeoutMs })));
    bound.start();
    const init: RequestInit & { duplex?: 'half' } = {
      method: request.method,
      headers: { ...request.headers },
      signal: this.#controller.signal,
      redirect: 'manual',
    };
    if (typeof request.body === 'string') init.body = request.body;
    else if (upload) {
      init.body =
        blob ??
        streamOf(upload.open(), {
          // A service that takes an upload is alive, and a source may take its time: the bound is for the service's silence, not for size.
          waiting: () => bound.hold(),
          sending: () => {
            if (!over) bound.start();
          },
        });
      init.duplex = 'half';
      // Fetch sends a stream in chunks unless it is told the length; where the header is forbidden it is left out in silence.
      if (upload.contentLength !== undefined) init.headers = { ...request.headers, 'content-length': String(upload.contentLength) };
    }
    try {
      const response = await fetchLike(request.url, init);
      if (this.#reason) {
        response.body?.cancel(this.#reason).catch(ignore);
        throw this.#reason;
      }
      this.#body = new FetchBody(response);
      return this.#body;
    } catch (error) {
      throw this.#reason ?? refusal(error);
    } finally {
      over = true;
      bound.stop();
    }
  }
}

/** Codes of a header that came and could not be read. */
const replyCodes = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/;

/** A rejected fetch names no phase; its code may. */
function refusal(error: unknown): TransportFailure {
  const { code = '' } = new TransportFailure('connect', error);
  if (!replyCodes.test(code) && !hasRead(error)) return new TransportFailure('connect', error);
  return new TransportFailure('headers', error, { replied: true });
}

/**
 * Node's fetch counts the bytes of a socket that the other side closed. Of one used before it cannot be told whose bytes they were: in
 * doubt part of this reply came, since the other mistake is billed twice.
 */
function hasRead(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { socket?: { bytesRead?: unknown } } };
  return Number(cause?.socket?.bytesRead) > 0;
}

/** Follows an upload: waiting for the source's next block, or for fetch to take one. */
interface UploadWatch {
  waiting(): void;
  sending(): void;
}

/** Browsers stream a request over HTTP/2 or not at all. */
function inBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}

function streamOf(blocks: AsyncIterable<Uint8Array>, watch: UploadWatch): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = blocks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      watch.waiting();
      const { done, value } = await iterator.next();
      watch.sending();
      if (done) controller.close();
      // The source may reuse its block, and fetch keeps what it is given.
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
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #sink: BodySink | undefined;
  #resume: (() => void) | undefined;
  #paused = false;
  #over = false;
  /** Given up before anybody read. */
  #reason: Error | undefined;

  constructor(response: Response) {
    this.status = response.status;
    this.#response = response;
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
    this.#over = true;
    this.#reason = reason;
    this.#resume?.();
    if (this.#reader) this.#reader.cancel(reason).catch(ignore);
    else this.#response.body?.cancel(reason).catch(ignore);
    this.#sink?.fail(reason);
  }

  async #pump(sink: BodySink): Promise<void> {
    try {
      const reader = this.#response.body?.getReader();
      this.#reader = reader;
      while (reader && !this.#over) {
        if (this.#paused)
          await new Promise<void>((resolve) => {
            this.#resume = resolve;
          });
        const { done, value } = await reader.read();
        if (this.#over) return;
        if (done) break;
        sink.block(value);
      }
      if (this.#over) return;
      this.#over = true;
      sink.end();
    } catch (error) {
      if (this.#over) return;
      this.#over = true;
      sink.fail(new TransportFailure('body', error));
    }
  }
}

function ignore(): void {}
