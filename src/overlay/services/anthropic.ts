import { anthropicCountTokens, anthropicCreate } from '../../generated/routes.ts';
import type {
  AnthropicCountTokensRequest,
  AnthropicMessage,
  AnthropicMessageResponse,
  AnthropicTokenCount,
  AnthropicMessageRequest as MessageBody,
} from '../../generated/types.ts';
import { type AnthropicReply, withAccessors } from '../anthropic-reply.ts';
import type { Settings } from '../config.ts';
import type { CallContext } from '../context.ts';
import { ValidationError } from '../errors.ts';
import { type AnthropicStreamEvent, EventProtocol } from '../protocols.ts';
import { requestJson, requestStream } from '../request.ts';
import type { EventStream } from '../stream.ts';
import { sanitizeToolSchemas } from '../tool-schema.ts';
import { drain, type StreamCallback } from './chat.ts';

/** A request on the message surface. Fields have their wire names; unknown ones are sent as they are. */
export type AnthropicMessageRequest = Omit<MessageBody, 'stream'>;

/** A message of one text block. */
export function anthropicTextMessage(role: 'user' | 'assistant', text: string): AnthropicMessage {
  return { role, content: text };
}

/** The Anthropic-style message surface. It takes the same bearer key as chat, and `max_tokens` is required. */
export class Anthropic {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Create a message and wait for all of it. `text()` and `thinking()` on the reply join its blocks. Check `stop_reason`. */
  async create(ctx: CallContext, request: AnthropicMessageRequest): Promise<AnthropicReply> {
    const operation = anthropicCreate.id;
    const reply: AnthropicMessageResponse = await requestJson(this.#settings, anthropicCreate, ctx, { body: this.#body(operation, request, false) });
    return withAccessors(reply);
  }

  /**
   * Stream a message as the protocol's raw events: `type` is the event's name, `data` its payload.
   *
   * The request is sent when the first event is asked for. `ping` and event types unknown to this package come through;
   * an `error` event throws an ApiError, and a stream that stops before `message_stop` a StreamError.
   */
  stream(ctx: CallContext, request: AnthropicMessageRequest): EventStream<AnthropicStreamEvent> {
    const operation = 'anthropic.stream';
    return requestStream(
      this.#settings,
      anthropicCreate,
      ctx,
      () => ({ body: this.#body(operation, request, true) }),
      new EventProtocol(),
      operation,
    );
  }

  /**
   * Stream a message into a callback.
   *
   * @deprecated Use `stream`; removed in 1.0. A callback that throws, rejects or gives back an Error aborts the stream, and the call rejects with that value.
   */
  createStream(ctx: CallContext, request: AnthropicMessageRequest, callback: StreamCallback<AnthropicStreamEvent>): Promise<void> {
    return drain(this.stream(ctx, request), callback);
  }

  /** Count the input tokens of a message request. Nobody has seen the service answer this route; `tools().tokenize` is the documented way. */
  countTokens(ctx: CallContext, request: AnthropicCountTokensRequest): Promise<AnthropicTokenCount> {
    return requestJson(this.#settings, anthropicCountTokens, ctx, { body: request });
  }

  #body(operation: string, request: AnthropicMessageRequest, stream: boolean): Record<string, unknown> {
    if (typeof request !== 'object' || request === null || Array.isArray(request)) throw new ValidationError(operation, '', 'must be an object');
    const body: Record<string, unknown> = { ...request };
    if (!stream && body['stream'] === true) throw new ValidationError(operation, 'stream', 'must not be true here: use anthropic().stream');
    if (!this.#settings.disableToolSchemaCompat && Array.isArray(request.tools)) body['tools'] = sanitizeToolSchemas(request.tools);
    if (stream) body['stream'] = true;
    return body;
  }
}
