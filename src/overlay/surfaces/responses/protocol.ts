// Decodes the frames of the Responses protocol.
import { responsesCreate } from '../../../generated/routes.ts';
import type { ResponsesStreamEvent } from '../../../generated/types.ts';
import type { Envelope } from '../../errors/envelope.ts';
import { envelopeOf, errorField, type FailureMarks, failureIn } from '../../errors/failure.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../../json/json-value.ts';
import { beginsObject, type Decoded, InBandFailure, parseObject, type StreamProtocol, sentinel, unanswered } from '../protocol.ts';
import { mendItem, mendItems } from './reply.ts';

/** Events with the complete response. */
const answers: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);
/** Events with a response that ended without an answer. */
const failures: ReadonlySet<string> = new Set(['error', 'response.failed', 'response.cancelled']);
const begunMarks: FailureMarks = { failedStatus: 'failed' };

/** Events without any part of an answer. */
const beginnings: ReadonlySet<string> = new Set(['response.created', 'response.in_progress']);

/** The events of the Responses protocol, up to `response.completed` or `response.incomplete`. `[DONE]` may follow. */
export class ResponsesProtocol implements StreamProtocol<ResponsesStreamEvent> {
  complete = false;
  usage: unknown;
  /** True once a part of the answer has arrived: some gateways end with an empty output. */
  #hasContent = false;

  get usageIsFinal(): boolean {
    return this.usage !== undefined;
  }

  decode(name: string | undefined, data: string): Decoded<ResponsesStreamEvent> {
    if (name === 'error') throw new InBandFailure(envelopeOf(data, ''));
    if (!beginsObject(data)) {
      const text = data.trim();
      if (text === '' || text === sentinel) return { done: this.complete };
    }
    const event = parseObject<ResponsesStreamEvent>(data);
    const payload = fieldsOf(event);
    const type = textOf(payload['type']) || name || '';
    // A gateway may put its own failure into a frame without a type.
    this.usage = fieldsOf(payload['response'])['usage'] ?? this.usage;
    const failure = type === '' ? failureIn(payload, { expected: { type: 'value' } }) : failureOfEvent(type, payload);
    if (failure) throw new InBandFailure(failure);
    Object.assign(event, { type });
    mendItem(payload['item']);
    this.complete = answers.has(type);
    if (this.complete) {
      const { output, status } = fieldsOf(payload['response']);
      mendItems(output);
      if (status !== 'incomplete' && !this.#hasContent && listOf(output).length === 0) throw unanswered();
    }
    this.#hasContent ||= !beginnings.has(type);
    return { item: event, done: this.complete };
  }

  isHeartbeat(event: ResponsesStreamEvent): boolean {
    return beginnings.has(event.type) || ('delta' in event && event.delta === '');
  }
}

/** The failure of an event: by its type, or by the status and the error of its response. */
export function failureOfEvent(type: string, payload: Fields): Envelope | undefined {
  const { response, request_id: requestId, error } = payload;
  if (!failures.has(type)) return failureIn(response, answers.has(type) ? responsesCreate : begunMarks);
  // An `error` event has the fields of the error itself.
  const inner = errorField({ request_id: requestId, error: fieldsOf(response)['error'] ?? error ?? payload });
  return inner ?? { code: undefined, message: 'the response failed', requestId: undefined };
}
