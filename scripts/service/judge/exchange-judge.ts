import { catalogue } from '../../../src/generated/models.ts';
import { businessCode, failureIn } from '../../../src/overlay/errors/failure.ts';
import { fieldsOf, isFields, listOf } from '../../../src/overlay/json/json-value.ts';
import type { RecordedExchange } from '../../../src/testing/exchanges/form.ts';
import { matchRoute } from '../../../src/testing/requests/routing.ts';
import type { Claim } from '../../generate/claims/claim.ts';
import { type Difference, differencesOf, isPlaceholder } from './differences.ts';
import type { DocumentOperation, PlacedSchema } from './document.ts';
import { type ExchangeFinding, shown, shownName, shownPath } from './finding.ts';
import { eventsOf, jsonOf, type StreamEvent } from './reply.ts';
import type { Validators } from './validators.ts';

/** The last event of a complete stream. */
const lastEvents: Readonly<Record<string, (event: StreamEvent) => boolean>> = {
  'chat.create': ({ data }) => data === '[DONE]',
  'anthropic.create': ({ payload }) => fieldsOf(payload)['type'] === 'message_stop',
  'responses.create': ({ data, payload }) =>
    data === '[DONE]' || ['response.completed', 'response.incomplete', 'response.failed'].includes(String(fieldsOf(payload)['type'])),
};

type Note = (found: Difference) => void;

/** Judges exchanges one after the other. */
export class ExchangeJudge {
  /** Places of the document that replies show, such as `#/components/schemas/ChatUsage/properties/prompt_tokens`. A word of a list is `place=word`. */
  readonly shown: Set<string> = new Set<string>();
  readonly #validators: Validators;
  readonly #claims: ReadonlyMap<string, Claim>;
  readonly #found = new Map<string, ExchangeFinding>();
  readonly #answered = new Set<string>();

  constructor(validators: Validators, claims: ReadonlyMap<string, Claim>) {
    this.#validators = validators;
    this.#claims = claims;
  }

  /** An operation that one exchange reaches is reached. */
  get findings(): ExchangeFinding[] {
    return [...this.#found.values()].filter(({ kind, operation }) => kind !== 'not reached' || !this.#answered.has(operation ?? ''));
  }

  judge(exchange: RecordedExchange, index: number): void {
    const { method, path } = exchange.request;
    const [pathname = '', query = ''] = path.split('?');
    const match = matchRoute(method, pathname);
    const operation = typeof match === 'number' ? undefined : this.#validators.document.operation(match.route);
    const id = typeof match === 'number' || !operation ? undefined : match.route.id;
    const note: Note = (found) => this.#note(id, index, found);
    if (typeof match === 'number' || !operation)
      return note({
        kind: 'new',
        place: `request ${shownName(method)} ${shownPath(pathname)}`,
        expected: 'an operation of the document',
        seen: 'none',
        rule: undefined,
      });
    const failure = this.#response(exchange, operation, match.route.id, note);
    if (failure !== undefined) return note({ kind: 'not reached', place: 'response', expected: failure, seen: undefined, rule: operation.place });
    this.#answered.add(match.route.id);
    this.shown.add(operation.place);
    this.#request(exchange, operation, new URLSearchParams(query), note);
  }

  /** Judges the reply. Returns why it does not reach the operation, or undefined. */
  #response(exchange: RecordedExchange, operation: DocumentOperation, id: string, note: Note): string | undefined {
    const { status, headers, frames, end } = exchange.response;
    const { place, content } = operation.response(status);
    if (!operation.statuses.includes(String(status)) && (status < 400 || !this.#isFailureStatus(status)))
      note({ kind: 'new', place: 'response.status', expected: operation.statuses.join(', '), seen: String(status), rule: operation.place });
    const given = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (given === 'text/html') return `an HTML page with status ${status}, which is not a reply of the service`;
    const body = jsonOf(exchange.response);
    if (body === undefined && frames === undefined && !hasBytes(exchange))
      return operation.emptyReply && status < 400 ? undefined : `an empty reply with status ${status}`;
    if (given !== undefined && !isPlaceholder(given) && content[given] === undefined)
      note({ kind: 'differs', place: 'response.headers.content-type', expected: Object.keys(content).join(' or '), seen: shown(given), rule: place });
    if (frames !== undefined) {
      if (end === 'cut' || end === 'reset') return `a stream that was ${end === 'cut' ? 'cut off' : 'reset'}`;
      return this.#stream(exchange, operation, id, note);
    }
    const failure = failureIn(body);
    if (failure) this.#code(id, failure.code, status, note);
    if (body !== undefined) this.#check(this.#formOf(operation, status, body, failure !== undefined), body, 'response.body', note);
    if (failure || status >= 400) return this.#why(operation, failure?.code, status);
    this.#model(exchange, [body], note);
    return undefined;
  }

  /** Statuses of codes, of gateways, and those that the default response names. */
  #isFailureStatus(status: number): boolean {
    const ofCodes = [...this.#claims.values()].map(({ value }) => fieldsOf(value)['status']);
    return ofCodes.includes(status) || [404, 405, 413, 434, 435, 502, 503, 504, 529].includes(status);
  }

  /** A failure with status 200 has the form of the reply, of a failure, or of the monitor: the first that fits. */
  #formOf(operation: DocumentOperation, status: number, body: unknown, isFailure: boolean): PlacedSchema {
    const own = operation.schema(status);
    if (!isFailure || status >= 400) return own;
    const forms = [own, operation.schema('default'), this.#validators.document.component('EnvelopeFailure')];
    const fits = ({ schema, place }: PlacedSchema): boolean =>
      schema !== undefined && this.#validators.errors(schema, place, body, new Set()).length === 0;
    return forms.find(fits) ?? own;
  }

  #stream(exchange: RecordedExchange, operation: DocumentOperation, id: string, note: Note): string | undefined {
    const events = eventsOf(exchange);
    const form = operation.events;
    let why: string | undefined;
    for (const { name, data, payload } of events) {
      if (data === '[DONE]') continue;
      const type = fieldsOf(payload)['type'];
      const root = `response.events${typeof type === 'string' ? `(${shown(type)})` : '[]'}`;
      const failure = failureIn(payload) ?? failureIn(fieldsOf(payload)['response']);
      // The failure of a surface without typed events has the form of a failed reply.
      if (isFields(payload)) this.#check(failure && type === undefined ? operation.schema('default') : form, payload, root, note);
      else note({ kind: 'differs', place: root, expected: 'JSON', seen: shown(data), rule: form.place });
      if (name !== undefined && type !== undefined && name !== type)
        note({ kind: 'differs', place: `${root} event`, expected: shown(type), seen: shown(name), rule: form.place });
      if (!failure) continue;
      this.#code(id, failure.code, 200, note);
      why = this.#why(operation, failure.code, 200);
    }
    if (why !== undefined) return why;
    const last = events.at(-1);
    if (exchange.response.end !== 'left' && (last === undefined || lastEvents[id]?.(last) === false))
      note({
        kind: 'differs',
        place: 'response.events',
        expected: 'the last event of a complete stream',
        seen: 'an end without it',
        rule: form.place,
      });
    this.#model(
      exchange,
      events.map(({ payload }) => payload),
      note,
    );
    return undefined;
  }

  /** The model of a reply is the one that was asked, or answers for it on a plan. */
  #model(exchange: RecordedExchange, payloads: readonly unknown[], note: Note): void {
    const { model } = fieldsOf(jsonOf(exchange.request));
    const asked = typeof model === 'string' ? model : undefined;
    const replies = payloads.map(fieldsOf);
    const names = replies.flatMap((one) => [one, one['message'], one['response']]).map((one) => fieldsOf(one)['model']);
    const listed = asked === undefined ? replies.flatMap(({ data }) => listOf(data)).map(fieldsOf) : [];
    const ids = listed.filter(({ object }) => object === 'model').map(({ id }) => id);
    for (const name of new Set([...names, ...ids])) {
      if (typeof name !== 'string' || name === '' || isPlaceholder(name) || asked?.toLowerCase() === name.toLowerCase()) continue;
      const isKnown = catalogue.some(({ id }) => id.toLowerCase() === name.toLowerCase());
      const found = { place: 'response model', seen: shown(name), rule: undefined };
      if (!isKnown && (asked !== undefined || ids.includes(name))) note({ ...found, kind: 'new', expected: 'a model of the catalogue' });
      else if (asked !== undefined && isKnown && !isPlaceholder(asked) && !answersFor(name, asked))
        note({ ...found, kind: 'differs', expected: shown(asked) });
      else if (isKnown) this.shown.add(`model:${name}`);
    }
    if (asked !== undefined && names.includes(asked)) this.shown.add(`model:${asked}`);
  }

  #code(operation: string, code: string | undefined, status: number, note: Note): void {
    if (code === undefined || !/^\d+$/.test(code)) return;
    const refusal = [...this.#claims.values()].find(({ id, value }) => id.startsWith(`refusal:${operation}.`) && fieldsOf(value)['code'] === code);
    const claim = this.#claims.get(`code:${code}`) ?? refusal;
    const { status: expected } = (claim?.value ?? {}) as { readonly status?: unknown };
    if (!claim) note({ kind: 'new', place: 'response code', expected: 'a documented code', seen: shown(code), rule: undefined });
    // Some operations report each failure with status 200.
    else if (status >= 400 && typeof expected === 'number' && expected !== status)
      note({ kind: 'differs', place: 'response.status', expected: `${expected} for code ${code}`, seen: String(status), rule: claim.place });
    else this.shown.add(`code:${code}`);
  }

  /** A refusal of the request, unlike one of the key or a limit, shows that the operation exists. */
  #why({ place }: DocumentOperation, code: string | undefined, status: number): string {
    const category = code === undefined ? undefined : businessCode(code)?.category;
    if (category !== undefined && !beforeOperations.includes(category)) this.shown.add(place);
    return `${reasons[category ?? ''] ?? 'the request was refused'} (status ${status}${code === undefined ? '' : `, code ${shown(code)}`})`;
  }

  #request({ request }: RecordedExchange, operation: DocumentOperation, query: URLSearchParams, note: Note): void {
    for (const name of new Set(query.keys()))
      if (!operation.query.has(name))
        note({ kind: 'new', place: `request query ${shownName(name)}`, expected: 'no such parameter', seen: 'a text', rule: operation.place });
    const body = jsonOf(request);
    // The service ignores fields that it does not know: an answer shows no field of its request.
    if (body !== undefined) this.#check(operation.request, body, 'request.body', note, new Set());
  }

  #check({ schema, place }: PlacedSchema, value: unknown, root: string, note: Note, shown: Set<string> = this.shown): void {
    if (schema === undefined) return;
    for (const found of differencesOf(this.#validators.errors(schema, place, value, shown), root, this.#validators.strict)) note(found);
  }

  #note(operation: string | undefined, exchange: number, found: Difference): void {
    const key = JSON.stringify([operation, found.kind, found.place, found.expected, found.seen]);
    const same = this.#found.get(key);
    this.#found.set(key, same ? { ...same, count: same.count + 1 } : { ...found, operation, exchange, count: 1 });
  }
}

/** Causes of failures that may come from a gateway in front of the operations. */
const beforeOperations: readonly string[] = ['auth', 'account', 'rate', 'server'];

const reasons: Readonly<Record<string, string>> = {
  auth: 'the service does not accept the key',
  account: 'the account may not call',
  billing: 'no balance',
  permission: 'this key may not do it',
  quota: 'the quota of the key is used up',
  rate: 'rate limit',
  server: 'the service failed',
  content: 'the service blocked the content',
};

function answersFor(name: string, asked: string): boolean {
  const row = catalogue.find(({ id }) => id.toLowerCase() === asked.toLowerCase());
  return row?.plan_model?.toLowerCase() === name.toLowerCase();
}

function hasBytes({ response }: RecordedExchange): boolean {
  return response.base64 !== undefined || response.text !== undefined;
}
