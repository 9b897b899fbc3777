// Decodes the frames of the Responses protocol.
import type { ResponsesStreamEvent } from '../../generated/types.ts';
import { envelopeOf, errorField, failureIn } from '../errors/failure.ts';
import { fieldsOf, textOf } from '../errors/json-value.ts';
import { beginsObject, type Decoded, InBandFailure, parseObject, type StreamProtocol, sentinel } from './protocols.ts';
import { mendItem, mendItems } from './responses-reply.ts';

/** Events without any part of an answer. */
const beginnings: ReadonlySet<string> = new Set(['response.created', 'response.in_progress']);

/** The events of the Responses protocol, up to `response.completed` or `response.incomplete`. `[DONE]` may follow. */
export class ResponsesProtocol implements StreamProtocol<ResponsesStreamEvent> {
  complete = false;
  usage: unknown;

  decode(name: string | undefined, data: string): Decoded<ResponsesStreamEvent> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '' || text === sentinel) return { done: this.complete };
    }
    const event = parseObject<ResponsesStreamEvent>(data);
    const payload = fieldsOf(event);
    const type = textOf(payload['type']) || name || '';
    if (type === 'error' || type === 'response.failed') throw failed(payload);
    // A gateway may put its own failure into a frame without a type.
    const failure = type === '' ? failureIn(payload, { expected: { type: 'value' } }) : undefined;
    if (failure) throw new InBandFailure(failure);
    Object.assign(event, { type });
    mendItem(payload['item']);
    this.complete = type === 'response.completed' || type === 'response.incomplete';
    if (this.complete) {
      const { output, usage } = fieldsOf(payload['response']);
      mendItems(output);
      this.usage = usage;
    }
    return { item: event, done: this.complete };
  }

  isHeartbeat(event: ResponsesStreamEvent): boolean {
    return beginnings.has(event.type) || ('delta' in event && event.delta === '');
  }
}

/** The failure of an `error` event, which has its fields itself, and of `response.failed`, which has them in its response. */
function failed(payload: Readonly<Record<string, unknown>>): InBandFailure {
  const { response, request_id: requestId } = payload;
  const inner = errorField({ request_id: requestId, error: fieldsOf(response)['error'] ?? payload['error'] ?? payload });
  return new InBandFailure(inner ?? { code: undefined, message: 'the response failed', requestId: undefined });
}
