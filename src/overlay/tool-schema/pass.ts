import { isObject, type JsonSchema, type MutableSchema, mapOf, type Subschema } from './json-schema.ts';
import { MAX_MERGE_STEPS } from './limits.ts';
import { forgetResults } from './memo.ts';
import { References } from './resolve.ts';

/** One change that normalization makes to a schema. */
export interface SchemaRewrite {
  /** JSON pointer into the input. For a schema in a definition it points into the definition, not to the reference. */
  readonly pointer: string;
  /** Empty if the rewrite applies to the entire schema. */
  readonly keyword: string;
  /**
   * - `inlined`: a reference replaced by its target, or a union by its only branch
   * - `merged`: branches merged into one schema
   * - `null-collapsed`: the `null` branch of a union removed
   * - `branch-dropped`: a branch removed because no value can match it
   * - `cut`: reduced to type and description, because of recursion, depth, repetition or size
   * - `converted`: expressed with other keywords
   * - `widened`: a constraint relaxed, because the merged schema cannot express it exactly
   * - `dropped`: removed
   */
  readonly action: 'inlined' | 'merged' | 'null-collapsed' | 'branch-dropped' | 'cut' | 'converted' | 'widened' | 'dropped';
  /** `true` if the accepted values may differ: more values, or no `null` after `null-collapsed`. */
  readonly lossy: boolean;
  /** Human-readable explanation. Its wording may change. */
  readonly note: string;
}

type Merge = 'intersect' | 'anyOf' | 'oneOf';

interface Memo {
  value?: Subschema;
  next?: Map<object, Memo>;
}

/** The state of one rewrite of one schema. */
export class Pass {
  readonly references: References;
  /** Pointer of the schema being rewritten. Merges report their rewrites at this pointer. */
  pointer = '';
  /** Depth of that schema, counting references. */
  depth = 0;
  /** Text that a merge added to a description. An outer description does not replace it. */
  readonly addedText: Map<object, string> = new Map();
  /** Schemas that no longer accept the null of a union. */
  readonly nullLost: Set<object> = new Set();
  readonly #withoutNull = new Map<object, JsonSchema>();
  readonly #impossible = new Set<object>();
  readonly #rewrites: SchemaRewrite[] | undefined;
  readonly #noted = new Set<string>();
  readonly #merges: Record<Merge, Memo> = { intersect: {}, anyOf: {}, oneOf: {} };
  #steps = 0;

  /** `rewrites` receives the report. Without it, no report is made. */
  constructor(root: JsonSchema, rewrites: SchemaRewrite[] | undefined) {
    forgetResults();
    this.references = new References(root);
    this.#rewrites = rewrites;
  }

  note(keyword: string, action: SchemaRewrite['action'], lossy: boolean, note: string, pointer: string = this.pointer): void {
    if (this.#rewrites === undefined) return;
    const identity = `${pointer} ${keyword} ${action} ${note}`;
    if (this.#noted.has(identity)) return;
    this.#noted.add(identity);
    this.#rewrites.push({ pointer, keyword, action, lossy, note });
  }

  /** Marks a schema that no value can match. The subset cannot express this, so the marked schema is wider. */
  markImpossible<T extends JsonSchema>(schema: T): T {
    this.#impossible.add(schema);
    return schema;
  }

  /** Whether no value can match the original of `schema`. */
  isImpossible(schema: Subschema): boolean {
    return isObject(schema) ? this.#impossible.has(schema) : !schema;
  }

  /** The copy of a schema that marks the loss of null. The same schema always has the same copy. */
  withoutNull(schema: Subschema): Subschema {
    if (!isObject(schema)) return schema;
    let copy = this.#withoutNull.get(schema);
    if (copy === undefined) {
      copy = this.derive(schema, {});
      this.#withoutNull.set(schema, copy);
      this.nullLost.add(copy);
    }
    return copy;
  }

  /** A copy with `changes` that keeps the marks and the added text of the original. */
  derive(schema: JsonSchema, changes: JsonSchema): MutableSchema {
    const copy = { ...schema, ...changes };
    const text = this.addedText.get(schema);
    if (text !== undefined) this.addedText.set(copy, text);
    if (this.#impossible.has(schema)) this.#impossible.add(copy);
    return copy;
  }

  /** Caches merges by the identity of their operands. Without the cache, shared schemas would be merged exponentially often. */
  once(operation: Merge, operands: readonly JsonSchema[], compute: () => Subschema): Subschema {
    let memo = this.#merges[operation];
    for (const operand of operands) {
      memo.next ??= new Map();
      let next = memo.next.get(operand);
      if (next === undefined) {
        next = {};
        memo.next.set(operand, next);
      }
      memo = next;
    }
    memo.value ??= compute();
    return memo.value;
  }

  /** Whether the merge steps are used up. Deeper schemas get a smaller share, so that they do not starve the others. */
  get exhausted(): boolean {
    return this.#steps > (MAX_MERGE_STEPS * 16) / (16 + this.depth);
  }

  /** Counts merge steps. Returns `false` if the limit is exceeded. */
  spend(steps: number): boolean {
    if (this.exhausted) return false;
    this.#steps += steps;
    return this.#steps <= MAX_MERGE_STEPS;
  }
}

/** Comparing two objects or lists of an enum visits all their members. */
const STRUCTURED_STEPS = 50;

/** Steps to merge a schema: one for each keyword, and for each entry that a merge visits. Other values are copied by reference. */
export function stepsOf(schema: JsonSchema): number {
  let steps = Object.keys(schema).length + namesIn(schema);
  for (const keyword of ['required', 'enum', 'type']) {
    const list = schema[keyword];
    if (Array.isArray(list)) for (const value of list) steps += typeof value === 'object' ? STRUCTURED_STEPS : 1;
  }
  return steps;
}

/** Steps to unite branches: a union looks up every property in every branch. */
export function unionSteps(branches: readonly JsonSchema[]): number {
  return branches.reduce((steps, branch) => steps + stepsOf(branch) + namesIn(branch) * branches.length, 0);
}

function namesIn(schema: JsonSchema): number {
  return Object.keys(mapOf(schema['properties'])).length;
}
