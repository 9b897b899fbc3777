import { isObject, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import { MAX_MERGE_STEPS } from './limits.ts';
import { References } from './resolve.ts';

/** One thing that normalizing did to a schema. */
export interface SchemaRewrite {
  /** JSON pointer into the input; of the definition, not of the reference, for what stands in a definition. */
  readonly pointer: string;
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
  readonly next: WeakMap<object, Memo>;
}

/** The state of one rewriting of one schema. */
export class Pass {
  readonly references: References;
  /** Where the schema being rewritten stands: what merging reports is reported there. */
  pointer = '';
  /** Text that a merge put into a description; a description from outside does not replace it. */
  readonly addedText: WeakMap<object, string> = new WeakMap();
  readonly #impossible = new WeakSet<object>();
  readonly #rewrites: SchemaRewrite[] | undefined;
  readonly #noted = new Set<string>();
  readonly #merges: Record<Merge, Memo> = {
    intersect: { next: new WeakMap() },
    anyOf: { next: new WeakMap() },
    oneOf: { next: new WeakMap() },
  };
  #steps = 0;

  /** `rewrites` collects the report; without it none is made. */
  constructor(root: JsonSchema, rewrites: SchemaRewrite[] | undefined) {
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
      let next = memo.next.get(operand);
      if (next === undefined) {
        next = { next: new WeakMap() };
        memo.next.set(operand, next);
      }
      memo = next;
    }
    memo.value ??= compute();
    return memo.value;
  }

  get exhausted(): boolean {
    return this.#steps > MAX_MERGE_STEPS;
  }

  /** `false` when there has been too much merging already. */
  spend(steps: number): boolean {
    this.#steps += steps;
    return this.#steps <= MAX_MERGE_STEPS;
  }
}
