import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Takes one server-sent event: its name, if it has one, and its data lines joined. */
export type OnEvent = (name: string | undefined, data: string) => void;

/** Bytes in any cut to server-sent events. What the callbacks throw comes out of `feed` and `end`. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #afterCr = false;
  /** True while the end of the body completes a frame that had no blank line. */
  atEnd = false;

  /** `onBareJson` takes a line of JSON that no field name begins: some gateways send an error like that under the stream's content type. */
  constructor(onEvent: OnEvent, onBareJson?: (line: string) => void) {
    this.#parser = createParser({
      onEvent: (event) => onEvent(event.event, event.data),
      onError: (error) => {
        if (error.type === 'unknown-field' && error.line?.trimStart().startsWith('{')) onBareJson?.(error.line);
      },
    });
  }

  feed(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterCr && text.startsWith('\n')) {
      this.#afterCr = false;
      text = text.slice(1);
    }
    if (text === '') return;
    // The parser would hold a line back to see whether LF follows its CR, and with it the last event before a silence.
    this.#afterCr = text.endsWith('\r');
    this.#parser.feed(this.#afterCr ? `${text}\n` : text);
  }

  /** The body is over: a last frame without its blank line is handed on, and `atEnd` says so. */
  end(): void {
    this.atEnd = true;
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
  }
}
