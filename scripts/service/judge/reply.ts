// The parts of a recorded reply: its JSON and its events.
import { jsonOrUndefined } from '../../../src/overlay/json/json-value.ts';
import type { ExchangeBody, RecordedExchange } from '../../../src/testing/exchanges/form.ts';

/** JSON of a body, also of one that was kept as text because of its large numbers. */
export function jsonOf({ body, text }: ExchangeBody): unknown {
  return body === undefined && text !== undefined ? jsonOrUndefined(text) : body;
}

export interface StreamEvent {
  readonly name: string | undefined;
  /** Undefined for `[DONE]` or a text that is not JSON. */
  readonly payload: unknown;
  readonly data: string;
}

export function eventsOf({ response }: RecordedExchange): StreamEvent[] {
  return (response.frames ?? []).flatMap(({ event, data }) => (data === undefined ? [] : [{ name: event, data, payload: jsonOrUndefined(data) }]));
}
