import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Receives one server-sent event: its name, if any, and its data lines joined. */
export type OnEvent = (name: string | undefined, data: string) => void;

/** A line or an event of a stream exceeds the size limit. */
export class EventTooLarge extends Error {
  readonly advice: string | undefined;

  constructor(limit: number) {
    const bound = limit === 0 ? 'is longer than the longest string of the JavaScript engine' : `has more than ${limit} bytes`;
    super(`a line or an event of the stream ${bound}`);
    this.advice = limit === 0 ? undefined : 'raise maxEventBytes';
  }
}

/** The beginning of a line with a field, of a comment, or of a blank line. Parsers ignore other lines, and need not report them. */
const field = /(?:data|event|id|retry)?[:\n]/y;

/** Parses blocks of bytes into server-sent events. `feed` and `end` throw the errors of the callbacks. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #maxBytes: number;
  /** Size of the data since the last blank line. */
  #pending = 0;
  /** The line that has no end yet. */
  #rest = '';
  /** Lines without a field name since the last event. */
  #loose = '';
  readonly #onBareJson: ((text: string) => void) | undefined;
  #afterLf = false;
  #afterCr = false;
  /** True while the end of the body completes a frame that had no blank line. */
  atEnd = false;

  /**
   * `maxBytes` limits the size of a line and of an event. Default: 0, no limit. `onBareJson` receives JSON without a field name, on one line or
   * several, because some gateways send errors that way under the stream's content type.
   */
  constructor(onEvent: OnEvent, onBareJson?: (text: string) => void, maxBytes: number = 0) {
    this.#maxBytes = maxBytes;
    this.#onBareJson = onBareJson;
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        // An event that arrived in one block has not been measured yet.
        if (maxBytes > 0 && data.length > maxBytes) throw new EventTooLarge(maxBytes);
        const whole = this.#loose === '' ? data : withLooseLines(data, this.#loose);
        this.#loose = '';
        onEvent(event, whole);
      },
    });
  }

  feed(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return;
    if (this.#afterCr && text.startsWith('\n')) text = text.slice(1);
    // The parser delays a line that ends in CR until it sees the next character, which would delay the last event before a pause.
    this.#afterCr = text.endsWith('\r');
    if (text === '') return;
    // The parser also searches for the next CR at every line, which takes quadratic time if CRs are rare.
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    this.#measure(text, bytes.length);
    this.#parse(text);
    if (this.#maxBytes > 0 && this.#pending > this.#maxBytes) throw new EventTooLarge(this.#maxBytes);
  }

  /** Ends the body. A last frame without its blank line is emitted while `atEnd` is true. */
  end(): void {
    this.atEnd = true;
    this.#parse(`${this.#decoder.decode()}\n\n`);
    if (this.#loose.startsWith('{')) this.#onBareJson?.(this.#loose);
  }

  /** Collects lines without a field name. JSON on several lines ends with a brace that is not indented. */
  #addLoose(line: string): void {
    this.#loose = this.#loose === '' ? line.trimStart() : `${this.#loose}\n${line}`;
    if (this.#maxBytes > 0 && this.#loose.length > this.#maxBytes) throw new EventTooLarge(this.#maxBytes);
    const isFirst = !this.#loose.includes('\n');
    if (this.#loose.startsWith('{') && (line === '}' || (isFirst && line.trimEnd().endsWith('}')))) this.#onBareJson?.(this.#loose);
  }

  /** The parser's own limit counts only the data of an event. Empty data lines would take thirty times their size in memory before they reach it. */
  #measure(text: string, size: number): void {
    const blank = text.lastIndexOf('\n\n');
    if (blank >= 0) this.#pending = text.length - blank - 2;
    else if (this.#afterLf && text.startsWith('\n')) this.#pending = text.length - 1;
    else this.#pending += size;
    this.#afterLf = text.endsWith('\n');
  }

  #parse(text: string): void {
    try {
      const end = text.lastIndexOf('\n') + 1;
      const lines = end === 0 ? '' : this.#rest + text.slice(0, end);
      this.#rest = end === 0 ? this.#rest + text : text.slice(end);
      let start = 0;
      for (let at = 0, next = 0; at < lines.length; at = next) {
        next = lines.indexOf('\n', at) + 1;
        // Nearly every line; the pattern costs more.
        if (lines.startsWith('data:', at) || lines.startsWith('event:', at) || next === at + 1) continue;
        field.lastIndex = at;
        if (field.test(lines)) continue;
        this.#parser.feed(lines.slice(start, at));
        this.#addLoose(lines.slice(at, next - 1));
        start = next;
      }
      this.#parser.feed(lines.slice(start));
    } catch (error) {
      throw error instanceof RangeError ? new EventTooLarge(0) : error;
    }
  }
}

/** Some gateways print an error in several lines after a single `data:`. Lines without a field name next to complete data are ignored. */
function withLooseLines(data: string, loose: string): string {
  const together = `${data}\n${loose}`;
  try {
    JSON.parse(together);
    return together;
  } catch {
    return data;
  }
}
