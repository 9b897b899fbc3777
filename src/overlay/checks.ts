/** The words that the generated validators are written in (see scripts/generate/compact). What each reports is what ajv's own code reports. */

/** What is wrong with a request, in ajv's terms. */
export interface Violation {
  /** JSON pointer into the value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Adds to `found` what is wrong with the value, which stands at `path`. */
export type Validate = (found: Violation[], path: string, value: unknown) => void;

/** The compiled rules of one operation. */
export interface Rules {
  readonly body?: Validate;
  /** Path and query parameters. */
  readonly parameters?: Validate;
}

/** False while nobody is to be told where something is wrong: nearly all requests are right, and paths cost more than all else. */
let pathsWanted = true;

/** All that is wrong with a value; empty when it is allowed. */
export function violationsOf(validate: Validate, value: unknown): Violation[] {
  const found: Violation[] = [];
  pathsWanted = false;
  try {
    validate(found, '', value);
  } finally {
    pathsWanted = true;
  }
  if (found.length === 0) return found;
  found.length = 0;
  validate(found, '', value);
  return found;
}

function below(path: string, step: string | number): string {
  return pathsWanted ? `${path}/${step}` : '';
}

type Fields = Readonly<Record<string, unknown>>;
/** What a value must be: of a type, of one of several, or right for a validator. */
type Wanted = string | readonly string[] | Validate;

export function note(found: Violation[], instancePath: string, keyword: string, params: Violation['params']): void {
  found.push({ instancePath, keyword, params });
}

/** Stands for a violation that nobody is told: the list is cut back over it. */
export const unseen: Violation = { instancePath: '', keyword: '', params: {} };

function isObject(value: unknown): value is Fields {
  return isOf('object', value);
}

/** Is the value of this JSON Schema type? */
export function isOf(type: string, value: unknown): boolean {
  const kind = typeof value;
  if (kind === 'object') return type === (value === null ? 'null' : Array.isArray(value) ? 'array' : 'object');
  if (kind === 'number') return type === 'number' ? Number.isFinite(value) : type === 'integer' && Number.isInteger(value);
  return kind === type;
}

function isOfAny(types: string | readonly string[], value: unknown): boolean {
  return typeof types === 'string' ? isOf(types, value) : types.some((one) => isOf(one, value));
}

/** Is it of this type, or of one of these? If not, that is a violation. */
export function type(found: Violation[], path: string, value: unknown, wanted: string | readonly string[]): boolean {
  const right = isOfAny(wanted, value);
  if (!right) note(found, path, 'type', { type: wanted });
  return right;
}

/** One step further down; the path is put together only where something reads it. */
function inside(found: Violation[], path: string, step: string | number, value: unknown, wanted: Wanted): void {
  if (typeof wanted === 'function') wanted(found, below(path, step), value);
  else if (!isOfAny(wanted, value)) note(found, below(path, step), 'type', { type: wanted });
}

/** A field, where it is there. The generated code reads it by its name: a look-up by a variable costs several times as much. */
export function at(found: Violation[], path: string, value: unknown, wanted: Wanted, name: string): void {
  if (value !== undefined) inside(found, path, name, value, wanted);
}

/** The items of a list. */
export function each(found: Violation[], path: string, items: readonly unknown[], wanted: Wanted): void {
  for (let index = 0; index < items.length; index++) inside(found, path, index, items[index], wanted);
}

/** A field that must be there. */
export function need(found: Violation[], path: string, value: unknown, name: string): void {
  if (value === undefined) note(found, path, 'required', { missingProperty: name });
}

export function oneOf(found: Violation[], path: string, value: unknown, ...allowedValues: readonly unknown[]): void {
  if (!allowedValues.includes(value)) note(found, path, 'enum', { allowedValues });
}

export function same(found: Violation[], path: string, value: unknown, allowedValue: unknown): void {
  if (value !== allowedValue) note(found, path, 'const', { allowedValue });
}

const comparisons: Readonly<Record<string, readonly [comparison: string, holds: (value: number, limit: number) => boolean]>> = {
  maximum: ['<=', (value, limit) => value <= limit],
  minimum: ['>=', (value, limit) => value >= limit],
  exclusiveMaximum: ['<', (value, limit) => value < limit],
  exclusiveMinimum: ['>', (value, limit) => value > limit],
};

/** A bound of numbers; whatever is no number passes. */
export function bound(found: Violation[], path: string, value: unknown, keyword: string, limit: number): void {
  const [comparison, holds] = comparisons[keyword] as (typeof comparisons)[string];
  if (Number.isFinite(value) && !holds(value as number, limit)) note(found, path, keyword, { comparison, limit });
}

/** A bound of a length or a number of entries. */
export function size(found: Violation[], path: string, count: number, keyword: string, limit: number): void {
  if (keyword.startsWith('min') ? count < limit : count > limit) note(found, path, keyword, { limit });
}

export function match(found: Violation[], path: string, text: string, pattern: RegExp): void {
  if (!pattern.test(text)) note(found, path, 'pattern', { pattern: pattern.source });
}

/** Length of a text as JSON Schema counts it. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The condition of a rule: the field has one of these values. What is no object meets it, since then it has nothing that could break it. */
export function when(value: unknown, name: string, values: readonly unknown[]): boolean {
  return !isObject(value) || values.includes(value[name]);
}

/** The end of a rule with a condition: when something was found since there were `before`, that is told once more. */
export function after(found: Violation[], path: string, before: number): void {
  if (found.length !== before) note(found, path, 'if', { failingKeyword: 'then' });
}

/** A rule with a condition, whose only demand is that fields are there. */
export function needWhen(
  found: Violation[],
  path: string,
  value: unknown,
  name: string,
  values: readonly unknown[],
  ...names: readonly string[]
): void {
  if (!isObject(value) || !values.includes(value[name])) return;
  const before = found.length;
  for (const each of names) need(found, path, value[each], each);
  after(found, path, before);
}

/** A field's name as a step of a JSON pointer. */
export function step(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** At least one item must be right, and at most so many. While too few are, all that is wrong with the items stands before that. */
export function contains(found: Violation[], path: string, items: readonly unknown[], right: Validate, maxContains?: number): void {
  const start = found.length;
  let count = 0;
  for (let index = 0; index < items.length; index++) {
    const before = found.length;
    right(found, below(path, index), items[index]);
    if (found.length === before && ++count > (maxContains ?? 0)) break;
  }
  if (count > 0 && (maxContains === undefined || count <= maxContains)) found.length = start;
  else note(found, path, 'contains', maxContains === undefined ? { minContains: 1 } : { minContains: 1, maxContains });
}

/** A multiple, as ajv computes it; whatever is no number passes. */
export function multiple(found: Violation[], path: string, value: unknown, multipleOf: number): void {
  const quotient = (value as number) / multipleOf;
  if (Number.isFinite(value) && quotient !== Number.parseInt(String(quotient), 10)) note(found, path, 'multipleOf', { multipleOf });
}
