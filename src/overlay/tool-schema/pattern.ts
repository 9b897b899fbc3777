import { asSchema, type JsonSchema, mapOf, type Subschema } from './json-schema.ts';

/** Maximum patterns of one schema that are evaluated. With more, the matching names are unknown. */
export const MAX_PATTERNS = 32;

const MAX_CHARACTERS = 256;

/** Regular-expression syntax, and surrogate halves, which a Unicode pattern does not match. */
const NOT_LITERAL = /[\\^$.*+?()[\]{}|\uD800-\uDFFF]/;
const WILD: ReadonlySet<string> = new Set(['.', '.+', '.*']);

/**
 * Whether `name` matches a pattern of `patternProperties`, or `undefined` if that cannot be decided. Schemas are untrusted, so patterns are
 * never executed. Supported are plain text with or without `^` and `$`, `.`, `.+` and `.*`.
 */
export function matches(pattern: string, name: string): boolean | undefined {
  if (pattern.length > MAX_CHARACTERS || name.length > MAX_CHARACTERS) return undefined;
  const [fromStart, toEnd] = [pattern.startsWith('^'), pattern.endsWith('$')];
  const text = pattern.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined);
  // A dot does not match a line break, and matches a surrogate pair as one character.
  if (WILD.has(text))
    return name === '' || /[\n\r\u2028\u2029\uD800-\uDFFF]/.test(name) ? undefined : text !== '.' || !fromStart || !toEnd || name.length === 1;
  if (NOT_LITERAL.test(text)) return undefined;
  if (fromStart) return toEnd ? name === text : name.startsWith(text);
  return toEnd ? name.endsWith(text) : name.includes(text);
}

/** The property schemas of an object schema, prepared for looking up many names. */
export class Members {
  readonly own: JsonSchema;
  /** Schema of the names that are neither listed nor matched by a pattern. */
  readonly rest: Subschema;
  readonly #patterns: readonly (readonly [pattern: string, schema: unknown])[];

  constructor(schema: JsonSchema) {
    this.own = mapOf(schema['properties']);
    this.rest = asSchema(schema['additionalProperties']);
    this.#patterns = Object.entries(mapOf(schema['patternProperties']));
  }

  /** Whether a pattern matches the name or may match it. */
  mayTake(name: string): boolean {
    return this.#patterns.length > MAX_PATTERNS || this.#patterns.some(([pattern]) => matches(pattern, name) !== false);
  }

  /** The schema of a name. Patterns that also match a listed property are ignored, which only widens the schema. */
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
