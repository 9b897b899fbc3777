import { isFields } from './json-value.ts';
import { Problem } from './problem.ts';
import { type JsonSchema, ownCopy, TYPES } from './schema.ts';
import { FORMS } from './schema-document.ts';

/** Keys that typebox adds and that can be enumerable. */
const marks = /^~(kind|optional|codec|refine)$/;

/**
 * Returns a copy of a JSON Schema without the keys of typebox. Throws a Problem at `path` for other input, such as a schema of a library,
 * a raw shape or a whole tool. `owner` is the name of the tool or format.
 */
export function plainSchema(source: unknown, path: string, owner: string): JsonSchema {
  const refuse = (text: string): never => {
    throw new Problem(path, `of ${owner} ${text}`);
  };
  if (source instanceof Promise) refuse('is a promise: await it');
  if (!isFields(source) || !isPlain(source)) return refuse('must be JSON Schema. defineTool and outputFormat also take zod, valibot and arktype');
  const root = ownCopy(source, (key, given) => {
    if (marks.test(key)) return undefined;
    // Typebox accepts regular expressions as patterns.
    const value: unknown = given instanceof RegExp ? given.source : given;
    if (!isPlain(value)) refuse(`has no JSON at ${key}: write z.object({ … }) or JSON Schema`);
    return value;
  });
  if (Object.keys(root).length === 0 || Object.entries(root).some(isKeyword)) return root;
  return refuse("is not JSON Schema: pass { type: 'object', properties: { … } } without a tool or format around it");
}

/** False for functions, instances of classes and schemas of libraries. In the JSON Schema made by zod, `~standard` is not enumerable. */
function isPlain(value: unknown): boolean {
  if (!isFields(value)) return typeof value !== 'function';
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm has another Object.prototype.
  return (!prototype || !Object.getPrototypeOf(prototype)) && !Object.keys(value).includes('~standard');
}

/** In a raw shape or a list of fields, a key may be named like a keyword, with another value. */
function isKeyword([key, value]: [string, unknown]): boolean {
  if (key === 'type') return Array.isArray(value) || TYPES.has(value as string);
  return key === '$ref' || key === 'const' || ((key === 'enum' || FORMS.has(key)) && typeof value !== 'string');
}
