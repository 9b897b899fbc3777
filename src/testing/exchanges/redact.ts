import { validated } from '../../overlay/errors/problem.ts';
import { isFields } from '../../overlay/json/json-value.ts';
import { Problem } from '../../overlay/json/problem.ts';
import { isCredentialHeader, isCredentialName } from '../../overlay/secrets/credential-names.ts';
import type { Rules } from './book.ts';
import type { ExchangeBody, ExchangeFrame, ExchangePart, ExchangeRequest, ExchangeResponse, Json, JsonObject, RecordedExchange } from './form.ts';
import { IdNames, idPlaceholder } from './ids.ts';
import { checkRules, idHeaders, keptHeaders, type RedactionRules } from './profiles.ts';
import { decoded, hasPlaceholder, Redaction } from './redaction.ts';

/**
 * The exchange without credentials, account data and ids. Texts stay in the profile `cassette`; in the profile `bundle` only words of
 * the spec stay, and identifiers that it lacks. Credentials of the request's headers are replaced wherever they occur. Ids get names that each recording repeats.
 *
 * Throws a ValidationError for invalid rules, or a value nested deeper than 500 levels.
 */
export function redactExchange(exchange: RecordedExchange, rules: RedactionRules = {}): RecordedExchange {
  return validated('redactExchange', () => {
    if (!isFields(exchange?.request) || !isFields(exchange.response)) throw new Problem('exchange', 'must have a request and a response');
    const redactor = new Redactor(rules);
    const request = redactor.request(exchange.request);
    return { request, response: redactor.response(exchange.response, request) };
  });
}

/** Redacts the exchanges of one recording, so that an id has one name in all of them. */
export class Redactor {
  readonly #values: Redaction;
  readonly #ids = new IdNames();
  readonly #headers: ReadonlySet<string>;

  constructor(rules: RedactionRules = {}) {
    checkRules(rules, 'redact');
    this.#values = new Redaction(rules, this.#ids);
    const more = (rules.keepHeaders ?? []).map((name) => name.toLowerCase());
    const credential = more.find(isCredentialName);
    if (credential !== undefined) throw new Problem('redact.keepHeaders', `must not contain ${credential}, which carries a credential`);
    this.#headers = new Set([...keptHeaders, ...more]);
  }

  /** Redacts a request. Its credentials are replaced in every later value. */
  request(request: ExchangeRequest): ExchangeRequest {
    this.#values.learnRequest(request.headers);
    return this.#named(
      () => this.#request(request),
      (blank) => contentOf(blank),
    );
  }

  /**
   * Redacts requests of the file as the rules are now, which may be stricter than at their recording. Each gets the headers of `request`, because
   * headers with credentials are not in the file.
   */
  rulesFor({ headers }: ExchangeRequest): Rules {
    const isOwn = Object.keys(headers).some(isCredentialHeader);
    return {
      version: `${this.#values.known} ${isOwn}`,
      takesWhole: headers['accept'] === 'text/event-stream, application/json',
      again: (recorded) => this.request({ ...recorded, headers: { ...recorded.headers, ...headers } }),
    };
  }

  /** Redacts the response to a redacted request. `order` distinguishes equal requests. */
  response(response: ExchangeResponse, request: ExchangeRequest, order: number = 0): ExchangeResponse {
    this.#values.learnResponse(response.headers);
    return this.#named(
      () => this.#response(response),
      () => [contentOf(request), order],
    );
  }

  /** Redacts a value once more if it has new ids, which get their names, or new secrets, which may occur before the place that shows them. */
  #named<T>(redact: () => T, base: (blank: T) => Json): T {
    const { known } = this.#values;
    const blank = redact();
    const fresh = this.#values.takeFresh();
    if (fresh.size > 0) this.#ids.add(fresh, base(blank));
    return fresh.size > 0 || this.#values.known > known ? redact() : blank;
  }

  #request({ method, host, path, headers, parts, ...body }: ExchangeRequest): ExchangeRequest {
    return {
      method,
      host: this.#values.plain(host),
      path: this.#path(path, Object.keys(headers).some(isCredentialHeader)),
      headers: this.#headersOf(headers),
      ...this.#body(body, 'request', headers),
      ...(parts && { parts: parts.map((part) => this.#part(part)) }),
    };
  }

  #response({ status, headers, frames, count, end, ...body }: ExchangeResponse): ExchangeResponse {
    return {
      status,
      headers: this.#headersOf(headers),
      ...this.#body(body, 'reply', headers),
      ...(frames && { frames: frames.map((frame) => this.#frame(frame)), count: count ?? frames.length }),
      ...(end !== undefined && { end }),
    };
  }

  #body({ body, text, base64 }: ExchangeBody, place: 'request' | 'reply', headers: Readonly<Record<string, string>>): ExchangeBody {
    if (body !== undefined) return { body: this.#values.json(body, place) };
    if (text !== undefined && /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? ''))
      return { text: this.#values.query(text, true) };
    if (text !== undefined) return { text: this.#values.document(text, place) };
    return base64 === undefined ? {} : this.#bytes(base64, 'text');
  }

  /** Bytes without secrets. A bundle has their length alone, as a text. */
  #bytes(base64: string, name: 'text' | 'raw'): { readonly base64?: string; readonly text?: string; readonly raw?: string } {
    const bytes = Buffer.from(base64, 'base64');
    if (this.#values.isBundle) return { [name]: `<bytes ${bytes.length}>` };
    return { base64: Buffer.from(this.#values.plain(bytes.toString('latin1')), 'latin1').toString('base64') };
  }

  #part({ data, filename, ...part }: ExchangePart): ExchangePart {
    return {
      ...part,
      name: this.#values.name(part.name),
      ...(data !== undefined && { data: this.#values.field(data, { name: part.name, ofSpec: 'request' }) }),
      ...(filename !== undefined && { filename: this.#values.text(filename) }),
      ...(part.type !== undefined && { type: this.#values.text(part.type) }),
    };
  }

  #frame({ after, event, data, raw, base64 }: ExchangeFrame): ExchangeFrame {
    return {
      after,
      ...(event !== undefined && { event: this.#values.identifier(event, 'event') }),
      ...(data !== undefined && { data: this.#values.document(data) }),
      ...(raw !== undefined && { raw: this.#lines(raw) }),
      ...(base64 !== undefined && this.#bytes(base64, 'raw')),
    };
  }

  /** The lines of a frame: a line may be a field with JSON. */
  #lines(raw: string): string {
    return raw
      .split(/(\r\n|\r|\n)/)
      .map((line) => {
        const [field = ''] = /^\w*: ?/.exec(line) ?? [];
        const rest = line.slice(field.length);
        return line.trim() === '' ? line : field + (field.startsWith('event') ? this.#values.identifier(rest, 'event') : this.#values.document(rest));
      })
      .join('');
  }

  #headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
    const kept: [string, string][] = [];
    for (const [given, value] of Object.entries(headers)) {
      const name = given.toLowerCase();
      if (idHeaders.includes(name)) kept.push([name, idPlaceholder]);
      else if (!this.#headers.has(name)) continue;
      else if (!name.startsWith('retry-after')) kept.push([name, name === 'content-type' ? this.#mediaType(value) : this.#values.text(value)]);
      // A date would differ in each recording.
      else if (/^[\d.]{1,9}$/.test(value)) kept.push([name, value]);
    }
    return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Without the boundary of a form, which is random. */
  #mediaType(value: string): string {
    const parts = value.split(/;\s*/).filter((part) => !/^boundary=/i.test(part));
    return parts.map((part) => this.#values.text(part)).join('; ');
  }

  #path(path: string, isOwn: boolean): string {
    const [place = '', ...query] = path.split('?');
    const segments = place.split('/').map((segment) => {
      const plain = decoded(segment);
      const clean = this.#values.segment(plain);
      return clean === plain && !hasPlaceholder(plain) ? segment : clean;
    });
    return [segments.join('/'), ...(query.length > 0 ? [this.#values.query(query.join('?'), isOwn)] : [])].join('?');
  }
}

/** The content of a request as one JSON value, without its headers. */
function contentOf({ method, host, path, body, text, base64, parts }: ExchangeRequest): Json {
  return [method, host, path, body ?? null, text ?? null, base64 ?? null, (parts ?? []).map((part) => ({ ...part }) as JsonObject)];
}
