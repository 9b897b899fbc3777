import { isDeepStrictEqual } from 'node:util';
import { entries, list, type Operation, serverRoots } from '../generate/operations.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from '../generate/source.ts';
import type { Difference, Harm } from './difference.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** The differences of an OpenAPI document of the service from the spec. It may describe a part of the operations only. */
export function openapiDifferences(table: string, theirs: JsonObject, ours: Source, operations: readonly Operation[]): Difference[] {
  const comparison = new Comparison(table, theirs, ours);
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
      else comparison.operation(own, operation);
    }
  return comparison.found;
}

/** Names of fields that a claim may be about: `<schema>.<field>`. */
export function fieldNames(source: Source): Set<string> {
  const names = new Set<string>();
  const visit = (node: Json | undefined, name: string): void => {
    if (!isObject(node)) return;
    names.add(`field:${name}`);
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

/** A schema with its references followed and its alternatives as one: the loosest of their rules. */
interface Shape {
  readonly fields: ReadonlyMap<string, readonly JsonObject[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly JsonObject[];
  readonly words: readonly Json[] | undefined;
  readonly facts: JsonObject;
}

class Comparison {
  readonly found: Difference[] = [];
  readonly #table: string;
  readonly #theirs: JsonObject;
  readonly #ours: Source;
  readonly #seen = new Set<string>();

  constructor(table: string, theirs: JsonObject, ours: Source) {
    this.#table = table;
    this.#theirs = theirs;
    this.#ours = ours;
  }

  add(harm: Harm, claim: string, theirs: Json, ours: Json): void {
    this.found.push({ harm, claim, table: this.#table, theirs, ours });
  }

  operation(own: Operation, theirs: JsonObject): void {
    const isDocumented = own.evidence === 'documented';
    const body = isObject(theirs['requestBody']) ? mediaSchema(theirs['requestBody']) : undefined;
    if (own.body && body) this.#schema([own.body.schema], [body], own.id, true, isDocumented);
    const reply = follow(this.#theirs, isObject(theirs['responses']) ? theirs['responses']['200'] : undefined);
    const ownReply = own.replies.find((one) => one.status === '200' && one.mediaType === 'application/json');
    const media = mediaSchema(reply);
    if (ownReply && media) this.#schema([ownReply.schema], [media], own.id, false, isDocumented);
  }

  #schema(ours: readonly JsonObject[], theirs: readonly JsonObject[], place: string, isRequest: boolean, isDocumented: boolean): void {
    const reference = ours.map((one) => /^#\/components\/schemas\/(.+)$/.exec(String(one['$ref']))?.[1]).find((one) => one !== undefined);
    const name = reference ?? place;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const [own, other] = [shapeOf(this.#ours.value, ours), shapeOf(this.#theirs, theirs)];
    this.#facts(own, other, name);
    for (const [key, nodes] of other.fields) {
      const mine = own.fields.get(key);
      if (mine === undefined) this.add('extra', `field:${name}.${key}`, 'described', null);
      else this.#schema(mine, nodes, `${name}.${key}`, isRequest, isDocumented && wordOf(mine) === undefined);
      if (isRequest && mine && other.required.has(key) !== own.required.has(key))
        this.add(
          other.required.has(key) ? 'refused' : 'word',
          `field:${name}.${key}`,
          other.required.has(key) ? 'required' : 'optional',
          own.required.has(key) ? 'required' : 'optional',
        );
    }
    for (const [key, nodes] of other.fields.size > 0 ? own.fields : [])
      if (!other.fields.has(key) && (wordOf(nodes) ?? (isDocumented ? 'documented' : '')) === 'documented')
        this.add(isRequest ? 'refused' : 'extra', `field:${name}.${key}`, null, 'documented');
    if (own.items.length > 0 && other.items.length > 0) this.#schema(own.items, other.items, `${name}[]`, isRequest, isDocumented);
  }

  #facts(own: Shape, other: Shape, name: string): void {
    if (other.words && !isDeepStrictEqual(sorted(own.words), sorted(other.words)))
      this.add('word', `enum:${name}`, [...other.words], own.words ? [...own.words] : null);
    const byDefault = other.facts['default'];
    if (byDefault !== undefined && !isDeepStrictEqual(byDefault, own.facts['default']))
      this.add('word', `default:${name}`, byDefault, own.facts['default'] ?? null);
    for (const key of limits) {
      const [mine, given] = [own.facts[key] ?? null, other.facts[key] ?? null];
      const isRuleOfOurs = key === 'minLength' && mine === 1 && given === null;
      if (mine !== given && !isRuleOfOurs) this.add('size', `limit:${name}.${key}`, given, mine);
    }
  }
}

function sorted(words: readonly Json[] | undefined): string[] {
  return (words ?? []).map((word) => JSON.stringify(word)).sort();
}

function wordOf(nodes: readonly JsonObject[]): string | undefined {
  const word = nodes.map((node) => node['x-evidence']).find((one) => one !== undefined);
  return typeof word === 'string' ? word : undefined;
}

function mediaSchema(holder: JsonObject): JsonObject | undefined {
  const media = entries(holder['content']).map(([, one]) => one)[0];
  return isObject(media) && isObject(media['schema']) ? media['schema'] : undefined;
}

function follow(document: JsonObject, node: Json | undefined): JsonObject {
  const target = isObject(node) && typeof node['$ref'] === 'string' ? resolve(document, node['$ref']) : node;
  return isObject(target) ? target : {};
}

function shapeOf(document: JsonObject, nodes: readonly JsonObject[]): Shape {
  const variants = nodes.flatMap((node) => variantsOf(document, node, 0));
  const fields = new Map<string, JsonObject[]>();
  for (const variant of variants)
    for (const [name, child] of entries(variant['properties'])) if (isObject(child)) fields.set(name, [...(fields.get(name) ?? []), child]);
  const withFields = variants.filter((one) => isObject(one['properties']));
  const required = [...fields.keys()].filter((name) => withFields.every((one) => list(one['required']).includes(name)));
  const lists = variants.map((one) => one['enum'] ?? one['x-extensible-enum'] ?? (one['const'] === undefined ? undefined : [one['const']]));
  const words = lists.filter(Array.isArray).flat();
  const defaults = variants.map((one) => one['default']);
  return {
    fields,
    required: new Set(required),
    items: variants.map((one) => one['items']).filter(isObject),
    words: words.length > 0 ? [...new Map(words.map((word) => [JSON.stringify(word), word])).values()] : undefined,
    facts: {
      ...(defaults.every((one) => isDeepStrictEqual(one, defaults[0])) && defaults[0] !== undefined && { default: defaults[0] }),
      ...Object.fromEntries(limits.flatMap((key): [string, Json][] => loosest(key, variants))),
    },
  };
}

function loosest(key: string, variants: readonly JsonObject[]): [string, Json][] {
  const numbers = variants.map((one) => one[key]).filter((one) => typeof one === 'number');
  if (numbers.length === 0) return [];
  return [[key, key.startsWith('min') ? Math.min(...numbers) : Math.max(...numbers)]];
}

/** A schema and its alternatives, references followed. Conditions are left out. */
function variantsOf(document: JsonObject, node: JsonObject, depth: number): JsonObject[] {
  if (depth > 8) return [];
  const target = typeof node['$ref'] === 'string' ? resolve(document, node['$ref']) : undefined;
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    list(node[key]).filter((one): one is JsonObject => isObject(one) && one['if'] === undefined),
  );
  const { $ref: _reference, ...own } = node;
  return [
    ...(isObject(target) ? variantsOf(document, target, depth + 1) : []),
    ...branches.flatMap((one) => variantsOf(document, one, depth + 1)),
    ...(isObject(target) && own['properties'] === undefined ? [] : [own]),
  ];
}
