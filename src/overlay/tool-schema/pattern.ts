import { asSchema, type JsonSchema, mapOf, type Subschema } from './json-schema.ts';

/** Patterns of one schema that are read. Of more than that it is not known which names they take. */
export const MAX_PATTERNS = 32;

const MAX_CHARACTERS = 256;

/** Characters with a meaning of their own, and halves of characters, which a pattern does not match. */
const NOT_LITERAL = /[\\^$.*+?()[\]{}|\uD800-\uDFFF]/;
const WILD: ReadonlySet<string> = new Set(['.', '.+', '.*']);

/**
 * Whether `name` matches a pattern of `patternProperties`; `undefined` when that cannot be told. Schemas come from anywhere, so no pattern is
 * ever run: plain text, with or without `^` and `$`, and `.*` are understood.
 */
export function matches(pattern: string, name: string): boolean | undefined {
  if (pattern.length > MAX_CHARACTERS || name.length > MAX_CHARACTERS) return undefined;
  const [fromStart, toEnd] = [pattern.startsWith('^'), pattern.endsWith('$')];
  const text = pattern.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined);
  // A dot matches no line break, and a whole character where JavaScript counts two.
  if (WILD.has(text))
    return name === '' || /[\n\r\u2028\u2029\uD800-\uDFFF]/.test(name) ? undefined : text !== '.' || !fromStart || !toEnd || name.length === 1;
  if (NOT_LITERAL.test(text)) return undefined;
  if (fromStart) return toEnd ? name === text : name.startsWith(text);
  return toEnd ? name.endsWith(text) : name.includes(text);
}

/** What a schema demands of its properties, read once for many names. */
export class Members {
  readonly own: JsonSchema;
  /** Schema of the names that are neither listed nor taken by a pattern. */
  readonly rest: Subschema;
  readonly #patterns: readonly (readonly [pattern: string, schema: unknown])[];

  constructor(schema: JsonSchema) {
    this.own = mapOf(schema['properties']);
    this.rest = asSchema(schema['additionalProperties']);
    this.#patterns = Object.entries(mapOf(schema['patternProperties']));
  }

  /** Whether a pattern takes the name, or might. */
  mayTake(name: string): boolean {
    return this.#patterns.length > MAX_PATTERNS || this.#patterns.some(([pattern]) => matches(pattern, name) !== false);
  }

  /** The schema of a name; the patterns beside a listed property are left out, which only widens. */
  of(name: string): Subschema {
    if (Object.hasOwn(this.own, name)) return asSchema(this.own[name]);
    if (this.#patterns.length > MAX_PATTERNS) return true;
    for (const [pattern, schema] of this.#patterns) {
      const match = matches(pattern, name);
      if (match === undefined) return true;
      if (match) return asSchema(schema);
    }
    return this.rest;
  }
}
