import { cutPlain } from './cut.ts';
import { isObject, type JsonSchema, type MutableSchema, put, type Subschema } from './json-schema.ts';
import { eachChild, KEYWORDS } from './keywords.ts';
import { boundedText } from './text.ts';

const CHARACTERS_PER_UNIT = 64;

/** Weighs schemas as JSON. A shared schema counts once for every place where it is used. */
export class Scale {
  readonly #own = new Map<object, number>();
  readonly #whole = new Map<object, number>();
  /** Lists, maps and data that several schemas may share. */
  readonly #lengths = new Map<object, number>();
  readonly #heights = new Map<object, number>();

  /** Weight of the schema including every schema below it. */
  whole(schema: Subschema): number {
    if (!isObject(schema)) return 0;
    let weight = this.#whole.get(schema);
    if (weight === undefined) {
      weight = this.own(schema);
      eachChild(schema, (child) => void (weight = (weight as number) + this.whole(child)));
      this.#whole.set(schema, weight);
    }
    return weight;
  }

  /** Weight of all distinct schemas, each counted once, as objects in memory. */
  distinct(root: JsonSchema): number {
    const seen = new Set<object>([root]);
    let weight = 0;
    for (const schema of seen) {
      weight += this.own(schema as JsonSchema);
      eachChild(schema as JsonSchema, (child) => void (isObject(child) && seen.add(child)));
    }
    return weight;
  }

  /** Weight of the schema without the schemas below it. */
  own(schema: JsonSchema): number {
    let weight = this.#own.get(schema);
    if (weight === undefined) {
      let characters = 0;
      for (const keyword of Object.keys(schema)) characters += keyword.length + this.#length(schema[keyword], KEYWORDS.has(keyword));
      weight = 1 + Math.floor(characters / CHARACTERS_PER_UNIT);
      this.#own.set(schema, weight);
    }
    return weight;
  }

  /** Levels of schemas below. */
  height(schema: JsonSchema): number {
    let height = this.#heights.get(schema);
    if (height === undefined) {
      height = 0;
      eachChild(schema, (child) => void (isObject(child) && (height = Math.max(height as number, this.height(child) + 1))));
      this.#heights.set(schema, height);
    }
    return height;
  }

  #length(data: unknown, holdsSchemas: boolean): number {
    if (typeof data !== 'object' || data === null) return dataLength(data, holdsSchemas);
    let length = this.#lengths.get(data);
    if (length === undefined) {
      length = dataLength(data, holdsSchemas);
      this.#lengths.set(data, length);
    }
    return length;
  }
}

/** Approximate length as JSON. Only the names of nested schemas are counted. */
function dataLength(data: unknown, holdsSchemas: boolean): number {
  if (typeof data === 'string') return data.length;
  if (typeof data !== 'object' || data === null) return 4;
  if (holdsSchemas) return isObject(data) ? Object.keys(data).join().length : 0;
  let length = 0;
  const queue: unknown[] = [data];
  // Cyclic data has no finite length. It counts as too long.
  for (let at = queue.pop(); at !== undefined && length < 1e6; at = queue.pop()) {
    if (typeof at !== 'object' || at === null) {
      length += typeof at === 'string' ? at.length : 4;
      continue;
    }
    for (const [key, value] of Object.entries(at)) {
      length += key.length + 3;
      queue.push(value);
    }
  }
  return length;
}

/** Returns the reduced form of a schema at the cut. */
type Bottom = (schema: JsonSchema, scale: Scale) => JsonSchema;

/** Copies the schema as a tree without shared objects, cut to a depth at which it weighs at most `limit`. */
export function trimmed(root: JsonSchema, limit: number, scale: Scale): JsonSchema {
  if (scale.whole(root) <= limit) return copyTo(root, Number.POSITIVE_INFINITY, scale, wholeLeaf);
  const depth = greatestDepth(root, limit, scale, wholeLeaf);
  if (depth > 2) return copyTo(root, depth, scale, wholeLeaf);
  // The weight comes from long enums and texts, not from the number of schemas.
  const lightDepth = greatestDepth(root, limit, scale, lightLeaf);
  return lightDepth > depth ? copyTo(root, lightDepth, scale, lightLeaf) : copyTo(root, depth, scale, wholeLeaf);
}

function wholeLeaf(schema: JsonSchema, scale: Scale): JsonSchema {
  return scale.height(schema) === 0 ? schema : cutPlain(schema);
}

const LIGHT_TEXT = 120;

function lightLeaf(schema: JsonSchema): JsonSchema {
  const cut = cutPlain(schema);
  const { description } = cut;
  return typeof description === 'string' ? { ...cut, description: boundedText(description, LIGHT_TEXT) } : cut;
}

/** The greatest depth at which the cut schema weighs at most `limit`. */
function greatestDepth(root: JsonSchema, limit: number, scale: Scale, bottom: Bottom): number {
  const levels: Map<object, number>[] = [];
  const weightTo = (schema: JsonSchema, depth: number): number => {
    const level = (levels[depth] ??= new Map<object, number>());
    const known = level.get(schema);
    if (known !== undefined) return known;
    let weight = scale.own(isBottom(schema, depth, scale) ? bottom(schema, scale) : schema);
    if (depth > 0) eachChild(schema, (child) => void (weight += isObject(child) ? weightTo(child, depth - 1) : 0));
    level.set(schema, weight);
    return weight;
  };
  const height = scale.height(root);
  let depth = 0;
  while (depth < height && weightTo(root, depth + 1) <= limit) depth++;
  return depth;
}

function isBottom(schema: JsonSchema, depth: number, scale: Scale): boolean {
  return depth === 0 || scale.height(schema) === 0;
}

function copyTo(schema: JsonSchema, depth: number, scale: Scale, bottom: Bottom): JsonSchema {
  if (isBottom(schema, depth, scale)) return { ...bottom(schema, scale) };
  const copy: MutableSchema = { ...schema };
  eachChild(schema, (child, keyword, name) => {
    if (!isObject(child)) return;
    const below = copyTo(child, depth - 1, scale, bottom);
    if (name === undefined) {
      copy[keyword] = below;
      // The cut `contains` is wider, so it may match more items than `maxContains` allows.
      if (keyword === 'contains') delete copy['maxContains'];
      return;
    }
    const whole = schema[keyword];
    if (copy[keyword] === whole) copy[keyword] = Array.isArray(whole) ? [...whole] : { ...(whole as JsonSchema) };
    put(copy[keyword] as MutableSchema, name, below);
  });
  return copy;
}
