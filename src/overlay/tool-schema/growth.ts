import { isFields } from '../json/json-value.ts';
import { type JsonSchema, type MutableSchema, put } from '../json/schema.ts';
import { type FlatSchema, ORIGIN, type Pass } from './pass.ts';
import { jsonBytes } from './schema-text.ts';

/** The bound of a rewritten schema, in bytes of JSON: a multiple of its input, and an amount that is always allowed. */
export interface Growth {
  readonly factor: number;
  readonly always: number;
}

export const GROWTH: Growth = { factor: 2, always: 12_000 };

/**
 * Limits the bytes of a rewritten schema. One within the limit is returned unchanged. A larger one is written as a tree without shared objects, in
 * this order: schemas at their first place, descriptions of repeats, repeats. Each list goes from the top down, so the deepest repeats are cut first.
 */
export function withinGrowth(pass: Pass, schema: JsonSchema, input: JsonSchema, growth: Growth): JsonSchema {
  const sizes = new Sizes();
  const bytes = sizes.of(schema).whole;
  if (bytes <= growth.always) return schema;
  const limit = Math.max(growth.always, growth.factor * jsonBytes(input));
  return bytes <= limit ? schema : new Writer(pass, sizes, limit).write(schema);
}

/** Sizes of a rewritten schema in bytes of JSON. A shared schema counts once for every place where it is used. */
interface Size {
  /** Only its type. */
  readonly type: number;
  /** Its type and description. */
  readonly cut: number;
  /** All keywords, with each schema below reduced to its type. */
  overTypes: number;
  /** All keywords, with each schema below reduced to its type and description. */
  overCuts: number;
  whole: number;
}

const BELOW = ['properties', 'items', 'additionalProperties', 'propertyNames'];

/** The schemas below, at `keyword` or at `keyword/name`. Schemas at other keywords are never cut, so they count as data. */
function* below(schema: JsonSchema): Generator<{ readonly child: JsonSchema; readonly keyword: string; readonly name?: string }> {
  for (const keyword of BELOW) {
    const value = schema[keyword];
    if (!isFields(value)) continue;
    if (keyword !== 'properties') yield { child: value, keyword };
    else for (const [name, child] of Object.entries(value)) if (isFields(child)) yield { child, keyword, name };
  }
}

class Sizes {
  readonly #schemas = new Map<object, Size>();
  /** Schemas share texts and data, so each is measured once. */
  readonly #data = new Map<unknown, number>();

  of(schema: JsonSchema): Size {
    let size = this.#schemas.get(schema);
    if (size === undefined) {
      const [type, own] = [this.own(typeOf(schema)), this.own(schema)];
      size = { type, cut: type + this.description(schema), overTypes: own, overCuts: own, whole: own };
      for (const { child } of below(schema)) {
        const one = this.of(child);
        size.overTypes += one.type;
        size.overCuts += one.cut;
        size.whole += one.whole;
      }
      this.#schemas.set(schema, size);
    }
    return size;
  }

  /** Bytes of the schema without the objects in schema positions. Boolean schemas are included. */
  own(schema: JsonSchema): number {
    const ofProperty = (child: unknown): number => (isFields(child) ? 0 : this.data(child));
    return this.#object(schema, (value, keyword) => {
      if (!isFields(value) || !BELOW.includes(keyword)) return this.data(value);
      return keyword === 'properties' ? this.#object(value, ofProperty) : 0;
    });
  }

  #object(members: JsonSchema, bytesOf: (value: unknown, name: string) => number): number {
    const names = Object.keys(members);
    return names.reduce((bytes, name) => bytes + this.data(name) + 2 + bytesOf(members[name], name), names.length === 0 ? 2 : 1);
  }

  description({ description }: JsonSchema): number {
    return description === undefined ? 0 : this.own({ description }) - 1;
  }

  data(value: unknown): number {
    let bytes = this.#data.get(value);
    if (bytes === undefined) {
      bytes = jsonBytes(value);
      this.#data.set(value, bytes);
    }
    return bytes;
  }
}

/** A schema of the written tree. It starts with only its type. */
interface WrittenSchema {
  readonly schema: JsonSchema;
  /** The schema as written. */
  readonly copy: MutableSchema;
  /** Place in the input. */
  readonly pointer: string;
  whole: boolean;
}

class Writer {
  readonly #pass: Pass;
  readonly #sizes: Sizes;
  readonly #written = new Set<unknown>();
  readonly #first: WrittenSchema[] = [];
  readonly #repeats: WrittenSchema[] = [];
  #room: number;

  constructor(pass: Pass, sizes: Sizes, room: number) {
    this.#pass = pass;
    this.#sizes = sizes;
    this.#room = room;
  }

  write(root: JsonSchema): JsonSchema {
    this.#room -= this.#sizes.of(root).type;
    const written = this.#place(root, this.#first, '');
    // Completing a place adds the places below it, so that each list ends with the deepest.
    for (const place of this.#first) this.#complete(place, this.#first);
    for (const place of this.#repeats) this.#describe(place);
    for (const place of this.#repeats) this.#complete(place, this.#repeats);
    for (const place of [...this.#first, ...this.#repeats]) if (!place.whole) this.#pass.note('cut', place.pointer);
    return written;
  }

  #place(schema: JsonSchema, list: WrittenSchema[], above: string): JsonSchema {
    const copy = typeOf(schema);
    if (Object.keys(copy).length === Object.keys(schema).length) return copy;
    // A reference with its own description, or without null, is a copy of its target. Both share the properties or the values.
    const identity = schema['properties'] ?? schema['enum'] ?? schema;
    const repeats = this.#written.has(identity);
    this.#written.add(identity);
    const place = { schema, copy, pointer: (schema as FlatSchema)[ORIGIN] ?? above, whole: false };
    (repeats ? this.#repeats : list).push(place);
    if (!repeats || list === this.#repeats) this.#describe(place);
    return copy;
  }

  #describe({ schema, copy }: WrittenSchema): void {
    const { description } = schema;
    const bytes = this.#sizes.description(schema);
    if (description === undefined || bytes > this.#room) return;
    this.#room -= bytes;
    copy['description'] = description;
  }

  /** Completes a place if it fits. A repeat must fit with the descriptions below it. */
  #complete(place: WrittenSchema, list: WrittenSchema[]): void {
    const { schema, copy } = place;
    const size = this.#sizes.of(schema);
    const before = this.#sizes.own(copy);
    if ((list === this.#repeats ? size.overCuts : size.overTypes) - before > this.#room) return;
    this.#room -= size.overTypes - before;
    place.whole = true;
    for (const [keyword, value] of Object.entries(schema)) put(copy, keyword, keyword === 'properties' && isFields(value) ? { ...value } : value);
    for (const { child, keyword, name } of below(schema)) {
      const written = this.#place(child, list, place.pointer);
      if (name === undefined) copy[keyword] = written;
      else put(copy[keyword] as MutableSchema, name, written);
    }
  }
}

/** The schema reduced to its type. */
function typeOf(schema: JsonSchema): MutableSchema {
  const type: MutableSchema = {};
  for (const keyword of ['type', 'nullable']) if (schema[keyword] !== undefined) type[keyword] = schema[keyword];
  return type;
}
