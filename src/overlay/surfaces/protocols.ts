// Decodes the frames of both stream protocols: chat chunks and message events.
import type { AnthropicStreamPayload, ChatChunk } from '../../generated/types.ts';
import type { Envelope } from '../errors/envelope.ts';
import { envelopeOf, type FailureMarks, failureIn } from '../errors/failure.ts';
import { isFields, jsonOrUndefined } from '../errors/json-value.ts';
import { mendedDeltas } from './chat-reply.ts';
import { chunkAfterHead } from './cut-heads.ts';
import { ChoiceEndings, isEmptyChunk, isEmptyEvent } from './stream-content.ts';

/** Result of decoding one frame. */
export interface Decoded<T> {
  readonly item?: T;
  readonly done: boolean;
  /** True if the frame began with the cut-off head of another answer. */
  readonly headDropped?: boolean;
}

/** The protocol of a surface over server-sent events. Use one instance per stream. */
export interface StreamProtocol<T> {
  /** Throws `InBandFailure` for an error in the stream, and SyntaxError for data that is not JSON. */
  decode(name: string | undefined, data: string): Decoded<T>;
  /** True for an item that contains no part of an answer. */
  isHeartbeat(item: T): boolean;
  /** True once the stream has marked its answer as complete. */
  readonly complete: boolean;
  /** The last usage that the stream reported. */
  readonly usage: unknown;
}

/** The service reported a failure inside a stream. */
export class InBandFailure extends Error {
  readonly envelope: Envelope;

  constructor(envelope: Envelope) {
    super('in-band failure');
    this.envelope = envelope;
  }
}

const nothing = { done: false } as const;
/** The end of a chat stream. Streams of other surfaces may have it too. */
export const sentinel = '[DONE]';
const chunkMarks: FailureMarks = { expected: { choices: 'array', type: 'value' } };
const eventMarks: FailureMarks = { expected: { type: 'value' } };
/** For a named event: only `error` counts, because an unknown event may contain any other field. */
const errorMarks: FailureMarks = { expected: { error: 'object' } };

/** The failure of a stream that ended without an answer. */
function unanswered(): InBandFailure {
  return new InBandFailure({ code: undefined, message: 'the stream ended without any part of an answer', requestId: undefined });
}

/** The OpenAI-style stream: data frames, a finish reason for each choice, `[DONE]`. */
export class ChunkProtocol<T extends object = ChatChunk> implements StreamProtocol<T> {
  usage: unknown;
  readonly #choices = new ChoiceEndings();
  /** A transcription stream has no choices; its items have a type instead. */
  #transcript: 'none' | 'begun' | 'done' = 'none';
  #done = false;
  /** Id of the last chunk. */
  #id: unknown;
  /** True once a part of the answer has arrived. */
  #hasContent = false;

  get complete(): boolean {
    return this.#done || this.#transcript === 'done' || this.#choices.finished;
  }

  decode(name: string | undefined, data: string): Decoded<T> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '') return nothing;
      if (text === sentinel) {
        if (!this.#choices.begun && this.#transcript === 'none') throw unanswered();
        this.#done = true;
        return { done: true };
      }
    }
    const whole = jsonOrUndefined(data);
    const item = (isFields(whole) ? whole : this.#afterHead(data)) as T & { id?: unknown; choices?: unknown; usage?: unknown; type?: unknown };
    const failure = failureIn(item, chunkMarks);
    if (failure) throw new InBandFailure(failure);
    if (item.usage !== undefined && item.usage !== null) this.usage = item.usage;
    this.#choices.add(item.choices);
    if (typeof item.type === 'string' && item.type.startsWith('transcript.'))
      this.#transcript = item.type === 'transcript.text.done' ? 'done' : 'begun';
    this.#id = item.id;
    this.#hasContent ||= !isEmptyChunk(item);
    return { item, done: false, headDropped: item !== whole };
  }

  /** The chunk of a frame that is not JSON as a whole. */
  #afterHead(data: string): object {
    const chunk = chunkAfterHead(data);
    // A chunk with another id would begin the answer again after a part of it.
    if (!chunk || (this.#hasContent && chunk['id'] !== this.#id)) throw new SyntaxError('not an object');
    return chunk;
  }

  isHeartbeat(item: T): boolean {
    return isEmptyChunk(item);
  }
}

/** The stream of a chat: every chunk has `choices`, each with a `delta` and with text as a string. */
export class ChatProtocol extends ChunkProtocol<ChatChunk> {
  override decode(name: string | undefined, data: string): Decoded<ChatChunk> {
    const decoded = super.decode(name, data);
    const { item } = decoded;
    if (item) item.choices = mendedDeltas(item.choices) as ChatChunk['choices'];
    return decoded;
  }
}

/** True for nearly all frames; they skip the checks for blank data and the sentinel. */
export function beginsObject(data: string): boolean {
  return data.charCodeAt(0) === 0x7b;
}

/** One event of the message surface. Events of unknown types are passed through. */
export type AnthropicStreamEvent = {
  [Type in AnthropicStreamPayload['type']]: {
    /** The SSE event name. */
    readonly type: Type;
    /** The JSON payload. */
    readonly data: Extract<AnthropicStreamPayload, { type: Type }>;
  };
}[AnthropicStreamPayload['type']];

interface Payload {
  readonly type?: unknown;
  readonly error?: unknown;
  readonly request_id?: unknown;
  readonly message?: { readonly usage?: unknown } | null;
  readonly usage?: unknown;
  readonly delta?: { readonly stop_reason?: unknown } | null;
}

/** The Anthropic-style stream: named events up to `message_stop`. */
export class EventProtocol implements StreamProtocol<AnthropicStreamEvent> {
  complete = false;
  #usage: object | undefined;
  #begun = false;

  get usage(): unknown {
    return this.#usage;
  }

  decode(name: string | undefined, data: string): Decoded<AnthropicStreamEvent> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '') return nothing;
      // Not part of this protocol, but one recorded stream ends with it.
      if (text === sentinel) return { done: this.complete };
    }
    const payload = parseObject<Payload>(data);
    const type = name ?? (typeof payload.type === 'string' ? payload.type : '');
    const failure = failureOf(payload, name);
    if (failure) throw new InBandFailure(failure);
    const usage = type === 'message_start' ? payload.message?.usage : payload.usage;
    if (isFields(usage)) this.#usage = Object.assign(this.#usage ?? {}, usage);
    this.#follow(type, payload);
    return { item: { type, data: payload } as unknown as AnthropicStreamEvent, done: type === 'message_stop' };
  }

  isHeartbeat({ type, data }: AnthropicStreamEvent): boolean {
    return isEmptyEvent(type, data);
  }

  #follow(type: string, payload: Payload): void {
    if (type === 'message_stop') {
      if (!this.#begun) throw unanswered();
      this.complete = true;
    } else if (type === 'message_delta') {
      const reason = payload.delta?.stop_reason;
      if (typeof reason === 'string' && reason !== '') this.complete = true;
    } else if (this.complete && (type === 'content_block_start' || (type === 'content_block_delta' && !isEmptyEvent(type, payload)))) {
      // The answer continues after its stop reason.
      this.complete = false;
    }
    this.#begun ||= type.startsWith('message_') || type.startsWith('content_');
  }
}

function failureOf(payload: Payload, name: string | undefined): Envelope | undefined {
  if (payload.type === 'error') return failureIn(payload, { expected: {} }) ?? { code: undefined, message: '', requestId: undefined };
  if (name === undefined) return failureIn(payload, eventMarks);
  const { error, request_id } = payload;
  return error === undefined || error === null ? undefined : failureIn({ error, request_id }, errorMarks);
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
