// The protocol of a stream of server-sent events, as each surface implements it.
import type { Envelope } from '../errors/envelope.ts';
import { failureIn } from '../errors/failure.ts';
import type { SeenUsage } from '../hooks/hook.ts';
import { isFields } from '../json/json-value.ts';

/** Result of decoding one frame. */
export interface Decoded<T> {
  readonly item?: T;
  readonly done: boolean;
  /** True if the frame began with the cut-off head of another answer. */
  readonly headDropped?: boolean;
}

/** The protocol of a surface over server-sent events. Use one instance per stream. */
export interface StreamProtocol<T> extends SeenUsage {
  /** Throws `InBandFailure` for an error in the stream, and SyntaxError for data that is not JSON. */
  decode(name: string | undefined, data: string): Decoded<T>;
  /** True for an item that contains no part of an answer. */
  isHeartbeat(item: T): boolean;
  /** True once the stream has marked its answer as complete. */
  readonly complete: boolean;
}

/** The service reported a failure inside a stream. */
export class InBandFailure extends Error {
  readonly envelope: Envelope;

  constructor(envelope: Envelope) {
    super('in-band failure');
    this.envelope = envelope;
  }
}

/** A frame without an item, before the end. */
export const nothing = { done: false } as const;
/** The end of a chat stream. Streams of other surfaces may have it too. */
export const sentinel = '[DONE]';

/** The failure of a stream that ended without an answer. */
export function unanswered(): InBandFailure {
  return new InBandFailure({ code: undefined, message: 'the stream ended without any part of an answer', requestId: undefined });
}

/** True for nearly all frames; they skip the checks for blank data and the sentinel. */
export function beginsObject(data: string): boolean {
  return data.charCodeAt(0) === 0x7b;
}

/** Throws for JSON outside an event: a failure that bypassed the protocol, or a complete response instead of a stream. */
export function refuseBareJson(line: string): never {
  const failure = failureIn(parseObject(line), { expected: {} });
  throw new InBandFailure(failure ?? { code: undefined, message: 'expected an event stream, got JSON', requestId: undefined });
}

/** Throws SyntaxError for data that is not a JSON object. */
export function parseObject<T extends object>(data: string): T {
  const value: unknown = JSON.parse(data);
  if (!isFields(value)) throw new SyntaxError('not an object');
  return value as T;
}
