import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Takes one server-sent event: its name, if it has one, and its data lines joined. */
export type OnEvent = (name: string | undefined, data: string) => void;

/** Bytes in any cut to server-sent events. What `onEvent` throws comes out of `feed` and `end`. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  /** True while the end of the body completes a frame that had no blank line. */
  atEnd = false;

  constructor(onEvent: OnEvent) {
    this.#parser = createParser({
      onEvent: (event) => onEvent(event.event, event.data),
      onError: (error) => {
        // Some gateways send a bare JSON error under the stream's content type: a line that no field name can begin.
        if (error.type === 'unknown-field' && error.line?.trimStart().startsWith('{')) onEvent(undefined, error.line);
      },
    });
  }

  feed(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text !== '') this.#parser.feed(text);
  }

  /** The body is over: a last frame without its blank line is handed on, and `atEnd` says so. */
  end(): void {
    this.atEnd = true;
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
  }
}
