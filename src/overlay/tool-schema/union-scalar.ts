import { CONSTRAINTS } from './constraints.ts';
import type { JsonSchema, MutableSchema } from './json-schema.ts';
import { admittedTypes, NUMBER, STRING } from './types.ts';
import { valuesOf } from './values.ts';

/** Writes the string keywords of a union. Every branch must allow strings. */
export function uniteStrings(united: MutableSchema, branches: readonly JsonSchema[]): void {
  if (onlyOne(united, branches, STRING)) return;
  uniteBounds(united, branches, 'minLength', 'maxLength');
  const pattern = branches[0]?.['pattern'];
  if (pattern !== undefined && branches.every((branch) => branch['pattern'] === pattern)) united['pattern'] = pattern;
}

/** Writes the number keywords of a union. Every branch must allow numbers. */
export function uniteNumbers(united: MutableSchema, branches: readonly JsonSchema[]): void {
  if (onlyOne(united, branches, NUMBER)) return;
  const numbers = branches.map(bounded);
  uniteBound(united, numbers, 'minimum', 'exclusiveMinimum', (a, b) => a < b);
  uniteBound(united, numbers, 'maximum', 'exclusiveMaximum', (a, b) => a > b);
  const factors = numbers.map((branch) => branch['multipleOf']);
  if (!factors.every((factor) => typeof factor === 'number')) return;
  const smallest = factors.reduce((least, factor) => Math.min(least, factor));
  if (factors.every((factor) => factor === smallest || (Number.isInteger(factor) && Number.isInteger(smallest) && factor % smallest === 0))) {
    united['multipleOf'] = smallest;
  }
}

/** Keeps the widest bounds, each only if all branches have it. */
export function uniteBounds(united: MutableSchema, branches: readonly JsonSchema[], least: string, most: string): void {
  uniteBy(united, branches, least, Math.min);
  uniteBy(united, branches, most, Math.max);
}

function uniteBy(united: MutableSchema, branches: readonly JsonSchema[], keyword: string, pick: (a: number, b: number) => number): void {
  let found: number | undefined;
  for (const branch of branches) {
    const value = branch[keyword];
    if (typeof value !== 'number') return;
    found = found === undefined ? value : pick(found, value);
  }
  put(united, keyword, found);
}

/** Copies the constraints unchanged if at most one branch allows the type. Returns `false` if there are more branches. */
export function onlyOne(united: MutableSchema, branches: readonly JsonSchema[], types: number): boolean {
  const [first, ...others] = branches;
  if (first === undefined) return true;
  if (others.length > 0) return false;
  for (const keyword of CONSTRAINTS.get(types) ?? []) put(united, keyword, first[keyword]);
  return true;
}

function put(united: MutableSchema, keyword: string, value: unknown): void {
  if (value !== undefined) united[keyword] = value;
}

/** Converts listed numbers to a range, so that they unite with ranges: -1 next to `minimum: 0` is common. */
function bounded(branch: JsonSchema): JsonSchema {
  const values = valuesOf(branch)?.filter((value) => typeof value === 'number') ?? [];
  if (values.length === 0) return branch;
  // `Math.min(...values)` fails above about 100,000 arguments.
  let [minimum, maximum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [minimum, maximum] = [Math.min(minimum, value), Math.max(maximum, value)];
  return { minimum, maximum };
}

function uniteBound(
  united: MutableSchema,
  branches: readonly JsonSchema[],
  inclusive: string,
  exclusive: string,
  wider: (a: number, b: number) => boolean,
): void {
  let bound: number | undefined;
  let keyword = exclusive;
  for (const branch of branches) {
    const [at, beyond] = [branch[inclusive], branch[exclusive]];
    const hasAt = typeof at === 'number';
    const hasBeyond = typeof beyond === 'number';
    if (!hasAt && !hasBeyond) return;
    // If a branch has both bounds, the narrower one applies.
    const isExclusive = hasBeyond && (!hasAt || !wider(beyond, at));
    const value = (isExclusive ? beyond : at) as number;
    if (bound === undefined || wider(value, bound) || (value === bound && !isExclusive)) {
      bound = value;
      keyword = isExclusive ? exclusive : inclusive;
    }
  }
  put(united, keyword, bound);
}

const STRING_FORMATS: ReadonlySet<unknown> = new Set(
  (
    'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uri-template uuid ' +
    'json-pointer relative-json-pointer regex byte binary password'
  ).split(' '),
);

/** The format of the union: one that all branches share, or a string format that all branches with strings share. */
export function commonFormat(branches: readonly JsonSchema[]): unknown {
  const format = branches[0]?.['format'];
  if (branches.every((branch) => branch['format'] === format)) return format;
  const strings = branches.filter((branch) => admittedTypes(branch) & STRING);
  const [first] = strings;
  return first !== undefined && STRING_FORMATS.has(first['format']) && strings.every((branch) => branch['format'] === first['format'])
    ? first['format']
    : undefined;
}
