import type { JsonSchema } from './standard-schema.ts';

/** Levels of a value and of references that are looked at; deeper ones are left as they are. */
const maxDepth = 64;

/**
 * The arguments of a call as a value, from what models write: JSON, nothing at all for no arguments, JSON in a code fence, JSON that was
 * turned to a string once more, and the `<arg_key>` pairs of a chat template that leaked. Undefined when it is none of these.
 */
export function parseArguments(text: string): { readonly value: unknown } | undefined {
  const bare = withoutFence(text.trim());
  if (bare === '') return { value: {} };
  const parsed = parse(bare) ?? leakedPairs(bare);
  if (typeof parsed?.value !== 'string') return parsed;
  const inner = parse(parsed.value);
  return typeof inner?.value === 'object' && inner.value !== null ? inner : parsed;
}

/** A text without the code fence that models like to put around JSON. */
export function withoutFence(text: string): string {
  return /^```[a-z]*\s*\n?([\s\S]*?)\s*```$/i.exec(text)?.[1] ?? text;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function leakedPairs(text: string): { readonly value: unknown } | undefined {
  const pairs = [...text.matchAll(/<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)];
  return pairs.length === 0 ? undefined : { value: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key.trim(), value])) };
}

/**
 * A value with every string turned into what the schema wants in its place: a number, a boolean, null, an array or an object. A string that
 * the schema allows, or that does not read as what it wants, stays. Gives back the same value when there is nothing to mend.
 */
export function mendArguments(value: unknown, schema: JsonSchema): unknown {
  return mend(value, schema, schema, 0);
}

function mend(value: unknown, schema: unknown, root: JsonSchema, depth: number): unknown {
  if (depth > maxDepth || !isObject(schema)) return value;
  const meant = typeof value === 'string' ? fromString(value, schema, root) : value;
  const branches = unfold(schema, root);
  if (Array.isArray(meant)) return mendItems(meant, branches, root, depth);
  return isObject(meant) ? mendProperties(meant, branches, root, depth) : meant;
}

function mendItems(items: readonly unknown[], branches: readonly JsonSchema[], root: JsonSchema, depth: number): unknown {
  const schema = branches.find((branch) => isObject(branch['items']) || Array.isArray(branch['prefixItems']));
  if (!schema) return items;
  const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
  const mended = items.map((item, index) => mend(item, index < prefix.length ? prefix[index] : schema['items'], root, depth + 1));
  return mended.some((item, index) => item !== items[index]) ? mended : items;
}

function mendProperties(value: Record<string, unknown>, branches: readonly JsonSchema[], root: JsonSchema, depth: number): unknown {
  const entries = Object.entries(value);
  const mended = entries.map(([key, old]): [string, unknown] => {
    const places = branches.map((branch) => propertySchema(branch, key)).filter(isObject);
    // Of a union, the branch that wants a string may be the one that is meant.
    if (typeof old === 'string' && places.some((place) => allowsString(place, root))) return [key, old];
    for (const place of places) {
      const now = mend(old, place, root, depth + 1);
      if (now !== old) return [key, now];
    }
    return [key, old];
  });
  // fromEntries and not assignment: `__proto__` is a key like any other here.
  return mended.some(([, now], index) => now !== entries[index]?.[1]) ? Object.fromEntries(mended) : value;
}

function propertySchema(schema: JsonSchema, key: string): unknown {
  const properties = schema['properties'];
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
}

/** What a string stands for where the schema allows no string. */
function fromString(text: string, schema: JsonSchema, root: JsonSchema): unknown {
  if (allowsString(schema, root)) return text;
  const types = typesOf(schema, root);
  const bare = text.trim();
  const word = bare.toLowerCase();
  if (types.has('null') && word === 'null') return null;
  // Models trained on Python write True and False.
  if (types.has('boolean') && (word === 'true' || word === 'false')) return word === 'true';
  if (/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare)) {
    const number = Number(bare);
    // A long id would come out as another one.
    const exact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
    if (exact && (types.has('number') || (types.has('integer') && Number.isInteger(number)))) return number;
  }
  const found = parse(bare)?.value;
  if (Array.isArray(found) ? types.has('array') : isObject(found) && types.has('object')) return found;
  return text;
}

function allowsString(schema: JsonSchema, root: JsonSchema): boolean {
  const types = typesOf(schema, root);
  return types.size === 0 || types.has('string');
}

/** The JSON types a schema allows; none when it does not say. */
function typesOf(schema: JsonSchema, root: JsonSchema): ReadonlySet<string> {
  const types = new Set<string>();
  for (const branch of unfold(schema, root)) {
    const said = branch['type'];
    if (typeof said === 'string') types.add(said);
    else if (Array.isArray(said)) for (const type of said) types.add(String(type));
    else if (Array.isArray(branch['enum'])) for (const one of branch['enum']) types.add(typeOf(one));
    else if ('const' in branch) types.add(typeOf(branch['const']));
    else if (isObject(branch['properties'])) types.add('object');
    else if (!('anyOf' in branch) && !('oneOf' in branch) && !('allOf' in branch) && !('$ref' in branch)) return new Set(['string']);
  }
  return types;
}

/** A schema and every schema that it is made of at the same place: references followed, unions and intersections opened. */
function unfold(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const found: JsonSchema[] = [schema];
  // The list grows while it is walked; a schema that is in it already is not added again, so cycles end.
  for (const one of found) {
    if (found.length > maxDepth) break;
    const parts: unknown[] = [one['anyOf'], one['oneOf'], one['allOf']].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
    if (typeof one['$ref'] === 'string') parts.push(target(one['$ref'], root));
    for (const part of parts) if (isObject(part) && !found.includes(part)) found.push(part);
  }
  return found;
}

function target(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The JSON Schema type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
