// Redaction of values: texts, names and JSON.

import { jsonOrUndefined } from '../../overlay/json/json-value.ts';
import { credentialsIn, isCredentialHeader, isCredentialName, isHarmlessHeader, plainName } from '../../overlay/secrets/credential-names.ts';
import { minSecretLength } from '../../overlay/secrets/secrets.ts';
import { withoutTextSecrets } from '../../overlay/secrets/secrets-in-text.ts';
import { isJsonObject, type Json, type JsonObject, maxDepth, tooDeep } from './form.ts';
import { type IdNames, idPlaceholder, isGenerated } from './ids.ts';
import { isKeptParameter, removed, withoutLinkSecrets } from './links.ts';
import { accountFields, type RedactionRules } from './profiles.ts';
import { keyPlaceholder } from './secrets.ts';
import { isIdentifier, isOfSpec, isPlainField, specWords } from './vocabulary.ts';

/** A value that the redaction wrote. */
export const placeholder: RegExp = /^<(?:key|id|removed|(?:text|name|bytes) \d+)>(?: \d+)?$/;

/** Fields below which names belong to a tool. */
const toolFields: ReadonlySet<string> = new Set(['arguments', 'input', 'parameters', 'inputschema', 'schema', 'properties']);

/** In a bundle, numbers from here on become 0: they are times, accounts or phone numbers. */
const largeNumber = 1e9;

/** With so many secrets, values of queries and fields are removed where they are, and not searched elsewhere: each text is compared with each. */
const maxLearned = 100;

/** Fields with headers, each of which is a credential unless it is known to be harmless. */
const headerFields = /headers$/;

/** The place of a value: the name of its field, and whether a tool defined it. */
interface FieldPlace {
  readonly name: string;
  readonly inTool?: boolean;
  /** It and each field above it are of the spec: in a request, or in a reply, where the names of other fields are the service's too. */
  readonly ofSpec?: 'request' | 'reply' | undefined;
  /** The field has a credential, whatever its name. */
  readonly isSecret?: boolean | undefined;
}

export class Redaction {
  /** Texts and names are words of the spec, identifiers, or lengths; ids are hidden. */
  readonly isBundle: boolean;
  readonly #ids: IdNames;
  readonly #words: ReadonlySet<string>;
  readonly #kept: ReadonlySet<string>;
  readonly #dropped: ReadonlySet<string>;
  readonly #secrets: string[] = [];
  #fresh = new Set<string>();

  constructor(rules: RedactionRules, ids: IdNames) {
    this.isBundle = rules.profile === 'bundle';
    this.#ids = ids;
    this.#words = new Set([...specWords, ...(rules.words ?? [])]);
    this.#kept = new Set((rules.keepFields ?? []).map(plainName));
    this.#dropped = new Set((rules.removeFields ?? []).map(plainName));
    this.#learn(rules.secrets ?? []);
  }

  /** Number of secrets so far. While it is the same, equal values have equal redactions. */
  get known(): number {
    return this.#secrets.length;
  }

  /** Adds the credentials in the headers of a request to the secrets. */
  learnRequest(headers: Readonly<Record<string, string>>): void {
    this.#learn(credentialsIn(headers));
  }

  /** Adds the credentials in the headers of a response, such as new cookies. */
  learnResponse(headers: Readonly<Record<string, string>>): void {
    this.#learn(credentialsIn(headers, isCredentialHeader));
  }

  /** Words of the spec, such as a model in a header of a gateway, are not secrets. */
  #learn(texts: readonly string[]): void {
    for (const text of texts)
      if (text.length >= minSecretLength && !this.#secrets.includes(text) && !specWords.has(text) && !placeholder.test(text))
        this.#secrets.push(text);
  }

  /** A value that was removed, which others may repeat. Words and numbers are too often something else. */
  readonly #learnValue = (value: string): void => {
    if (this.#secrets.length >= maxLearned) return;
    for (const text of [value, decoded(value)]) if (/\d/.test(text) && /[a-z]/i.test(text)) this.#learn([text]);
  };

  /** The ids without a name since the last call. */
  takeFresh(): ReadonlySet<string> {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    return fresh;
  }

  /** A JSON body. */
  json(value: Json, ofSpec: 'request' | 'reply'): Json {
    return this.#value(value, { name: '', ofSpec }, `${ofSpec === 'reply' ? 'response' : ofSpec}.body`, 0);
  }

  /** A body or a frame: JSON with the fields of the service, or text. */
  document(text: string, ofSpec: 'request' | 'reply' = 'reply'): string {
    return this.#inner(text, { name: '', ofSpec }) ?? this.text(text);
  }

  /** The value of a field that is a text. */
  field(text: string, place: FieldPlace): string {
    const { name, inTool } = place;
    const plain = plainName(name);
    if (placeholder.test(text)) return text;
    if (this.#dropped.has(plain)) return removed;
    if (text !== '' && this.#isPrivate(plain, inTool)) {
      if (isCredentialName(name)) this.#learnValue(text);
      return removed;
    }
    if (this.isBundle) return place.ofSpec ? this.identifier(text, name) : this.text(text);
    return this.#inner(text, { name: '', inTool: true }) ?? this.#idOrText(text, /(?:^|_|[a-z])id$/i.test(name));
  }

  /** A segment of a path, which may be an id. */
  segment(text: string): string {
    if (!this.isBundle) return this.#idOrText(text, true);
    return text === '' || this.#words.has(text) || placeholder.test(text) ? text : idPlaceholder;
  }

  /** A text that is neither JSON nor an id. */
  text(text: string): string {
    return text === '' ? text : this.#label(text, 'text');
  }

  /** A text of the field `name`, which an identifier may be although the spec lacks it. */
  identifier(text: string, name: string): string {
    return this.isBundle && isIdentifier(text, name) && this.#clean(text) === text ? text : this.text(text);
  }

  /** The parameters of a query or a form, for the host that gets the key of the request or another one. */
  query(text: string, isOwn: boolean): string {
    return text
      .split('&')
      .map((pair) => this.#pair(pair, isOwn))
      .join('&');
  }

  #pair(pair: string, isOwn: boolean): string {
    const [name = '', ...rest] = pair.split('=');
    const given = rest.join('=');
    const [plain, value] = [decoded(name), decoded(given)];
    const cleanName = this.name(plain);
    let clean = value;
    if (!placeholder.test(value)) {
      const isKept = isKeptParameter(plain, value, isOwn) || this.#kept.has(plainName(plain));
      if (!isKept) this.#learnValue(value);
      clean = isKept ? this.field(value, { name: plain }) : this.isBundle ? this.text(removed) : removed;
    }
    const isAsGiven = clean === value && !hasPlaceholder(value);
    return `${cleanName === plain ? name : cleanName}${rest.length === 0 ? '' : `=${isAsGiven ? given : clean}`}`;
  }

  /** A text with credentials alone replaced, such as bytes. */
  plain(text: string): string {
    return withoutTextSecrets(text, this.#secrets, keyPlaceholder, this.#isSecretText);
  }

  readonly #isSecretText = (name: string, value: string): boolean =>
    value !== '' && !placeholder.test(value) && isCredentialName(name) && !this.#kept.has(plainName(name));

  #clean(text: string): string {
    return this.plain(withoutLinkSecrets(text, this.#learnValue));
  }

  /** The name of a field. */
  name(name: string): string {
    return this.#label(name, 'name');
  }

  #label(text: string, kind: 'text' | 'name'): string {
    if (!this.isBundle) return this.#clean(this.#ids.known(text));
    return this.#words.has(text) || placeholder.test(text) ? text : `<${kind} ${text.length}>`;
  }

  #idOrText(text: string, isId: boolean): string {
    const name = this.#ids.known(text);
    if (name === text && isId && isGenerated(text)) {
      this.#fresh.add(text);
      return idPlaceholder;
    }
    return this.#clean(name);
  }

  #value(value: Json, place: FieldPlace, path: string, depth: number): Json {
    if (depth > maxDepth) throw tooDeep(path);
    const { name, inTool, isSecret } = place;
    const plain = plainName(name);
    if (this.#dropped.has(plain)) return removed;
    if (typeof value === 'string') return this.field(value, isSecret ? { name: 'secret' } : place);
    if (typeof value === 'number') return this.#isPrivate(plain, inTool) || (this.isBundle && Math.abs(value) >= largeNumber) ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => this.#value(item as Json, place, path, depth + 1));
    return isJsonObject(value) ? this.#object(value, place, path, depth) : value;
  }

  #object(value: JsonObject, place: FieldPlace, path: string, depth: number): JsonObject {
    const plain = plainName(place.name);
    const inTool = place.inTool || toolFields.has(plain);
    const clean = new Map<string, Json>();
    const counts = new Map<string, number>();
    for (const [name, inner] of Object.entries(value)) {
      const base = this.isBundle && place.ofSpec === 'reply' && isPlainField(name) ? name : this.name(name);
      let unique = base;
      for (let count = counts.get(base) ?? 1; clean.has(unique); counts.set(base, count)) unique = `${base} ${++count}`;
      const isSecret = this.#isSecret(value, name, place);
      const ofSpec = isOfSpec(name) ? place.ofSpec : undefined;
      const field = isLogprob(value, name) ? '' : name === 'id' && value['object'] === 'model' ? 'model' : name;
      clean.set(unique, this.#value(inner, { name: field, inTool, ofSpec, isSecret }, path, depth + 1));
    }
    return Object.fromEntries(clean);
  }

  /** True for a field with a credential by its surroundings: a header, a part of a credential, or the value of `{ name, value }`. */
  #isSecret(value: JsonObject, name: string, { name: above, inTool, isSecret }: FieldPlace): boolean {
    if (this.#kept.has(plainName(name))) return false;
    if (headerFields.test(plainName(above))) return !isHarmlessHeader(name);
    const named = name === 'value' && [value['name'], value['key'], value['header']].some((one) => typeof one === 'string' && isCredentialName(one));
    return named || isSecret === true || (!inTool && isCredentialName(above) && !this.#kept.has(plainName(above)));
  }

  /** JSON inside a text. Undefined if the text is not JSON. */
  #inner(text: string, place: FieldPlace): string | undefined {
    if (!/^\s*[{["]/.test(text)) return undefined;
    const value = jsonOrUndefined(text) as Json | undefined;
    if (value === undefined) return undefined;
    try {
      const clean = JSON.stringify(this.#value(value, place, '', 0));
      return clean === JSON.stringify(value) ? text : clean;
    } catch {
      return `<text ${text.length}>`;
    }
  }

  #isPrivate(plain: string, inTool: boolean = false): boolean {
    return !this.#kept.has(plain) && (isCredentialName(plain) || (!inTool && accountFields.has(plain)));
  }
}

/** The token of a log probability is a piece of the answer. */
function isLogprob(value: JsonObject, name: string): boolean {
  return name === 'token' && typeof value['logprob'] === 'number';
}

/** True for a part of a URL with brackets, which a client writes in percent when it opens a recorded link. */
export function hasPlaceholder(text: string): boolean {
  return /[<>]/.test(text);
}

/** A part of a path or a query in clear. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
