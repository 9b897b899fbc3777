// Plays a recorded response.
import { bytesOfBody } from './bodies.ts';
import type { ExchangeEnd, ExchangeResponse } from './form.ts';
import { frameBytes } from './frames.ts';
import type { ReadRequest } from './wire-request.ts';

interface PlayedPiece {
  readonly after: number;
  readonly bytes: Uint8Array;
}

/** Statuses of responses that have no body. */
const bodiless: readonly number[] = [204, 205, 304];

/**
 * The response, frame by frame. With `gaps` each frame comes at its recorded time. The body ends as it was recorded: where the client had
 * left, a client that reads on gets an error.
 */
export function played(recorded: ExchangeResponse, { url, signal }: Pick<ReadRequest, 'url' | 'signal'>, gaps: boolean): Response {
  // A Response made by a program has no URL.
  return Object.defineProperty(responseOf(recorded, signal, gaps), 'url', { value: url });
}

function responseOf(recorded: ExchangeResponse, signal: AbortSignal, gaps: boolean): Response {
  const { status, headers, frames, end = 'closed' } = recorded;
  if (bodiless.includes(status)) return new Response(null, { status, headers });
  const whole = frames ? [] : [{ after: 0, bytes: bytesOfBody(recorded) }].filter(({ bytes }) => bytes.length > 0);
  const pieces = frames?.map((frame) => ({ after: frame.after, bytes: frameBytes(frame) })) ?? whole;
  return new Response(bodyOfPieces(pieces, end, signal, gaps), { status, headers });
}

function bodyOfPieces(pieces: readonly PlayedPiece[], end: ExchangeEnd, signal: AbortSignal, gaps: boolean): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]();
  let dueAt = performance.now();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal.throwIfAborted();
          const { value, done } = iterator.next();
          if (done) return finish(controller, end);
          dueAt += value.after;
          if (gaps) await until(dueAt, signal);
          controller.enqueue(value.bytes);
        } catch (error) {
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

function finish(controller: ReadableStreamDefaultController<Uint8Array>, end: ExchangeEnd): void {
  if (end === 'closed') return controller.close();
  const cause =
    end === 'left'
      ? new Error('the recording of this reply ends here, because its client left it: record it again')
      : Object.assign(new Error(end === 'reset' ? 'read ECONNRESET' : 'other side closed'), {
          code: end === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET',
        });
  controller.error(new TypeError('terminated', { cause }));
}

/** Waits until a time of `performance.now()`. Rejects with the reason of the signal. */
function until(dueAt: number, signal: AbortSignal): Promise<void> {
  const leftMs = dueAt - performance.now();
  if (leftMs <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', aborted);
      resolve();
    }, leftMs);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
