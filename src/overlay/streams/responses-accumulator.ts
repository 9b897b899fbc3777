import type { ResponsesResponse, ResponsesStreamEvent } from '../../generated/types.ts';
import type { FailureSource } from '../errors/envelope.ts';
import { StreamError } from '../errors/errors.ts';
import { apiError } from '../errors/failure.ts';
import { type Fields, fieldsOf, isFields, textOf } from '../json/json-value.ts';
import { failureOfEvent } from '../surfaces/responses/protocol.ts';
import { type ResponsesReply, withResponseAccessors } from '../surfaces/responses/reply.ts';
import { ResponseItems } from './response-items.ts';

const source: FailureSource = { operation: 'responses.stream', surface: 'responses', status: 200, requestId: undefined, secrets: [] };

/** Assembles the events of a response stream into the reply that `create` would return. */
export class ResponseAccumulator {
  #head: Fields | undefined;
  #last: Fields | undefined;
  readonly #items = new ResponseItems(true);

  add(event: ResponsesStreamEvent): void {
    const data: Fields = fieldsOf(event);
    // Events that do not come from a stream of the client.
    const failure = failureOfEvent(textOf(data['type']), data);
    if (failure) throw apiError(failure, source);
    switch (data['type']) {
      case 'response.created':
      case 'response.in_progress':
        this.#head = fieldsOf(data['response']);
        break;
      case 'response.completed':
      case 'response.incomplete':
        if (!isFields(data['response'])) throw new StreamError('responses.stream', 'malformed', 'the last event of the stream has no response');
        this.#last = data['response'];
        break;
      default:
        break;
    }
    this.#items.add(textOf(data['type']), data);
  }

  /** The response so far. Throws for one without an end, unless `keepMalformed` is true. */
  assembled(keepMalformed = false): ResponsesReply {
    if (!this.#last && this.#head && !keepMalformed)
      throw new StreamError('responses.stream', 'truncated', 'the stream ended before response.completed or response.incomplete');
    const whole = this.#last ?? this.#head;
    if (!whole) throw new StreamError('responses.stream', 'malformed', 'the stream has no response.created');
    return withResponseAccessors({ ...whole, output: this.#items.output() } as ResponsesResponse);
  }

  get partial(): ResponsesReply | undefined {
    return (this.#last ?? this.#head) && this.assembled(true);
  }
}
