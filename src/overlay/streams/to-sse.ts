import { isModelsvcError } from '../errors/guards.ts';
import { validated, validationError } from '../errors/problem.ts';
import { iterationOf } from '../json/iteration.ts';
import { fieldsOf, isFields, textOf } from '../json/json-value.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { Beginning } from './beginning.ts';
import { firstRoles } from './first-roles.ts';
import { itemsOf } from './items.ts';
import { checkedTime } from './read-ahead.ts';

/** Options of `toSSE`. */
export interface SSEOptions {
  /** Milliseconds without an item after which a comment is sent, so that proxies keep the connection. 0 sends none. Default: 15,000. */
  readonly heartbeat?: number | undefined;
  /**
   * Called with the error that ends the stream, for your log. The value it returns is the data of the `error` event, as JSON. It may be asynchronous:
   * the event waits for it, at most one second. Default, or for undefined: `{ error: { type, message } }` with the `kind` of the error. The message differs for an answer that ended early and one that did not begin.
   * The text of the error is left out, because it is not for a page.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

const optionFields: KnownFields<SSEOptions> = { heartbeat: 1, onError: 1 };
const encoder = new TextEncoder();
/** A page waits this long for `onError`. */
const longestOnErrorMs = 1000;

/**
 * The bytes of Server-Sent Events, from a stream of any surface or its `textDeltas`: for `new Response(toSSE(stream), { headers })`, or for
 * `response.write`. Send `content-type: text/event-stream`.
 *
 * Each item is one event: a text as JSON, a chunk of chat with a role only where it begins, and an event with its name. A complete stream ends with
 * `data: [DONE]`, a failed one with an `error` event. It does not read ahead. Cancel it to close the socket.
 *
 * @example
 * ```ts
 * const stream = c.chat().stream({ model: 'glm-5.3', effort: 'low', messages: [{ role: 'user', content: 'Hi' }] });
 * const response = new Response(toSSE(textDeltas(stream)), { headers: { 'content-type': 'text/event-stream' } });
 * console.log(await response.text());
 * ```
 */
export function toSSE(stream: AsyncIterable<unknown>, options: SSEOptions = {}): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { heartbeat, onError } = validated('toSSE', () => checkedOptions(options));
  return eventBytes(stream, heartbeat, onError);
}

/** With `beatsFirst`, a comment comes before the first item, so that the header of the response is sent. */
export function eventBytes(
  stream: AsyncIterable<unknown>,
  heartbeat: number,
  onError: SSEOptions['onError'],
  beatsFirst: boolean = false,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = itemsOf('toSSE', stream).source;
  const frames = framesOf(iterator, onError);
  /** The frame that was asked for. It stays pending while comments are sent. */
  let pending: Promise<Frame> | undefined;
  let beat: Beat | undefined;
  let left = false;
  let begins = beatsFirst && heartbeat > 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        pending ??= frames();
        if (begins) {
          begins = false;
          return controller.enqueue(encoder.encode(comment.text));
        }
        beat = beatAfter(heartbeat);
        const frame = await Promise.race([pending, beat.passed]);
        beat.stop();
        if (left) return;
        controller.enqueue(encoder.encode(frame.text));
        if (frame !== comment) pending = undefined;
        if (frame.last) controller.close();
      },
      async cancel() {
        left = true;
        beat?.stop();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

interface Frame {
  readonly text: string;
  readonly last: boolean;
}

const comment: Frame = { text: ':\n\n', last: false };

/** Returns the next frame of a stream. It never rejects. */
function framesOf(iterator: AsyncIterator<unknown>, onError: SSEOptions['onError']): () => Promise<Frame> {
  const shown = firstRoles();
  const beginning = new Beginning();
  return async () => {
    try {
      const { value, done } = iterationOf(await iterator.next(), 'toSSE: stream');
      if (done) return { text: frame('[DONE]'), last: true };
      if (!beginning.begun) beginning.add(value);
      return { text: itemFrame(shown(value)), last: false };
    } catch (error) {
      return { text: frame(await failureData(error, beginning.begun, onError), 'error'), last: true };
    }
  };
}

function frame(data: string, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}

/** An event of messages has its payload in `data`, one of Responses is the payload, and a chunk of chat has no name. */
function itemFrame(item: unknown): string {
  const { type, data } = fieldsOf(item);
  const name = textOf(type);
  if (!/^[\w.]+$/.test(name)) return frame(jsonOf(item));
  return frame(jsonOf(isFields(data) ? data : item), name);
}

/** The engine's own error is dropped, because it would quote the item. */
function jsonOf(item: unknown): string {
  const text = jsonText(item);
  if (text === undefined) throw validationError('toSSE', new Problem('an item of the stream', 'cannot be written as JSON'));
  return text;
}

function jsonText(item: unknown): string | undefined {
  try {
    return JSON.stringify(item);
  } catch {
    return undefined;
  }
}

/** The words for a page about a failure: the value of `onError`, or words of our own. Never rejects. */
export async function failureData(error: unknown, begun: boolean, onError: SSEOptions['onError']): Promise<string> {
  const message = begun ? 'The answer ended early.' : 'No answer came.';
  // The kind of a foreign error is a text of somebody else, and not for a page.
  const own = { error: { type: isModelsvcError(error) ? error.kind : 'unknown', message } };
  const shown = await valueWithin(longestOnErrorMs, async () => onError?.(error));
  return jsonText(shown ?? own) ?? JSON.stringify(own);
}

/** The value of a caller's function. Undefined if it fails, or has not settled after `ms`: a page waits for it. */
async function valueWithin(ms: number, work: () => Promise<unknown>): Promise<unknown> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (limit = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work().catch(() => undefined), late]);
  } finally {
    clearTimeout(limit);
  }
}

function checkedOptions(options: SSEOptions): { readonly heartbeat: number; readonly onError: SSEOptions['onError'] } {
  checkFields(options, optionFields, 'options');
  const { heartbeat = 15_000, onError } = options;
  if (onError !== undefined && typeof onError !== 'function') throw new Problem('options.onError', 'must be a function');
  return { heartbeat: checkedTime(heartbeat, 'options.heartbeat'), onError };
}

interface Beat {
  /** Resolves with a comment after the time, or never. */
  readonly passed: Promise<Frame>;
  stop(): void;
}

function beatAfter(ms: number): Beat {
  let handle: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<Frame>((resolve) => {
    if (ms > 0) handle = setTimeout(resolve, ms, comment);
  });
  return { passed, stop: () => clearTimeout(handle) };
}
