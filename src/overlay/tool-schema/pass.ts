import { isObject, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import { MAX_MERGE_STEPS } from './limits.ts';
import { forgetResults } from './memo.ts';
import { References } from './resolve.ts';

/** One thing that normalizing did to a schema. */
export interface SchemaRewrite {
  /** JSON pointer into the input; of the definition, not of the reference, for what stands in a definition. */
  readonly pointer: string;
  /** Empty when the schema as a whole is meant. */
  readonly keyword: string;
  /**
   * - `inlined`: a reference or a one-branch union, replaced by what it stands for
   * - `merged`: branches put together in one schema
   * - `null-collapsed`: the `null` branch of a union, left out
   * - `branch-dropped`: a branch that can accept nothing
   * - `cut`: only type and description are left, because of recursion, depth or size
   * - `converted`: the same said with other keywords
   * - `widened`: a constraint that the merged schema cannot say exactly
   * - `dropped`: left out
   */
  readonly action: 'inlined' | 'merged' | 'null-collapsed' | 'branch-dropped' | 'cut' | 'converted' | 'widened' | 'dropped';
  /** `true` when the schema may now accept other values than before: more of them, or no `null` after `null-collapsed`. */
  readonly lossy: boolean;
  /** What happened, for a person. */
  readonly note: string;
}

type Merge = 'intersect' | 'anyOf' | 'oneOf';

interface Memo {
  value?: Subschema;
  next?: Map<object, Memo>;
}

/** The state of one rewriting of one schema. */
export class Pass {
  readonly references: References;
  /** Where the schema being rewritten stands: what merging reports is reported there. */
  pointer = '';
  /** How deep that is, counting references. */
  depth = 0;
  /** Text that a merge put into a description; a description from outside does not replace it. */
  readonly addedText: Map<object, string> = new Map();
  readonly #impossible = new Set<object>();
  readonly #rewrites: SchemaRewrite[] | undefined;
  readonly #noted = new Set<string>();
  readonly #merges: Record<Merge, Memo> = { intersect: {}, anyOf: {}, oneOf: {} };
  #steps = 0;

  /** `rewrites` collects the report; without it none is made. */
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

  /** Marks a schema that stands for a contradiction: it is wider than that, so as to have a plain form. */
  markImpossible<T extends JsonSchema>(schema: T): T {
    this.#impossible.add(schema);
    return schema;
  }

  /** Whether nothing can match what `schema` stands for. */
  isImpossible(schema: Subschema): boolean {
    return isObject(schema) ? this.#impossible.has(schema) : !schema;
  }

  /** A copy that keeps what is known about the original. */
  derive(schema: JsonSchema, changes: JsonSchema): MutableSchema {
    const copy = { ...schema, ...changes };
    const text = this.addedText.get(schema);
    if (text !== undefined) this.addedText.set(copy, text);
    if (this.#impossible.has(schema)) this.#impossible.add(copy);
    return copy;
  }

  /** The result of merging these very objects, computed once: shared schemas would be merged exponentially often. */
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

  /** Whether there has been too much merging already: the deeper a schema stands, the less it may take from the others. */
  get exhausted(): boolean {
    return this.#steps > (MAX_MERGE_STEPS * 16) / (16 + this.depth);
  }

  /** `false` when there has been too much merging already. */
  spend(steps: number): boolean {
    if (this.exhausted) return false;
    this.#steps += steps;
    return this.#steps <= MAX_MERGE_STEPS;
  }
}
