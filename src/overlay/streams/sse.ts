import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Takes one server-sent event: its name, if it has one, and its data lines joined. */
export type OnEvent = (name: string | undefined, data: string) => void;

/** A line or an event of a stream is longer than allowed. */
export class EventTooLarge extends Error {
  constructor(limit: number) {
    super(`a line or an event of the stream has more than ${limit} bytes`);
  }
}

/** Bytes in any cut to server-sent events. What the callbacks throw comes out of `feed` and `end`. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #afterCr = false;
  /** True while the end of the body completes a frame that had no blank line. */
  atEnd = false;

  /**
   * `maxBytes` bounds a line and an event; 0, the default, is no bound. `onBareJson` takes a line of JSON that no field name begins: some gateways send
   * an error like that under the stream's content type.
   */
  constructor(onEvent: OnEvent, onBareJson?: (line: string) => void, maxBytes: number = 0) {
    const bound = maxBytes === 0 ? {} : { maxBufferSize: maxBytes };
    this.#parser = createParser({
      ...bound,
      onEvent: ({ event, data }) => {
        // The parser bounds what it holds, not an event that came in one block.
        if (maxBytes > 0 && data.length > maxBytes) throw new EventTooLarge(maxBytes);
        onEvent(event, data);
      },
      onError: ({ type, line }) => {
        if (type === 'max-buffer-size-exceeded') throw new EventTooLarge(maxBytes);
        if (type === 'unknown-field' && line?.trimStart().startsWith('{')) onBareJson?.(line);
      },
    });
  }

  feed(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1);
    // The parser would hold a line back to see whether LF follows its CR, and with it the last event before a silence.
    this.#afterCr = text.endsWith('\r');
    if (text === '') return;
    // It also looks for the next CR again at every line, which is quadratic where they are rare.
    this.#parser.feed(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);
  }

  /** The body is over: a last frame without its blank line is handed on, and `atEnd` says so. */
  end(): void {
    this.atEnd = true;
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
  }
}
