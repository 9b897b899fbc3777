// The parts of a recorded reply: its JSON, its events, and the failure in it.
import { jsonOrUndefined } from '../../overlay/errors/json-value.ts';
import type { ExchangeBody, RecordedExchange } from '../exchanges/form.ts';
import { isNode, type SchemaNode } from './strict-schema.ts';

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

export interface FailureCode {
  /** Business code, or the word of the surface. */
  readonly code: string | undefined;
}

/** The failure that a body has, whatever its status. A code of success is none. */
export function failureIn(body: unknown): FailureCode | undefined {
  if (!isNode(body)) return undefined;
  const { error, code, success } = body;
  if (isNode(error)) return { code: codeText(error) };
  if (success === false) return { code: codeText(body) };
  const text = codeText({ code });
  return text === undefined || ['0', '200'].includes(text) || !('msg' in body || 'message' in body) ? undefined : { code: text };
}

/** Messages has its code in the text, as `[1305][…]`. */
function codeText({ code, type, message }: SchemaNode): string | undefined {
  if (typeof code === 'number' || (typeof code === 'string' && code !== '')) return String(code);
  const inText = typeof message === 'string' ? /^\[(\d{3,4})\]/.exec(message)?.[1] : undefined;
  return inText ?? (typeof type === 'string' ? type : undefined);
}
