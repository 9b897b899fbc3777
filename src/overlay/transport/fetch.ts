import { type BodySink, type Exchange, type Transport, TransportFailure, type WireRequest, type WireResponse } from './transport.ts';

/** A function with the contract of the global `fetch`. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** The transport over any fetch: the runtime's own, or the one given as `Config.httpClient`. */
export function fetchTransport(fetchLike: FetchLike): Transport {
  return (request) => new FetchExchange(fetchLike, request);
}

class FetchExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  readonly #controller = new AbortController();
  #reason: Error | undefined;
  #body: FetchBody | undefined;
  #stop!: (reason: Error) => void;

  constructor(fetchLike: FetchLike, request: WireRequest) {
    // A fetch that ignores its signal must not hold the caller: whichever settles first wins.
    const stopped = new Promise<never>((_, reject) => {
      this.#stop = reject;
    });
    this.response = Promise.race([this.#open(fetchLike, request), stopped]);
    stopped.catch(ignore);
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    this.#stop(this.#reason);
    this.#body?.fail(this.#reason);
    this.#controller.abort(this.#reason);
  }

  async #open(fetchLike: FetchLike, request: WireRequest): Promise<WireResponse> {
    const { timeoutMs } = request;
    const timer = timeoutMs > 0 ? setTimeout(() => this.destroy(new TransportFailure('headers', undefined, timeoutMs)), timeoutMs) : undefined;
    try {
      const response = await fetchLike(request.url, initOf(request, this.#controller.signal));
      if (this.#reason) {
        response.body?.cancel(this.#reason).catch(ignore);
        throw this.#reason;
      }
      this.#body = new FetchBody(response);
      return this.#body;
    } catch (error) {
      throw this.#reason ?? new TransportFailure('connect', error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function initOf(request: WireRequest, signal: AbortSignal): RequestInit {
  const init: RequestInit & { duplex?: 'half' } = { method: request.method, headers: { ...request.headers }, signal, redirect: 'manual' };
  if (typeof request.body === 'string') init.body = request.body;
  else if (request.body) {
    init.body = streamOf(request.body.open());
    init.duplex = 'half';
  }
  return init;
}

function streamOf(blocks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = blocks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
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
