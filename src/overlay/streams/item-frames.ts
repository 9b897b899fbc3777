import type { Reply } from '../call/reply/reply.ts';
import { InBandFailure, refuseBareJson, type StreamProtocol } from '../surfaces/protocol.ts';
import { IdleTimer } from '../transport/idle.ts';
import { TransportFailure } from '../transport/transport.ts';
import { EventTooLarge, SseReader } from './sse.ts';

/** The items in the body of a stream, and the judgement of its end. The owner reads the body. */
const partialStep = 'repeat the call for a complete answer. If you collected the stream, error.partial has what arrived';

export class ItemFrames<T> {
  readonly #reply: Reply;
  readonly #protocol: StreamProtocol<T>;
  readonly #onItem: (item: T) => void;
  readonly #reader: SseReader;
  /** Limits the time without content. Undefined without a limit. */
  readonly content: IdleTimer | undefined;
  #count = 0;
  /** True once no item will follow: the protocol has marked the end, or the owner has left. */
  over = false;

  /** `onLate` gets the failure of a stream that is open without content for too long. */
  constructor(reply: Reply, protocol: StreamProtocol<T>, onItem: (item: T) => void, onLate: (failure: TransportFailure) => void) {
    this.#reply = reply;
    this.#protocol = protocol;
    this.#onItem = onItem;
    const { streamContentMs: timeoutMs, maxEventBytes } = reply.settings;
    this.#reader = new SseReader(
      (name, data) => this.#frame(name, data),
      (line) => this.#frame(undefined, line, true),
      maxEventBytes,
    );
    if (timeoutMs === 0) return;
    this.content = new IdleTimer(timeoutMs, () => onLate(new TransportFailure('body', undefined, { timeoutMs, content: true })));
    this.content.start();
  }

  /** Events so far. */
  get count(): number {
    return this.#count;
  }

  feed(block: Uint8Array): void {
    this.#reader.feed(block);
  }

  /** The body has ended. Throws for a stream that has not. */
  end(): void {
    this.#reader.end();
    if (this.over || this.#protocol.complete) return;
    const text = this.#count === 0 ? 'the stream ended without a single event' : `the stream was cut off after ${this.#count} events, before its end`;
    const isAnswer = this.#count > 0 && this.#reply.call.route.performs === 'answer';
    throw this.#reply.broken('truncated', text, isAnswer ? partialStep : undefined);
  }

  /** The error for a cause of `feed` or `end`: an event that is too large has one of the reply. */
  failureOf(cause: unknown): unknown {
    return cause instanceof EventTooLarge ? this.#reply.broken('too-large', cause.message, cause.advice) : cause;
  }

  #frame(name: string | undefined, data: string, isBare = false): void {
    if (this.over) return;
    let decoded: ReturnType<StreamProtocol<T>['decode']>;
    try {
      decoded = isBare ? refuseBareJson(data) : this.#protocol.decode(name, data);
    } catch (error) {
      if (error instanceof InBandFailure) throw error;
      // A malformed last frame without its blank line is a truncated stream.
      if (this.#reader.atEnd) return;
      // The payload is not quoted, because it may contain a prompt or an answer.
      throw this.#reply.broken('malformed', `event ${this.#count + 1} of the stream is not a JSON object (${data.length} characters)`);
    }
    this.#count++;
    if (decoded.headDropped) this.#reply.headDropped();
    if (decoded.item !== undefined) {
      if (this.content && !this.#protocol.isHeartbeat(decoded.item)) this.content.start();
      this.#reply.chunk(decoded.item);
      this.#onItem(decoded.item);
    }
    this.over ||= decoded.done;
  }
}
