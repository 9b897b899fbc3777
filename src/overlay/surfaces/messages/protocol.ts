// The message stream: named events up to `message_stop`.
import type { AnthropicStreamPayload } from '../../../generated/types.ts';
import type { Envelope } from '../../errors/envelope.ts';
import { envelopeOf, type FailureMarks, failureIn } from '../../errors/failure.ts';
import { isFields, listOf } from '../../json/json-value.ts';
import { beginsObject, type Decoded, InBandFailure, nothing, parseObject, type StreamProtocol, sentinel, unanswered } from '../protocol.ts';
import { isEmptyEvent } from '../stream-content.ts';

const eventMarks: FailureMarks = { expected: { type: 'value' } };
/** For a named event: only `error` counts, because an unknown event may contain any other field. */
const errorMarks: FailureMarks = { expected: { error: 'object' } };

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
  readonly message?: { readonly usage?: unknown; readonly content?: unknown } | null;
  readonly usage?: unknown;
  readonly delta?: { readonly stop_reason?: unknown } | null;
}

/** The Anthropic-style stream: named events up to `message_stop`. */
export class MessagesProtocol implements StreamProtocol<AnthropicStreamEvent> {
  complete = false;
  #usage: object | undefined;
  #hasContent = false;

  get usage(): unknown {
    return this.#usage;
  }

  get usageIsFinal(): boolean {
    return this.complete;
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
      const hasAnswer = this.complete || this.#hasContent;
      this.complete = true;
      if (!hasAnswer) throw unanswered();
    } else if (type === 'message_delta') {
      const reason = payload.delta?.stop_reason;
      if (typeof reason === 'string' && reason !== '') this.complete = true;
    } else if (this.complete && (type === 'content_block_start' || (type === 'content_block_delta' && !isEmptyEvent(type, payload)))) {
      // The answer continues after its stop reason.
      this.complete = false;
    }
    // After code execution, the first event may contain whole blocks.
    this.#hasContent ||= type.startsWith('content_') || listOf(payload.message?.content).length > 0;
  }
}

function failureOf(payload: Payload, name: string | undefined): Envelope | undefined {
  if (payload.type === 'error') return failureIn(payload, { expected: {} }) ?? { code: undefined, message: '', requestId: undefined };
  if (name === undefined) return failureIn(payload, eventMarks);
  const { error, request_id } = payload;
  return error === undefined || error === null ? undefined : failureIn({ error, request_id }, errorMarks);
}
