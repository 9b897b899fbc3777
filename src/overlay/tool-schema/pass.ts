import { type JsonSchema, mapOf } from '../json/schema.ts';

/** One change that normalization makes to a schema. */
export interface SchemaRewrite {
  /** JSON pointer to the changed schema in the input. For a schema in a definition it points into the definition, not to the reference. */
  readonly pointer: string;
  /**
   * These mean the same:
   * - `inlined`: a reference replaced by its target, or a union by its only branch
   * - `merged`: branches merged into one schema
   * - `left-out`: a keyword or a branch removed that no value depends on
   *
   * These accept more values:
   * - `cut`: reduced to type and description, because of recursion, depth, repetition or size
   * - `widened`: a constraint relaxed, because the merged schema cannot express it exactly
   * - `dropped`: a constraint removed
   *
   * And this accepts no `null` any more:
   * - `null-collapsed`: the `null` branch of a union removed
   */
  readonly action: 'inlined' | 'merged' | 'left-out' | 'cut' | 'widened' | 'dropped' | 'null-collapsed';
}

// Marks of a rewritten schema in addition to its keywords. A copy by spread has them too, and the schema that is written has none.
/** Text that a merge added to the description. An outer description does not replace it. */
export const ADDED: unique symbol = Symbol('added text');
/** The schema no longer accepts the null of a union. */
export const NULL_LOST: unique symbol = Symbol('null lost');
/** No value can match the original. The subset cannot express this, so the marked schema is wider. */
export const IMPOSSIBLE: unique symbol = Symbol('impossible');
/** Pointer of the original in the input. */
export const ORIGIN: unique symbol = Symbol('origin');

/** A schema inside the subset, with its marks. */
export interface FlatSchema extends JsonSchema {
  [ADDED]?: string | undefined;
  [NULL_LOST]?: boolean | undefined;
  [IMPOSSIBLE]?: boolean | undefined;
  [ORIGIN]?: string | undefined;
}

/** A rewritten value of a schema position. */
export type FlatValue = FlatSchema | boolean;

export function isImpossible(schema: FlatValue): boolean {
  return typeof schema === 'boolean' ? !schema : schema[IMPOSSIBLE] === true;
}

/** Maximum merge steps. A step is a keyword, a listed value, or a property looked up in a branch. Further merges keep only the types. */
const MAX_MERGE_STEPS = 300_000;

/** The report of one rewrite, and the work that it may still do. */
export class Pass {
  /** Pointer of the schema being rewritten. Merges report their rewrites at this pointer. */
  pointer = '';
  readonly #rewrites: SchemaRewrite[] | undefined;
  readonly #noted = new Set<string>();
  readonly #numbers = new Map<object, number>();
  readonly #merged = new Map<string, FlatValue>();
  #steps = 0;

  /** `rewrites` receives the report. Without it, no report is made. */
  constructor(rewrites: SchemaRewrite[] | undefined) {
    this.#rewrites = rewrites;
  }

  note(action: SchemaRewrite['action'], pointer: string = this.pointer): void {
    if (this.#rewrites === undefined) return;
    const identity = `${action} ${pointer}`;
    if (this.#noted.has(identity)) return;
    this.#noted.add(identity);
    this.#rewrites.push({ pointer, action });
  }

  /** One result for the same operands, so that a merge at several places is a repeat, and shared schemas are merged once. */
  once(operation: string, operands: readonly object[], merge: () => FlatValue): FlatValue {
    const key = operands.reduce<string>((text, operand) => `${text} ${this.#numberOf(operand)}`, operation);
    let merged = this.#merged.get(key);
    if (merged === undefined) this.#merged.set(key, (merged = merge()));
    return merged;
  }

  #numberOf(operand: object): number {
    const number = this.#numbers.get(operand) ?? this.#numbers.size;
    this.#numbers.set(operand, number);
    return number;
  }

  /** Counts the steps of a merge. Returns `false` if the limit is exceeded. */
  spend(steps: number): boolean {
    if (this.#steps <= MAX_MERGE_STEPS) this.#steps += steps;
    return this.#steps <= MAX_MERGE_STEPS;
  }
}

/** Comparing two objects or lists of an enum visits all their members. */
const STRUCTURED_STEPS = 50;

/** Steps to merge a schema: one for each keyword, and for each entry that a merge visits. Other values are copied by reference. */
export function stepsOf(schema: JsonSchema): number {
  let steps = Object.keys(schema).length + propertyCount(schema);
  for (const keyword of ['required', 'enum', 'type']) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const value of list) steps += typeof value === 'object' ? STRUCTURED_STEPS : 1;
  }
  return steps;
}

/** Steps to unite branches: a union looks up every property in every branch. */
export function unionSteps(branches: readonly JsonSchema[]): number {
  return branches.reduce((steps, branch) => steps + stepsOf(branch) + propertyCount(branch) * branches.length, 0);
}

function propertyCount(schema: JsonSchema): number {
  return Object.keys(mapOf(schema['properties'])).length;
}
