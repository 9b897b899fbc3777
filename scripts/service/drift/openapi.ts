import { isDeepStrictEqual } from 'node:util';
import { entries, list, type Operation, serverRoots } from '../../generate/document/operations.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from '../../generate/document/source.ts';
import type { Claims } from '../facts.ts';
import type { Difference, Harm } from './difference.ts';
import { defaultOf, loosest, type Part, type Shape, shapeOf, typesOf, wordsOf } from './shape.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** The differences of an OpenAPI document of the service from the spec. It may describe a part of the operations only. */
export function openapiDifferences(table: string, theirs: JsonObject, ours: Source, operations: readonly Operation[], claims: Claims): Difference[] {
  const comparison = new Comparison(table, theirs, ours, claims);
  const known = new Map(operations.flatMap((one) => pathsOf(ours, one).map((path): [string, Operation] => [`${one.method} ${path}`, one])));
  const server = list(theirs['servers'])[0];
  const url = isObject(server) ? String(server['url']) : '';
  const base = URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, '') : '';
  for (const [path, item] of entries(theirs['paths']))
    for (const method of methods) {
      const operation = isObject(item) ? item[method] : undefined;
      if (!isObject(operation)) continue;
      const name = `${method.toUpperCase()} ${base}${path}`;
      const own = known.get(bare(name));
      if (own === undefined) comparison.add('missing', `operation:${name}`, 'described', null);
      else comparison.operation(own, operation, list((item as JsonObject)['parameters']));
    }
  return comparison.found;
}

/** Names of fields that a claim may be about: `<schema>.<field>`. */
export function fieldNames(source: Source): Set<string> {
  const names = new Set<string>();
  const visit = (node: Json | undefined, name: string): void => {
    if (!isObject(node)) return;
    names.add(`field:${name}`).add(`type:${name}`);
    for (const [key, child] of entries(node['properties'])) visit(child, `${name}.${key}`);
    visit(node['items'], `${name}[]`);
    for (const key of ['allOf', 'anyOf', 'oneOf']) for (const branch of list(node[key])) visit(branch, name);
  };
  for (const [name, schema] of entries(resolve(source.value, '#/components/schemas'))) visit(schema, name);
  return names;
}

function pathsOf(source: Source, { surface, path }: Operation): string[] {
  const roots = [...serverRoots(source)].filter(([name]) => name.startsWith(`${surface} `));
  return [...new Set(roots.map(([, root]) => bare(new URL(root).pathname + path)))];
}

/** A path whose parameters have no names. */
function bare(path: string): string {
  return path.replace(/\{[^}]+\}/g, '{}');
}

class Comparison {
  readonly found: Difference[] = [];
  readonly #table: string;
  readonly #theirs: JsonObject;
  readonly #ours: Source;
  readonly #claims: Claims;
  readonly #seen = new Set<string>();

  constructor(table: string, theirs: JsonObject, ours: Source, claims: Claims) {
    this.#table = table;
    this.#theirs = theirs;
    this.#ours = ours;
    this.#claims = claims;
  }

  add(harm: Harm, claim: string, theirs: Json, ours: Json): void {
    this.found.push({ harm, claim, table: this.#table, theirs, ours });
  }

  operation(own: Operation, theirs: JsonObject, shared: readonly Json[]): void {
    const isDocumented = own.evidence === 'documented';
    const { requestBody, responses } = theirs;
    this.#parameters(own, [...shared, ...list(theirs['parameters'])]);
    const known = entries(rawOf(this.#ours, own)['responses']).map(([status]) => status);
    for (const [status] of entries(responses))
      if (/^\d/.test(status) && !known.includes(status)) this.add('word', `status:${own.id}.${status}`, 'described', null);
    const reply = own.replies.find((one) => one.status === '200' && one.mediaType === 'application/json');
    const bodies: [JsonObject | undefined, Json | undefined, boolean][] = [
      [own.body?.schema, requestBody, true],
      [reply?.schema, isObject(responses) ? responses['200'] : undefined, false],
    ];
    for (const [mine, holder, isRequest] of bodies) {
      const schema = mediaSchema(this.#theirs, holder);
      if (mine && schema) this.#schema([{ node: mine, name: own.id }], [{ node: schema, name: '' }], isRequest, isDocumented);
    }
  }

  /** Parameters in addition to the path, whose names are in it. The client adds some headers to every request. */
  #parameters(own: Operation, theirs: readonly Json[]): void {
    for (const holder of theirs) {
      const one = isObject(holder) && typeof holder['$ref'] === 'string' ? resolve(this.#theirs, holder['$ref']) : holder;
      if (!isObject(one) || one['in'] === 'path' || addedHeaders.test(String(one['name']))) continue;
      const [place, name, isRequired] = [String(one['in']), String(one['name']), one['required'] === true];
      const mine = own.parameters.find((parameter) => parameter.in === place && sameName(parameter.name, name, place));
      const claim = `parameter:${own.id}.${name}`;
      if (!mine) this.add(isRequired ? 'refused' : 'extra', claim, isRequired ? 'required' : 'described', null);
      else {
        if (mine.required !== isRequired) this.add(isRequired ? 'refused' : 'word', claim, words(isRequired), words(mine.required));
        if (isObject(mine.schema) && isObject(one['schema']))
          this.#schema([{ node: mine.schema, name: `${own.id}.${name}` }], [{ node: one['schema'], name: '' }], true, own.evidence === 'documented');
      }
    }
  }

  #schema(ours: readonly Part[], theirs: readonly Part[], isRequest: boolean, isDocumented: boolean): void {
    const [own, other] = [shapeOf(this.#ours.value, ours), shapeOf(this.#theirs, theirs)];
    const name = own.parts[0]?.name ?? '';
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#facts(own, other);
    for (const [key, parts] of other.fields) {
      const mine = own.fields.get(key);
      if (mine === undefined) this.add('extra', `field:${name}.${key}`, 'described', null);
      else this.#field(mine, parts, [own.required.has(key), other.required.has(key)], isRequest, isDocumented);
    }
    if (other.fields.size > 0)
      for (const [key, parts] of own.fields)
        if (!other.fields.has(key) && isStated(parts, isDocumented))
          this.add(isRequest ? 'refused' : 'extra', claimOf('field', parts), null, 'documented');
    if (own.items.length > 0 && other.items.length > 0) this.#schema(own.items, other.items, isRequest, isDocumented);
  }

  #field(mine: readonly Part[], parts: readonly Part[], [own, other]: [boolean, boolean], isRequest: boolean, isDocumented: boolean): void {
    if (isRequest && own !== other) this.add(other ? 'refused' : 'word', claimOf('field', mine), words(other), words(own));
    this.#schema(mine, parts, isRequest, isStated(mine, isDocumented));
  }

  /** Compare the words, default and limits that their side states. Where it states none, its prose may. */
  #facts(own: Shape, other: Shape): void {
    const words = wordsOf(other);
    const mine = wordsOf(own);
    if (words && !isDeepStrictEqual(sorted(mine), sorted(words)))
      this.add('word', claimAt('enum', own, wordKeys), [...words], mine ? [...mine] : null);
    const [types, ownTypes] = [typesOf(other), typesOf(own)];
    if (types && ownTypes && !isDeepStrictEqual(types, ownTypes)) this.add('word', claimAt('type', own, ['type']), types, ownTypes);
    const facts: [Harm, string, Json | undefined, Json | undefined][] = [
      ['word', claimAt('default', own, ['default']), defaultOf(other), defaultOf(own)],
      ...limits.map((key): [Harm, string, Json | undefined, Json | undefined] => [
        'size',
        `${claimAt('limit', own, [key])}.${key}`,
        loosest(key, other),
        loosest(key, own),
      ]),
    ];
    for (const [harm, claim, given, value = null] of facts)
      if (given !== undefined && !isDeepStrictEqual(given, value) && !(value === null && this.#hasCondition(claim, given)))
        this.add(isLooser(claim, given, value) ? 'refused' : harm, claim, given, value);
  }

  /** True if a claim has the value under a condition, for instance for some models. */
  #hasCondition(claim: string, value: Json): boolean {
    return [...this.#claims.values()].some((one) => one.id.startsWith(`${claim} (`) && isDeepStrictEqual(one.value, value));
  }
}

/** An operation as our document has it. */
function rawOf({ value }: Source, { place }: Operation): JsonObject {
  const found = place.reduce<Json | undefined>((node, key) => (isObject(node) ? node[key] : undefined), value);
  return isObject(found) ? found : {};
}

/** Headers that every request has, whether or not a document describes them. */
const addedHeaders = /^(authorization|content-type|accept|accept-language|user-agent|x-api-key)$/i;

function sameName(one: string, other: string, place: string): boolean {
  return place === 'header' ? one.toLowerCase() === other.toLowerCase() : one === other;
}

function words(isRequired: boolean): string {
  return isRequired ? 'required' : 'optional';
}

/** True if our limit lets requests through that the other side refuses. */
function isLooser(claim: string, theirs: Json, ours: Json): boolean {
  if (!claim.startsWith('limit:') || typeof theirs !== 'number' || typeof ours !== 'number') return false;
  return /\.max\w+$/.test(claim) ? ours > theirs : ours < theirs;
}

const wordKeys = ['enum', 'x-extensible-enum', 'const'];

function claimOf(kind: string, parts: readonly Part[]): string {
  return `${kind}:${parts[0]?.name}`;
}

/** The claim of the part that states one of the keys, else of the first. */
function claimAt(kind: string, { parts }: Shape, keys: readonly string[]): string {
  return claimOf(kind, [...parts.filter(({ node }) => keys.some((key) => node[key] !== undefined)), ...parts]);
}

/** True for a field that the vendor documents, by its own word or its operation's. */
function isStated(parts: readonly Part[], isDocumented: boolean): boolean {
  const word = parts.map(({ node }) => node['x-evidence']).find((one) => one !== undefined);
  return word === undefined ? isDocumented : word === 'documented';
}

function sorted(words: readonly Json[] | undefined): string[] {
  return (words ?? []).map((word) => JSON.stringify(word)).sort();
}

function mediaSchema(document: JsonObject, holder: Json | undefined): JsonObject | undefined {
  const target = isObject(holder) && typeof holder['$ref'] === 'string' ? resolve(document, holder['$ref']) : holder;
  const [media] = entries(isObject(target) ? target['content'] : undefined).map(([, one]) => one);
  return isObject(media) && isObject(media['schema']) ? media['schema'] : undefined;
}
