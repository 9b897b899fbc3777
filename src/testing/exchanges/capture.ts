// Records a response while its client reads it.
import { bodyOf } from './bodies.ts';
import type { ExchangeEnd, ExchangeResponse } from './form.ts';
import { type Block, framesOfBlocks, isLast } from './frames.ts';

/** The end of a recorded response. `tooLarge`: the body has more bytes than allowed, and was not kept. */
export type Captured = { readonly response: ExchangeResponse } | { readonly tooLarge: true };

/** A response that is being recorded. */
export interface Capturing {
  /** The same response, for the client. */
  readonly response: Response;
  /** Records what has arrived, as if the client had left. */
  leave(): void;
}

/**
 * Records a response. `onEnd` is called once, before the client gets the end of the body: when the body has ended or failed, or when the
 * client has left it.
 */
export function capture(response: Response, signal: AbortSignal, maxBytes: number, onEnd: (captured: Captured) => void): Capturing {
  const { status, statusText, headers, body, url } = response;
  const one = new Capture(response, maxBytes, onEnd);
  if (!body) one.end('closed');
  const copy = new Response(body && one.through(body, signal), { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: url });
  return { response: copy, leave: () => one.end('left') };
}

class Capture {
  readonly #response: Response;
  readonly #maxBytes: number;
  readonly #onEnd: (captured: Captured) => void;
  readonly #startedAt = performance.now();
  #blocks: Block[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(response: Response, maxBytes: number, onEnd: (captured: Captured) => void) {
    this.#response = response;
    this.#maxBytes = maxBytes;
    this.#onEnd = onEnd;
  }

  through(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) {
              this.end('closed');
              return controller.close();
            }
            this.#add(value);
            controller.enqueue(value);
          } catch (error) {
            this.end(signal.aborted ? 'left' : codeOf(error) === 'ECONNRESET' ? 'reset' : 'cut');
            controller.error(error);
          }
        },
        cancel: (reason) => {
          this.end('left');
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  end(how: ExchangeEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(this.#bytes > this.#maxBytes ? { tooLarge: true } : { response: this.#made(how) });
    this.#blocks = [];
  }

  #add(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) this.#blocks = [];
    // A copy: the client may write into its block.
    else this.#blocks.push({ bytes: bytes.slice(), at: performance.now() });
  }

  #made(end: ExchangeEnd): ExchangeResponse {
    const headers = Object.fromEntries(this.#response.headers);
    const type = headers['content-type'] ?? '';
    const { status } = this.#response;
    if (/^text\/event-stream/i.test(type)) {
      const frames = framesOfBlocks(this.#blocks, this.#startedAt);
      // A client may leave once it has the last frame, without waiting for the end of the body.
      return { status, headers, frames, count: frames.length, end: end === 'left' && isLast(frames.at(-1)) ? 'closed' : end };
    }
    const body = bodyOf(Buffer.concat(this.#blocks.map(({ bytes }) => bytes)), type, end === 'closed');
    return { status, headers, ...body, ...(end !== 'closed' && { end }) };
  }
}

function codeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return code ?? cause?.code;
}
