import { cutPlain } from './cut.ts';
import { isObject, type JsonSchema, type MutableSchema, put, type Subschema } from './json-schema.ts';
import { ANNOTATIONS, eachChild } from './keywords.ts';
import type { Pass } from './pass.ts';
import { stepInto } from './pointer.ts';
import type { Located, References } from './resolve.ts';
import type { Sizes } from './size.ts';

/** A schema of the rewritten tree. It starts as its type alone. */
interface Place {
  readonly schema: JsonSchema;
  /** The schema as written. */
  readonly copy: MutableSchema;
  readonly depth: number;
  /** Place in the rewritten schema. */
  readonly path: string;
  /** Place in the input. */
  readonly pointer: string;
  readonly repeated: boolean;
  whole: boolean;
}

interface Bytes {
  /** The schema as its type alone. */
  readonly type: number;
  /** With its description. */
  readonly cut: number;
  /** With all keywords. */
  readonly own: number;
  /** The schemas below as their types, and with their descriptions. */
  readonly types: number;
  readonly cuts: number;
}

/**
 * Writes a schema as a tree without shared objects, within a number of bytes. First come the schemas that are not written yet,
 * from the top down, then the descriptions of the others, then the others, from the top down. So the deepest repeats are cut first.
 */
export class Writer {
  readonly #pass: Pass;
  readonly #sizes: Sizes;
  readonly #origins: ReadonlyMap<object, Located>;
  readonly #known = new Map<object, Bytes>();
  readonly #written = new Set<object>();
  /** By depth. */
  readonly #first: Place[][] = [];
  readonly #repeats: Place[][] = [];
  #room: number;

  /** `origins` contains the input of each rewritten schema that has one. */
  constructor(pass: Pass, sizes: Sizes, origins: ReadonlyMap<object, Located>, room: number) {
    this.#pass = pass;
    this.#sizes = sizes;
    this.#origins = origins;
    this.#room = room;
  }

  write(root: JsonSchema): JsonSchema {
    const written = this.#place(root, false, undefined, '');
    this.#room -= this.#bytes(root).type;
    this.#fill(this.#first, false);
    for (const places of this.#repeats) for (const place of places ?? []) this.#describe(place);
    this.#fill(this.#repeats, true);
    for (const place of [this.#first, this.#repeats].flat(2)) if (!place.whole) this.#tell(place);
    return written;
  }

  /** Completes places from the top down. Those added on the way follow. With `described`, only if their descriptions fit as well. */
  #fill(levels: readonly Place[][], described: boolean): void {
    for (let depth = 0; depth < levels.length; depth++) {
      const places = levels[depth] ?? [];
      for (const place of places) this.#describe(place);
      for (const place of places) this.#complete(place, described);
    }
  }

  #describe({ schema, copy }: Place): void {
    const { description } = schema;
    const { type, cut } = this.#bytes(schema);
    if (description === undefined || copy['description'] !== undefined || cut - type > this.#room) return;
    this.#room -= cut - type;
    copy['description'] = description;
  }

  #complete(place: Place, described: boolean): void {
    const { schema, copy } = place;
    const { type, cut, own, types, cuts } = this.#bytes(schema);
    const more = own - (copy['description'] === undefined ? type : cut);
    const bytes = more + (described ? cuts : types);
    if (bytes > this.#room) return;
    this.#room -= bytes;
    place.whole = true;
    for (const keyword of Object.keys(schema)) put(copy, keyword, schema[keyword]);
    eachChild(schema, (child, keyword, name) => {
      if (!isObject(child)) return;
      const at = `${place.path}/${keyword}`;
      if (name === undefined) {
        copy[keyword] = this.#place(child, described, place, at);
        // A `contains` that is cut is wider, so it may match more items than `maxContains` allows.
        if (keyword === 'contains' && this.#room < Number.POSITIVE_INFINITY) delete copy['maxContains'];
        return;
      }
      const members = schema[keyword];
      if (copy[keyword] === members) copy[keyword] = Array.isArray(members) ? [...members] : { ...(members as JsonSchema) };
      put(copy[keyword] as MutableSchema, name, this.#place(child, described, place, stepInto(at, name)));
    });
  }

  #bytes(schema: JsonSchema): Bytes {
    let bytes = this.#known.get(schema);
    if (bytes === undefined) {
      let [types, cuts] = [0, 0];
      eachChild(schema, (child) => {
        if (!isObject(child)) return;
        types += this.#sizes.own(typeOnly(child));
        cuts += this.#sizes.own(cutPlain(child));
      });
      const own = this.#sizes.own(schema);
      bytes = { type: this.#sizes.own(typeOnly(schema)), cut: this.#sizes.own(cutPlain(schema)), own, types, cuts };
      this.#known.set(schema, bytes);
    }
    return bytes;
  }

  #place(schema: JsonSchema, described: boolean, parent: Place | undefined, path: string): JsonSchema {
    const copy: MutableSchema = described ? cutPlain(schema) : typeOnly(schema);
    if (Object.keys(copy).length === Object.keys(schema).length) return copy;
    const origin = this.#origins.get(schema);
    const identity = origin === undefined ? schema : meant(origin, this.#pass.references);
    const repeated = this.#written.has(identity as object);
    this.#written.add(identity as object);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const levels = repeated ? this.#repeats : this.#first;
    levels[depth] ??= [];
    levels[depth].push({ schema, copy, depth, path, pointer: origin?.pointer ?? parent?.pointer ?? '', repeated, whole: false });
    return copy;
  }

  #tell({ schema, copy, path, pointer, repeated }: Place): void {
    const kept = schema['description'] === copy['description'] ? 'its type and description are' : 'only its type is';
    const why = repeated ? 'repeats a schema that is written elsewhere' : 'is too large';
    this.#pass.note('', 'cut', true, `${path || 'the root'} of the rewritten schema ${why}: ${kept} kept`, pointer);
  }
}

/** The schema that a reference means. Annotations beside it, and a null branch, do not make it another schema. */
function meant(origin: Located, references: References): Subschema {
  let at = origin;
  for (let hops = 0; hops < 8 && isObject(at.schema); hops++) {
    const [keyword = '', ...others] = Object.keys(at.schema).filter((one) => !ANNOTATIONS.has(one));
    const value = at.schema[keyword];
    let next: Located | undefined;
    if (others.length > 0) break;
    if (keyword === '$ref' && typeof value === 'string') next = references.resolve(value, at.resource);
    else if (/^(allOf|anyOf|oneOf)$/.test(keyword) && Array.isArray(value) && value.length <= 2) {
      const [branch, ...rest] = value.filter((one) => !isObject(one) || one['type'] !== 'null');
      if (isObject(branch) && rest.length === 0) next = references.locate(branch, `${at.pointer}/${keyword}/${value.indexOf(branch)}`, at.resource);
    }
    if (next === undefined) break;
    at = next;
  }
  return at.schema;
}

function typeOnly(schema: JsonSchema): MutableSchema {
  const { description, ...type } = cutPlain(schema);
  return type;
}
