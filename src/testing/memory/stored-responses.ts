import { examples } from '../../generated/examples.ts';
import { type Route, responsesCreate, responsesDelete, responsesGet, responsesInputItems } from '../../generated/routes.ts';
import { type Fields, fieldsOf, isFields, jsonOrUndefined, listOf } from '../../overlay/json/json-value.ts';
import { inputItems } from '../requests/input-items.ts';
import type { Refusal } from '../requests/refusal.ts';
import type { FakeRequest } from '../requests/request.ts';
import { joined, textOf, type WireReply } from '../sockets/wire-reply.ts';

/** A request among the spec's examples continues this response, so every fake has it. */
const exampleId = examples[responsesGet.id]?.parameters['response_id'];
const keptMs = 7 * 24 * 60 * 60 * 1000;

interface Kept {
  readonly response: Fields;
  readonly items: readonly unknown[];
  /** All items until the end of the response, the responses before it included. */
  readonly history: readonly unknown[];
  readonly untilMs: number;
}

/** Responses that were created with `store: true`, which the service keeps for 7 days. */
export class ResponseBook {
  readonly #kept = new Map<string, Kept>();

  clear(): void {
    this.#kept.clear();
  }

  /** Keeps the response that a reply contains, if the request asks for it. Whether the service keeps one whose reply was cut off is not known. */
  keep(route: Route, request: FakeRequest, wire: WireReply): void {
    const { store, input } = fieldsOf(request.body);
    if (route.id !== responsesCreate.id || store !== true || wire.head !== 'send' || wire.status !== 200) return;
    const response = responseOf(textOf(joined(wire.blocks)));
    const id = response?.['id'];
    if (response === undefined || typeof id !== 'string') return;
    const items = inputItems(input);
    const history = [...this.historyOf(request), ...items, ...listOf(response['output'])];
    this.#kept.set(id, { response, items, history, untilMs: Date.now() + keptMs });
  }

  /** The items before a request's: empty unless it continues a kept response. */
  historyOf({ body }: FakeRequest): readonly unknown[] {
    const id = fieldsOf(body)['previous_response_id'];
    return (typeof id === 'string' ? this.#find(id)?.history : undefined) ?? [];
  }

  /** The error of a request that continues a response which this fake does not have. Its status and its word are unconfirmed. */
  refusedHistory(route: Route, { body }: FakeRequest): Refusal | undefined {
    const id = fieldsOf(body)['previous_response_id'];
    if (route.id !== responsesCreate.id || typeof id !== 'string' || id === exampleId || this.#find(id) !== undefined) return undefined;
    return { status: 400, code: 'invalid_request', message: `The response ${id} was not found.` };
  }

  /** The error of an operation on such a response, as unconfirmed. */
  unknown(route: Route, { parameters }: FakeRequest): Refusal | undefined {
    const { response_id: id } = parameters;
    if (route.surface !== 'responses' || id === undefined || id === exampleId || this.#find(id) !== undefined) return undefined;
    return { status: 404, code: 'invalid_request', message: `The response ${id} was not found.` };
  }

  /** The reply of an operation on a kept response. Undefined for other requests. */
  reply(route: Route, { parameters }: FakeRequest): object | undefined {
    const id = parameters['response_id'] ?? '';
    const kept = this.#find(id);
    if (kept === undefined) return undefined;
    if (route.id === responsesGet.id) return kept.response;
    // Unconfirmed: the paging fields. Without `has_more`, the client of OpenAI would ask for the items after the last one for ever.
    if (route.id === responsesInputItems.id) return { object: 'list', data: kept.items, has_more: false };
    if (route.id !== responsesDelete.id) return undefined;
    this.#kept.delete(id);
    return { id, object: 'response', deleted: true };
  }

  #find(id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    return kept !== undefined && kept.untilMs > Date.now() ? kept : undefined;
  }
}

/** The complete response in a body: the body itself, or the one in the last event. */
function responseOf(text: string): Fields | undefined {
  const bodies = text.startsWith('{') ? [text] : text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const found = bodies.map(jsonOrUndefined).map((body) => (Array.isArray(fieldsOf(body)['output']) ? body : fieldsOf(body)['response']));
  const response = found.findLast(isFields);
  return response?.['status'] === 'in_progress' ? undefined : response;
}
