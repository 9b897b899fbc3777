import type { Found } from '../claims.ts';
import { entries, list, type Operation } from '../operations.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from '../source.ts';
import { holds, type Recording, recordedSource, recordingsOf } from './recordings.ts';

/** Keywords that limit a value. A text of at least one character is a rule of the client. */
const limits =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems maxContains maxProperties pattern'.split(' ');

/** The word and the sources of a place that has none of its own. */
interface Inherited {
  readonly surface: string;
  readonly evidence: string;
  /** Sources that replace those of the table. */
  readonly source: readonly string[] | undefined;
}

/** The claims of the spec: operations, fields with a word of their own, enums, defaults, limits and refusals. */
export function specClaims(source: Source, operations: readonly Operation[], recordings: readonly Recording[]): Found[] {
  const reader = new Reader(source, operations, recordings);
  for (const operation of operations) {
    const raw = source.value['paths'] as { [path: string]: { [method: string]: JsonObject } };
    const node = raw[operation.path]?.[operation.method.toLowerCase()] ?? {};
    reader.operation(operation, node);
  }
  for (const [name, schema] of entries(resolve(source.value, '#/components/schemas'))) reader.schema(name, schema);
  return reader.found;
}

class Reader {
  readonly found: Found[] = [];
  readonly #source: Source;
  readonly #recordings: readonly Recording[];
  readonly #operations: readonly Operation[];
  /** The first operation that uses each schema. */
  readonly #users = new Map<string, Operation>();

  constructor(source: Source, operations: readonly Operation[], recordings: readonly Recording[]) {
    this.#source = source;
    this.#operations = operations;
    this.#recordings = recordings;
    for (const operation of operations)
      for (const part of [operation.body, ...operation.replies, ...operation.parameters]) this.#use(part, operation);
  }

  #use(part: unknown, operation: Operation): void {
    if (Array.isArray(part)) for (const item of part) this.#use(item, operation);
    if (!isObject(part)) return;
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(part['$ref']))?.[1];
    if (name !== undefined && !this.#users.has(name)) {
      this.#users.set(name, operation);
      this.#use(resolve(this.#source.value, `#/components/schemas/${name}`), operation);
    }
    for (const [key, child] of Object.entries(part)) if (key !== 'examples') this.#use(child, operation);
  }

  operation(operation: Operation, node: JsonObject): void {
    const { id, surface, evidence, path, method } = operation;
    const place = ['paths', path, method.toLowerCase()];
    const from = { surface, evidence, source: sourcesOf(node) };
    const shown = evidence === 'recorded' ? recordedSource(recordingsOf(this.#source, operation, this.#recordings)) : [];
    this.found.push({ id: `operation:${id}`, path: place, evidence, source: shown.length > 0 ? shown : this.#sources(from, place) });
    this.#refusals(node, id, place);
    for (const { name, schema, place: at } of operation.parameters) this.#walk(schema, `${id}.${name}`, [...at.map(String), 'schema'], from, '');
  }

  schema(name: string, schema: Json): void {
    const user = this.#users.get(name);
    const from = { surface: user?.surface ?? 'chat', evidence: user?.evidence ?? 'documented', source: undefined };
    this.#walk(schema, name, ['components', 'schemas', name], from, '');
  }

  #walk(node: Json | undefined, name: string, path: readonly string[], above: Inherited, when: string): void {
    if (!isObject(node)) return;
    const from = this.#own(node, name, path, above);
    this.#facts(node, name, path, from, when);
    this.#refusals(node, name, path);
    for (const [key, child] of entries(node['properties'])) this.#walk(child, `${name}.${key}`, [...path, 'properties', key], from, when);
    this.#walk(node['items'], `${name}[]`, [...path, 'items'], from, when);
    this.#walk(node['additionalProperties'], `${name}.*`, [...path, 'additionalProperties'], from, when);
    this.#walk(node['propertyNames'], `${name}.{key}`, [...path, 'propertyNames'], from, when);
    for (const key of ['allOf', 'anyOf', 'oneOf'])
      for (const [index, branch] of list(node[key]).entries()) this.#walk(branch, name, [...path, key, String(index)], from, when);
    const test = condition(node['if']);
    this.#walk(node['then'], name, [...path, 'then'], from, test === '' ? when : `${when} (${test})`);
    this.#walk(node['else'], name, [...path, 'else'], from, `${when} (else)`);
  }

  /** The word and the sources of a node, and its claim if it has a word of its own. */
  #own(node: JsonObject, name: string, path: readonly string[], above: Inherited): Inherited {
    if (typeof node['x-evidence'] !== 'string') {
      if (node['x-source'] !== undefined) throw this.#source.error([...path, 'x-source'], 'needs x-evidence beside it');
      return above;
    }
    const from = { surface: above.surface, evidence: node['x-evidence'], source: sourcesOf(node) };
    const shown = from.evidence === 'recorded' && from.source === undefined ? this.#shown(name) : [];
    this.found.push({ id: `field:${name}`, path, evidence: from.evidence, source: shown.length > 0 ? shown : this.#sources(from, path) });
    return from;
  }

  /** The recordings whose reply has this field of its schema. */
  #shown(name: string): string[] {
    const [schema, ...steps] = name.split('.');
    const users = this.#operations.filter(({ replies }) => replies.some((one) => one.schema['$ref'] === `#/components/schemas/${schema}`));
    const found = users.flatMap((one) => recordingsOf(this.#source, one, this.#recordings));
    return recordedSource(found.filter(({ body }) => holds(body, steps)));
  }

  #facts(node: JsonObject, name: string, path: readonly string[], from: Inherited, when: string): void {
    const add = (kind: string, subject: string, key: string): void => {
      const value = key === 'const' ? [node[key] ?? null] : (node[key] ?? null);
      // A recording shows one value of several, and no limit.
      const isShown = from.evidence !== 'recorded' || from.source !== undefined || (Array.isArray(value) && value.length === 1);
      const origin = isShown ? from : { ...from, evidence: 'documented' };
      this.found.push({
        id: `${kind}:${subject}${when}`,
        path: [...path, key],
        evidence: origin.evidence,
        source: this.#sources(origin, path),
        value,
      });
    };
    for (const key of ['enum', 'x-extensible-enum', 'const']) if (node[key] !== undefined) add('enum', name, key);
    if (node['default'] !== undefined) add('default', name, 'default');
    for (const key of limits)
      if (node[key] !== undefined && !isObject(node[key]) && !(key === 'minLength' && node[key] === 1)) add('limit', `${name}.${key}`, key);
  }

  #refusals(node: JsonObject, name: string, path: readonly string[]): void {
    for (const one of list(node['x-refuses'])) {
      const { name: title, evidence, source, ...value } = one as JsonObject;
      this.found.push({
        id: `refusal:${name}.${title}`,
        path: [...path, 'x-refuses', String(title)],
        evidence: String(evidence),
        source: list(source).map(String),
        value,
      });
    }
  }

  #sources({ surface, evidence, source }: Inherited, path: readonly string[]): readonly string[] {
    const table = this.#source.value['x-sources'];
    const words = isObject(table) ? table[surface] : undefined;
    const found = source ?? (isObject(words) ? list(words[evidence]).map(String) : []);
    if (found.length === 0) throw this.#source.error(path, `x-sources has no source for ${evidence} on ${surface}`);
    return found;
  }
}

function sourcesOf(node: JsonObject): readonly string[] | undefined {
  return Array.isArray(node['x-source']) ? node['x-source'].map(String) : undefined;
}

/** A condition as a short text: its values, or the description of a long list. */
function condition(test: Json | undefined): string {
  const parts = entries(isObject(test) ? test['properties'] : undefined).map(([name, one]) => {
    const { description, const: word, enum: words } = isObject(one) ? one : {};
    const values = list(words).concat(word ?? []);
    return values.length > 3 && typeof description === 'string' ? description.replace(/\.$/, '').toLowerCase() : `${name} ${values.join(', ')}`;
  });
  return parts.join(', ');
}
