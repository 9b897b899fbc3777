// Redaction of values: texts, names and JSON.
import { jsonOrUndefined } from '../../overlay/errors/json-value.ts';
import { isJsonObject, type Json, type JsonObject, maxDepth, tooDeep } from './form.ts';
import { type IdNames, idPlaceholder, isGenerated } from './ids.ts';
import { accountFields, credentialFields, type Profile, plainName, profiles, type RedactionRules } from './profiles.ts';
import { credentialsIn, secretsOf, withoutKeys } from './secrets.ts';
import { specWords } from './vocabulary.ts';

const removed = '<removed>';
const placeholder = /^<(?:key|id|removed|(?:text|name|bytes) \d+)>(?: \d+)?$/;

/** Fields below which names are those of a tool. */
const toolFields: ReadonlySet<string> = new Set(['arguments', 'input', 'parameters', 'inputschema', 'schema', 'properties']);

/** The place of a value: the name of its field, and whether a tool defined it. */
interface FieldPlace {
  readonly name: string;
  readonly inTool: boolean;
}

const top: FieldPlace = { name: '', inTool: false };

export class Redaction {
  readonly profile: Profile;
  readonly #ids: IdNames;
  readonly #words: ReadonlySet<string>;
  readonly #kept: ReadonlySet<string>;
  readonly #dropped: ReadonlySet<string>;
  #secrets: readonly string[];
  #fresh = new Set<string>();

  constructor(rules: RedactionRules, ids: IdNames) {
    this.profile = profiles[rules.profile ?? 'cassette'];
    this.#ids = ids;
    this.#words = this.profile.texts === 'spec' ? new Set([...specWords(), ...(rules.words ?? [])]) : new Set();
    this.#kept = new Set((rules.keepFields ?? []).map(plainName));
    this.#dropped = new Set((rules.removeFields ?? []).map(plainName));
    this.#secrets = secretsOf(rules.secrets ?? []);
  }

  /** Credentials of all requests so far, longest first. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** Adds the credentials in headers to the secrets. */
  learn(headers: Readonly<Record<string, string>>): void {
    const all = new Set([...this.#secrets, ...secretsOf(credentialsIn(headers))]);
    if (all.size > this.#secrets.length) this.#secrets = [...all].sort((a, b) => b.length - a.length);
  }

  /** The ids without a name since the last call. */
  takeFresh(): ReadonlySet<string> {
    const fresh = this.#fresh;
    this.#fresh = new Set();
    return fresh;
  }

  /** A JSON value. `path` is its place for a Problem. */
  json(value: Json, path: string): Json {
    return this.#value(value, top, path, 0);
  }

  /** A body or a frame: JSON with the fields of the service, or text. */
  document(text: string): string {
    return this.#inner(text, top) ?? this.text(text);
  }

  /** The value of a field that is a text. */
  field(text: string, name: string, inTool: boolean = false): string {
    const plain = plainName(name);
    if (placeholder.test(text)) return text;
    if (this.#dropped.has(plain) || (text !== '' && this.#isPrivate(plain, inTool))) return removed;
    if (this.profile.texts === 'spec') return this.text(text);
    return this.#inner(text, { name: '', inTool: true }) ?? this.#idOrText(text, /(?:^|_|[a-z])id$/i.test(name));
  }

  /** A segment of a path, which may be an id. */
  segment(text: string): string {
    if (this.profile.texts === 'all') return this.#idOrText(text, true);
    return text === '' || this.#words.has(text) || placeholder.test(text) ? text : idPlaceholder;
  }

  /** A text that is neither JSON nor an id. */
  text(text: string): string {
    return text === '' ? text : this.#label(text, 'text');
  }

  /** The name of a field. */
  name(name: string): string {
    return this.#label(name, 'name');
  }

  #label(text: string, kind: 'text' | 'name'): string {
    if (this.profile.texts === 'all') return withoutKeys(this.#ids.known(text), this.#secrets);
    return this.#words.has(text) || placeholder.test(text) ? text : `<${kind} ${text.length}>`;
  }

  #idOrText(text: string, isId: boolean): string {
    const name = this.#ids.known(text);
    if (name === text && isId && isGenerated(text)) {
      this.#fresh.add(text);
      return idPlaceholder;
    }
    return withoutKeys(name, this.#secrets);
  }

  #value(value: Json, place: FieldPlace, path: string, depth: number): Json {
    if (depth > maxDepth) throw tooDeep(path);
    const { name, inTool } = place;
    const plain = plainName(name);
    if (this.#dropped.has(plain)) return removed;
    if (typeof value === 'string') return this.field(value, name, inTool);
    if (typeof value === 'number') return this.#isPrivate(plain, inTool) || Math.abs(value) >= this.profile.numbersBelow ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => this.#value(item as Json, place, path, depth + 1));
    return isJsonObject(value) ? this.#object(value, inTool || toolFields.has(plain), path, depth) : value;
  }

  #object(value: JsonObject, inTool: boolean, path: string, depth: number): JsonObject {
    const clean = new Map<string, Json>();
    const counts = new Map<string, number>();
    for (const [name, inner] of Object.entries(value)) {
      const base = this.name(name);
      let unique = base;
      for (let count = counts.get(base) ?? 1; clean.has(unique); counts.set(base, count)) unique = `${base} ${++count}`;
      clean.set(unique, this.#value(inner, { name, inTool }, path, depth + 1));
    }
    return Object.fromEntries(clean);
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

  #isPrivate(plain: string, inTool: boolean): boolean {
    return !this.#kept.has(plain) && (credentialFields.has(plain) || (!inTool && accountFields.has(plain)));
  }
}
