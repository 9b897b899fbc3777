import { memberOf, percentDecoded, readingsOf, stepInto } from '../json/pointer.ts';
import { isObject, isSubschema, type JsonSchema, type Subschema } from './json-schema.ts';
import { eachChild } from './keywords.ts';

/** A schema that references are relative to: the root, or a nested schema with its own `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly pointer: string;
}

/** A schema, its pointer in the input, and the resource that its references are relative to. */
export interface SchemaPlace {
  readonly schema: Subschema;
  readonly pointer: string;
  readonly resource: Resource;
}

/** Resolves `$ref` within one document. */
export class References {
  readonly #rootResource: Resource;
  readonly #resources = new Map<object, Resource>();
  readonly #plain = new Map<object, JsonSchema>();
  /** Resources by URI, and anchors by URI and fragment. */
  #named: Map<string, SchemaPlace> | undefined;

  constructor(root: JsonSchema) {
    const plain = this.#own(root);
    this.#rootResource = { uri: baseUri(plain, '') ?? '', root: plain, pointer: '' };
    this.#resources.set(plain, this.#rootResource);
  }

  /** Inherited keywords are not sent, so a schema with a prototype is replaced by a copy of its own keywords. */
  #own(schema: JsonSchema): JsonSchema {
    const prototype: unknown = Object.getPrototypeOf(schema);
    if (prototype === Object.prototype || prototype === null) return schema;
    const known = this.#plain.get(schema);
    if (known !== undefined) return known;
    const plain = { ...schema };
    this.#plain.set(schema, plain);
    return plain;
  }

  get root(): SchemaPlace {
    return { schema: this.#rootResource.root, pointer: '', resource: this.#rootResource };
  }

  /** A schema found below `parent`. It starts a new resource if it has an `$id`. */
  locate(found: Subschema, pointer: string, parent: Resource): SchemaPlace {
    if (!isObject(found)) return { schema: found, pointer, resource: parent };
    const schema = this.#own(found);
    const uri = baseUri(schema, parent.uri);
    if (uri === undefined) return { schema, pointer, resource: parent };
    let resource = this.#resources.get(schema);
    if (resource === undefined) {
      resource = { uri, root: schema, pointer };
      this.#resources.set(schema, resource);
    }
    return { schema, pointer, resource };
  }

  /** Returns `undefined` if the target is in another document, missing, or not a schema. */
  resolve(reference: string, from: Resource): SchemaPlace | undefined {
    const hash = reference.indexOf('#');
    const uri = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : reference.slice(hash + 1);
    const resource = uri === '' ? from : this.#find(absolute(uri, from.uri))?.resource;
    if (resource === undefined) return undefined;
    if (fragment === '') return { schema: resource.root, pointer: resource.pointer, resource };
    if (!fragment.startsWith('/')) return this.#find(`${resource.uri}#${percentDecoded(fragment)}`);
    for (const names of readingsOf(fragment)) {
      const found = this.#follow(names, resource);
      if (found) return found;
    }
    return undefined;
  }

  #follow(steps: readonly string[], start: Resource): SchemaPlace | undefined {
    let at: unknown = start.root;
    let { pointer } = start;
    let resource = start;
    for (const step of steps) {
      at = memberOf(at, step);
      pointer = stepInto(pointer, step);
      if (isObject(at)) resource = this.locate(at, pointer, resource).resource;
    }
    return isSubschema(at) ? { schema: isObject(at) ? this.#own(at) : at, pointer, resource } : undefined;
  }

  #find(name: string): SchemaPlace | undefined {
    this.#named ??= this.#index();
    return name.startsWith(TOO_LONG) ? undefined : this.#named.get(name);
  }

  /** Visits every schema once. */
  #index(): Map<string, SchemaPlace> {
    const named = new Map<string, SchemaPlace>();
    const seen = new Set<unknown>();
    const queue = [this.root];
    for (let located = queue.pop(); located !== undefined; located = queue.pop()) {
      const { schema, pointer, resource } = located;
      if (!isObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      if (schema === resource.root && !named.has(resource.uri)) named.set(resource.uri, located);
      for (const anchor of anchorNames(schema)) {
        const name = `${resource.uri}#${anchor}`;
        if (!named.has(name)) named.set(name, located);
      }
      eachChild(schema, (child, keyword, name) => {
        const at = `${pointer}/${keyword}`;
        queue.push(this.locate(child, name === undefined ? at : stepInto(at, name), resource));
      });
    }
    return named;
  }
}

function anchorNames(schema: JsonSchema): string[] {
  const names: string[] = [];
  for (const name of [schema['$anchor'], schema['$dynamicAnchor']]) if (typeof name === 'string') names.push(name);
  // Before 2019-09 an anchor was written as an `$id` with a fragment.
  const id = schema['$id'];
  if (typeof id === 'string' && id.startsWith('#')) names.push(id.slice(1));
  return names;
}

/** The absolute URI from `$id`, or `undefined` if the schema has none. */
function baseUri(schema: JsonSchema, parent: string): string | undefined {
  const id = Object.hasOwn(schema, '$id') ? schema['$id'] : undefined;
  if (typeof id !== 'string' || id === '' || id.startsWith('#')) return undefined;
  return absolute(id.replace(/#.*$/s, ''), parent);
}

const MAX_URI = 2_000;
/** Replaces longer URIs, because nested identifiers could reach quadratic length. No reference resolves to it. */
const TOO_LONG = '\u0000';

/** Resolves as much of RFC 3986 as comparing identifiers requires. References and identifiers both use it. */
function absolute(uri: string, base: string): string {
  if (uri.length > MAX_URI) return TOO_LONG;
  if (/^[a-z][a-z\d+.-]*:/i.test(uri)) return uri;
  if (uri.startsWith('/')) return (/^[a-z][a-z\d+.-]*:\/\/[^/]*/i.exec(base)?.[0] ?? '') + uri;
  if (base === TOO_LONG) return TOO_LONG;
  const joined = base.slice(0, base.lastIndexOf('/') + 1) + uri;
  return joined.length > MAX_URI ? TOO_LONG : joined;
}
