import { cutPlain } from './cut.ts';
import { isObject, type JsonSchema, type MutableSchema, put, type Subschema } from './json-schema.ts';
import { eachChild, KEYWORDS } from './keywords.ts';

const CHARACTERS_PER_UNIT = 64;

/** Weighs schemas as they will be written out: one that is shared counts every time. */
export class Scale {
  readonly #own = new Map<object, number>();
  readonly #whole = new Map<object, number>();

  /** The schema with everything below it. */
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

  /** All schemas below, each once: what they weigh as objects in memory. */
  distinct(root: JsonSchema): number {
    const seen = new Set<object>([root]);
    let weight = 0;
    for (const schema of seen) {
      weight += this.own(schema as JsonSchema);
      eachChild(schema as JsonSchema, (child) => void (isObject(child) && seen.add(child)));
    }
    return weight;
  }

  /** The schema without those below it. */
  own(schema: JsonSchema): number {
    let weight = this.#own.get(schema);
    if (weight === undefined) {
      let characters = 0;
      for (const keyword of Object.keys(schema)) characters += keyword.length + dataLength(schema[keyword], KEYWORDS.has(keyword));
      weight = 1 + Math.floor(characters / CHARACTERS_PER_UNIT);
      this.#own.set(schema, weight);
    }
    return weight;
  }
}

/** About as many characters as JSON needs; of schemas below only their names are counted. */
function dataLength(data: unknown, holdsSchemas: boolean): number {
  if (typeof data === 'string') return data.length;
  if (typeof data !== 'object' || data === null) return 4;
  if (holdsSchemas) return isObject(data) ? Object.keys(data).join().length : 0;
  let length = 0;
  const queue: unknown[] = [data];
  // Data that contains itself has no length: it counts as too long.
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

/** The schema as a tree of objects, each of its own, cut where more than `limit` would be written out. */
export function trimmed(root: JsonSchema, limit: number, scale: Scale): JsonSchema {
  return copyTo(root, scale.whole(root) <= limit ? Number.POSITIVE_INFINITY : greatestDepth(root, limit, scale));
}

/** The greatest depth for which everything down to it weighs no more than `limit`. */
function greatestDepth(root: JsonSchema, limit: number, scale: Scale): number {
  const levels: Map<object, number>[] = [];
  const weightTo = (schema: JsonSchema, depth: number): number => {
    const level = (levels[depth] ??= new Map<object, number>());
    let weight = level.get(schema);
    if (weight !== undefined) return weight;
    weight = depth === 0 ? scale.own(isLeaf(schema) ? schema : cutPlain(schema)) : scale.own(schema);
    if (depth > 0) eachChild(schema, (child) => void (weight = (weight as number) + (isObject(child) ? weightTo(child, depth - 1) : 0)));
    level.set(schema, weight);
    return weight;
  };
  let depth = 0;
  while (weightTo(root, depth + 1) <= limit) depth++;
  return depth;
}

function copyTo(schema: JsonSchema, depth: number): JsonSchema {
  if (depth === 0 && !isLeaf(schema)) return cutPlain(schema);
  const copy: MutableSchema = { ...schema };
  eachChild(schema, (child, keyword, name) => {
    if (!isObject(child)) return;
    const below = copyTo(child, depth - 1);
    if (name === undefined) {
      copy[keyword] = below;
      // Wider than before, it would match more items than may match.
      if (keyword === 'contains') delete copy['maxContains'];
      return;
    }
    const whole = schema[keyword];
    if (copy[keyword] === whole) copy[keyword] = Array.isArray(whole) ? [...whole] : { ...(whole as JsonSchema) };
    put(copy[keyword] as MutableSchema, name, below);
  });
  return copy;
}

function isLeaf(schema: JsonSchema): boolean {
  let leaf = true;
  eachChild(schema, (child) => void (leaf &&= !isObject(child)));
  return leaf;
}
