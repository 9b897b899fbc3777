import { isObject, type Json, type JsonObject, rewrite } from '../source.ts';

const prefix = 'spec#/$defs/';

/**
 * What of `defs` the `roots` reach, with everything that stands there twice standing once: equal definitions become one, equal schemas inside of
 * them become a definition. ajv makes a function of each definition, so that this decides what is compiled once.
 */
export function shareSchemas(defs: JsonObject, roots: readonly string[]): JsonObject {
  let shared = withCountedItems(onlyReached(defs, roots));
  for (let count = 0; ; ) {
    shared = onlyReached(withoutTwins(shared, roots), roots);
    const twice = mostRepeated(shared);
    if (twice === undefined) return shared;
    const name = `Shared${++count}`;
    const text = JSON.stringify(twice);
    for (const [key, schema] of Object.entries(shared))
      shared[key] = inPlaces(schema, (node) => (JSON.stringify(node) === text ? { $ref: prefix + name } : node));
    shared[name] = twice;
  }
}

/** What `contains` counts as definitions, so that the loop which counts is the same everywhere: each round is one call. */
function withCountedItems(defs: JsonObject): JsonObject {
  const counted: JsonObject = {};
  const out: JsonObject = {};
  for (const [name, schema] of Object.entries(defs))
    out[name] = rewrite(schema, (node) => {
      if (!isObject(node['contains']) || '$ref' in node['contains']) return node;
      const item = `Counted${Object.keys(counted).length + 1}`;
      counted[item] = node['contains'];
      return { ...node, contains: { $ref: prefix + item } };
    });
  return { ...out, ...counted };
}

/** Definitions that say the same are the first of them. */
function withoutTwins(defs: JsonObject, roots: readonly string[]): JsonObject {
  const first = new Map<string, string>();
  const twins = new Map<string, string>();
  for (const [name, schema] of Object.entries(defs)) {
    const text = JSON.stringify(schema);
    const known = first.get(text);
    if (known === undefined) first.set(text, name);
    else if (!roots.includes(name)) twins.set(prefix + name, prefix + known);
  }
  if (twins.size === 0) return defs;
  const kept = Object.entries(defs).filter(([name]) => !twins.has(prefix + name));
  const redirected = kept.map(([name, schema]) => [
    name,
    rewrite(schema, (node) =>
      typeof node['$ref'] === 'string' && twins.has(node['$ref']) ? { ...node, $ref: twins.get(node['$ref']) ?? '' } : node,
    ),
  ]);
  // Now their users may be twins.
  return withoutTwins(Object.fromEntries(redirected), roots);
}

function onlyReached(defs: JsonObject, roots: readonly string[]): JsonObject {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    rewrite(defs[name] ?? {}, (node) => {
      const to = node['$ref'];
      if (typeof to === 'string' && to.startsWith(prefix)) visit(to.slice(prefix.length));
      return node;
    });
  };
  for (const root of roots) visit(root);
  return Object.fromEntries(Object.entries(defs).filter(([name]) => reached.has(name)));
}

/** The longest schema that stands in two places. */
function mostRepeated(defs: JsonObject): JsonObject | undefined {
  const seen = new Set<string>();
  let found = '';
  for (const schema of Object.values(defs))
    inPlaces(schema, (node) => {
      const text = JSON.stringify(node);
      if (seen.has(text) && text.length > found.length && isWorthSharing(node)) found = text;
      seen.add(text);
      return node;
    });
  return found === '' ? undefined : (JSON.parse(found) as JsonObject);
}

/** A mere type or reference is as short as a call. */
function isWorthSharing(schema: JsonObject): boolean {
  return Object.keys(schema).some((key) => key !== 'type' && key !== '$ref' && key !== 'required' && key !== 'const' && key !== 'enum');
}

/** A copy, in which `change` sees every schema inside of this one that stands for itself: not the conditions, which report nothing. */
function inPlaces(schema: Json, change: (node: JsonObject) => JsonObject): JsonObject {
  if (!isObject(schema)) return schema as unknown as JsonObject;
  const copy: JsonObject = { ...schema };
  const inside = (value: Json): Json => (isObject(value) ? change(inPlaces(value, change)) : value);
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value))
      copy[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, inside(property)]));
    else if (['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(key) && Array.isArray(value)) copy[key] = value.map(inside);
    else if (['items', 'contains', 'additionalProperties', 'then', 'else'].includes(key)) copy[key] = inside(value);
  }
  return copy;
}
