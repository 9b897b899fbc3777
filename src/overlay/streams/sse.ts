import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Takes one server-sent event: its name, if it has one, and its data lines joined. */
export type OnEvent = (name: string | undefined, data: string) => void;

/** A line or an event of a stream is longer than allowed. */
export class EventTooLarge extends Error {
  constructor(limit: number) {
    const bound = limit === 0 ? 'is longer than the engine can hold' : `has more than ${limit} bytes; raise maxEventBytes`;
    super(`a line or an event of the stream ${bound}`);
  }
}

/** Bytes in any cut to server-sent events. What the callbacks throw comes out of `feed` and `end`. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #maxBytes: number;
  /** Size of what has come since the last blank line. */
  #pending = 0;
  #afterLf = false;
  #afterCr = false;
  /** True while the end of the body completes a frame that had no blank line. */
  atEnd = false;

  /**
   * `maxBytes` bounds a line and an event; 0, the default, is no bound. `onBareJson` takes a line of JSON that no field name begins: some gateways send
   * an error like that under the stream's content type.
   */
  constructor(onEvent: OnEvent, onBareJson?: (line: string) => void, maxBytes: number = 0) {
    this.#maxBytes = maxBytes;
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        // It may have come in one block.
        if (maxBytes > 0 && data.length > maxBytes) throw new EventTooLarge(maxBytes);
        onEvent(event, data);
      },
      onError: ({ type, line }) => {
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
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    this.#measure(text, bytes.length);
    this.#parse(text);
    if (this.#maxBytes > 0 && this.#pending > this.#maxBytes) throw new EventTooLarge(this.#maxBytes);
  }

  /** The body is over: a last frame without its blank line is handed on, and `atEnd` says so. */
  end(): void {
    this.atEnd = true;
    this.#parse(`${this.#decoder.decode()}\n\n`);
  }

  /** The parser's own bound counts the data of an event: empty data lines would cost thirty times their size before it is reached. */
  #measure(text: string, size: number): void {
    const blank = text.lastIndexOf('\n\n');
    if (blank >= 0) this.#pending = text.length - blank - 2;
    else if (this.#afterLf && text.startsWith('\n')) this.#pending = text.length - 1;
    else this.#pending += size;
    this.#afterLf = text.endsWith('\n');
  }

  #parse(text: string): void {
    try {
      this.#parser.feed(text);
    } catch (error) {
      throw error instanceof RangeError ? new EventTooLarge(0) : error;
    }
  }
}
