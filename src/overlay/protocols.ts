import type { AnthropicStreamPayload, ChatChunk } from '../generated/types.ts';
import { type Envelope, envelopeOf, failureIn } from './failure.ts';

/** What one frame means. */
export type Decoded<T> =
  | { readonly item: T; readonly done?: boolean; readonly heartbeat?: boolean }
  | { readonly item?: undefined; readonly done: boolean; readonly heartbeat?: boolean };

/** One of the two ways to speak in server-sent events. An instance follows one stream. */
export interface StreamProtocol<T> {
  /** Throws `InBandFailure` for an error in the stream, and SyntaxError for data that is not JSON. */
  decode(name: string | undefined, data: string): Decoded<T>;
  /** True once the stream has said that its answer is whole. */
  readonly complete: boolean;
  /** The last usage the stream told. */
  readonly usage: unknown;
}

/** The service reported a failure inside a stream that had begun. */
export class InBandFailure extends Error {
  readonly envelope: Envelope;

  constructor(envelope: Envelope) {
    super('in-band failure');
    this.envelope = envelope;
  }
}

const nothing = { done: false } as const;
const sentinel = '[DONE]';

/** The OpenAI-style stream: data frames, a finish reason, `[DONE]`. */
export class ChunkProtocol<T extends object = ChatChunk> implements StreamProtocol<T> {
  complete = false;
  usage: unknown;

  decode(name: string | undefined, data: string): Decoded<T> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '') return nothing;
      if (text === sentinel) {
        this.complete = true;
        return { done: true };
      }
    }
    const item = parseObject<T & { choices?: unknown; usage?: unknown; type?: unknown }>(data);
    const failure = failureIn(item);
    if (failure) throw new InBandFailure(failure);
    if (item.usage !== undefined && item.usage !== null) this.usage = item.usage;
    if (!this.complete && finishes(item)) this.complete = true;
    return { item };
  }
}

/** A finish reason, or the `done` event of a transcription. */
function finishes(item: { readonly choices?: unknown; readonly type?: unknown }): boolean {
  if (item.type === 'transcript.text.done') return true;
  if (!Array.isArray(item.choices)) return false;
  for (const choice of item.choices as ({ finish_reason?: unknown } | null)[]) {
    const reason = choice?.finish_reason;
    if (typeof reason === 'string' && reason !== '') return true;
  }
  return false;
}

/** Nearly all frames do, and need no look at what else they could be. */
function beginsObject(data: string): boolean {
  return data.charCodeAt(0) === 0x7b;
}

/** One event of the message surface. An event the types do not name passes through all the same. */
export type AnthropicStreamEvent = {
  [Type in AnthropicStreamPayload['type']]: {
    /** The SSE event name. */
    readonly type: Type;
    /** The JSON payload. */
    readonly data: Extract<AnthropicStreamPayload, { type: Type }>;
  };
}[AnthropicStreamPayload['type']];

/** The Anthropic-style stream: named events up to `message_stop`. */
export class EventProtocol implements StreamProtocol<AnthropicStreamEvent> {
  complete = false;
  #usage: object | undefined;

  get usage(): unknown {
    return this.#usage;
  }

  decode(name: string | undefined, data: string): Decoded<AnthropicStreamEvent> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '') return nothing;
      // Not of this protocol, but one capture ends with it.
      if (text === sentinel) return { done: this.complete };
    }
    const payload = parseObject<{ type?: string; message?: { usage?: object }; usage?: object; delta?: { stop_reason?: unknown } }>(data);
    const type = name ?? payload.type ?? '';
    if (payload.type === 'error') throw new InBandFailure(failureIn(payload) ?? { code: undefined, message: '', requestId: undefined });
    const failure = name === undefined ? failureIn(payload) : undefined;
    if (failure) throw new InBandFailure(failure);
    const usage = type === 'message_start' ? payload.message?.usage : payload.usage;
    if (usage) this.#usage = Object.assign(this.#usage ?? {}, usage);
    if (type === 'message_stop' || (type === 'message_delta' && typeof payload.delta?.stop_reason === 'string')) this.complete = true;
    return { item: { type, data: payload } as unknown as AnthropicStreamEvent, done: type === 'message_stop', heartbeat: type === 'ping' };
  }
}

/** JSON that is no event is a failure that skipped the protocol, or a whole reply where a stream was expected. */
export function refuseBareJson(line: string): never {
  const failure = failureIn(parseObject(line));
  throw new InBandFailure(failure ?? { code: undefined, message: 'JSON came where an event stream was expected', requestId: undefined });
}

function parseObject<T extends object>(data: string): T {
  const value: unknown = JSON.parse(data);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not an object');
  return value as T;
}
