import { entries, list, type Operation } from '../document/operations.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from '../document/source.ts';
import { nodeOf, type Place, reached, walk } from '../document/walk.ts';
import type { Found } from './claim.ts';
import { holds, type Recording, recordedSource, recordingsOf, succeeded } from './recordings.ts';

/** Keywords that limit a value. A text of at least one character is a rule of the client. */
const limits =
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems maxContains maxProperties pattern'.split(' ');

/** The word and the sources of a place that has none of its own. */
interface Inherited {
  readonly surface: string;
  readonly evidence: string;
  /** Sources that replace the table's. */
  readonly source: readonly string[] | undefined;
}

/** The subject of the claims of a schema, and what its fields inherit. */
interface Subject {
  readonly name: string;
  readonly from: Inherited;
  /** The conditions under which it holds, as text. */
  readonly when: string;
  /** The condition of its `then`. */
  readonly test: string;
}

const same = (): string => '';

/** The end of the name of a schema, by the key around it. Schemas under other keys have no claims: they are conditions, or not compiled. */
const endings: { readonly [under: string]: (name: string) => string } = {
  '': same,
  properties: (name) => `.${name}`,
  items: () => '[]',
  additionalProperties: () => '.*',
  propertyNames: () => '.{key}',
  allOf: same,
  anyOf: same,
  oneOf: same,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: same,
  else: same,
};

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
  /** The first operation that uses each schema, by reference. */
  readonly #users = new Map<string, Operation>();

  constructor(source: Source, operations: readonly Operation[], recordings: readonly Recording[]) {
    this.#source = source;
    this.#operations = operations;
    this.#recordings = recordings;
    const refs = new Set<string>();
    for (const operation of operations) {
      const { body, replies, parameters } = operation;
      const schemas = [body, ...replies, ...parameters].flatMap((part) => [
        part?.schema,
        part && 'eventSchema' in part ? part.eventSchema : undefined,
      ]);
      for (const schema of schemas) if (schema !== undefined) reached(source, nodeOf('schema', schema, []), refs);
      for (const ref of refs) if (!this.#users.has(ref)) this.#users.set(ref, operation);
    }
  }

  operation(operation: Operation, node: JsonObject): void {
    const { id, surface, evidence, path, method } = operation;
    const place = ['paths', path, method.toLowerCase()];
    const from = { surface, evidence, source: sourcesOf(node) };
    const shown = (): Recording[] => recordingsOf(this.#source, operation, this.#recordings).filter(succeeded);
    this.found.push({ id: `operation:${id}`, path: place, evidence, source: this.#shownOr(from, place, shown) });
    this.#refusals(node, id, place);
    for (const { name, schema, place: at } of operation.parameters)
      this.#schema(schema, [...at, 'schema'], { name: `${id}.${name}`, from, when: '', test: '' });
  }

  schema(name: string, schema: Json): void {
    const user = this.#users.get(`#/components/schemas/${name}`);
    const from = { surface: user?.surface ?? 'chat', evidence: user?.evidence ?? 'documented', source: undefined };
    this.#schema(schema, ['components', 'schemas', name], { name, from, when: '', test: '' });
  }

  #schema(schema: Json, place: Place, start: Subject): void {
    walk(nodeOf('schema', schema, place), start, ({ value, place: at, under }, above) => {
      const ending = endings[under];
      if (!isObject(value) || ending === undefined) return undefined;
      const path = at.map(String);
      const name = above.name + ending(path.at(-1) ?? '');
      const when = above.when + (under === 'then' ? above.test : under === 'else' ? ' (else)' : '');
      const from = this.#own(value, name, path, above.from);
      this.#facts(value, name, path, from, when);
      this.#refusals(value, name, path);
      const test = condition(value['if']);
      return { name, from, when, test: test === '' ? '' : ` (${test})` };
    });
  }

  /** The word and the sources of a node, and its claim if it has a word of its own. */
  #own(node: JsonObject, name: string, path: readonly string[], above: Inherited): Inherited {
    if (typeof node['x-evidence'] !== 'string') {
      if (node['x-source'] !== undefined) throw this.#source.error([...path, 'x-source'], 'needs x-evidence beside it');
      return above;
    }
    const from = { surface: above.surface, evidence: node['x-evidence'], source: sourcesOf(node) };
    this.found.push({ id: `field:${name}`, path, evidence: from.evidence, source: this.#shownOr(from, path, () => this.#holding(name)) });
    return from;
  }

  /** The newest recording of a recorded place without sources of its own, else its sources. */
  #shownOr(from: Inherited, path: readonly string[], shown: () => Recording[]): readonly string[] {
    const newest = from.evidence === 'recorded' && from.source === undefined ? recordedSource(shown()) : [];
    return newest.length > 0 ? newest : this.#sources(from, path);
  }

  /** The recordings whose reply has this field of its schema. */
  #holding(name: string): Recording[] {
    const [schema, ...steps] = name.split('.');
    const users = this.#operations.filter(({ replies }) => replies.some((one) => one.schema['$ref'] === `#/components/schemas/${schema}`));
    return users.flatMap((one) => recordingsOf(this.#source, one, this.#recordings)).filter(({ body }) => holds(body, steps));
  }

  #facts(node: JsonObject, name: string, path: readonly string[], from: Inherited, when: string): void {
    const add = (id: string, keys: readonly string[], value: Json): void => {
      // A recording shows one value of several, and no limit.
      const isShown = from.evidence !== 'recorded' || from.source !== undefined || (Array.isArray(value) && value.length === 1);
      const origin = isShown ? from : { ...from, evidence: 'documented' };
      this.found.push({ id: id + when, path: [...path, ...keys], evidence: origin.evidence, source: this.#sources(origin, path), value });
    };
    for (const [key, value] of Object.entries(node)) {
      if (key === 'enum' || key === 'x-extensible-enum') add(`enum:${name}`, [key], value);
      if (key === 'const') add(`enum:${name}`, [key], [value]);
      if (key === 'default') add(`default:${name}`, [key], value);
      if (limits.includes(key) && !(key === 'minLength' && Number(value) <= 1)) add(`limit:${name}.${key}`, [key], value);
    }
    for (const [index, one] of list(node['x-defaults']).entries())
      if (isObject(one)) add(`default:${name} (${one['when']})`, ['x-defaults', String(index)], one['value'] ?? null);
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
