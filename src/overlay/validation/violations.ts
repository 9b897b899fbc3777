/**
 * Finds the one violation of a value that its error reports. A declared field with the value null counts as absent unless its rule names
 * null, which is the only difference from JSON Schema.
 */
import type { Rule } from '../../generated/rules.ts';
import { type Fields, fieldsOf, isFields } from '../json/json-value.ts';

/** A broken keyword of a rule. */
export interface Violation {
  /** Steps from the checked value to the part that breaks it. */
  readonly path: readonly (string | number)[];
  readonly keyword: RuleKeyword;
  /** The limit, or the types, words or fields, of which one is enough. For a rule of entries or names: that rule, or its violation. */
  readonly wanted: readonly unknown[];
  /** Types that are accepted in addition to the words of an `enum`. */
  readonly types?: readonly unknown[];
}

/** Keywords that a value can break. The others lead to further rules. */
export type RuleKeyword = Exclude<keyof Rule, Inner>;
type Inner = '$ref' | 'properties' | 'additionalProperties' | 'items' | 'anyOf' | 'allOf' | 'if' | 'then';

type Check = (value: unknown) => Violation | undefined;

type PartOf<Limit> = (limit: Limit, inside: (rule: Rule) => Check, rule: Rule) => Check;

/** The worst violation, or undefined if the value fits the rule. Without `ranges`, ranges of numbers and lengths are not checked. */
export function worstViolation(rule: Rule, value: unknown, ranges = true): Violation | undefined {
  return checkOf(rule, ranges)(value);
}

/** The worse of two violations: the deeper one, because in a union it belongs to the form that the caller meant. Of equals, the first in the spec. */
function worse(one: Violation | undefined, other: Violation | undefined): Violation | undefined {
  if (!one || !other) return one ?? other;
  return rank(other) > rank(one) ? other : one;
}

/** At the same depth, a wrong type ranks below other violations. A field that must be absent ranks below a missing field next to it. */
function rank(violation: Violation): number {
  const depth = violation.path.length;
  return isExclusion(violation) ? depth - 0.75 : depth + (violation.keyword === 'type' ? 0 : 0.5);
}

/** True if the spec allows only null, because another field excludes this one. */
export function isExclusion({ keyword, wanted }: Violation): boolean {
  return keyword === 'type' && wanted.join() === 'null';
}

/** Compiled rules: walking the schema for every request takes several times as long. */
const withRanges = new Map<Rule, Check>();
const withoutRanges = new Map<Rule, Check>();

function checkOf(rule: Rule, ranges: boolean): Check {
  const known = ranges ? withRanges : withoutRanges;
  let check = known.get(rule);
  if (!check) known.set(rule, (check = compile(rule, ranges)));
  return check;
}

function compile(rule: Rule, ranges: boolean): Check {
  const checks = Object.entries(rule).flatMap(([keyword, limit]) => {
    const fits = tests[keyword as keyof Rule] as ((value: unknown, limit: unknown) => boolean) | undefined;
    if (fits) {
      if (!ranges && isRange(keyword, limit)) return [];
      const violation = broken(keyword as RuleKeyword, limit);
      return (value: unknown) => (fits(value, limit) ? undefined : violation);
    }
    const checkFor = parts[keyword as keyof Rule] as PartOf<unknown> | undefined;
    return checkFor?.(limit, (inner) => checkOf(inner, ranges), rule) ?? [];
  });
  return worstOf(checks);
}

function broken(keyword: RuleKeyword, limit: unknown): Violation {
  return { path: [], keyword, wanted: [limit].flat() };
}

/** True for a range of numbers or lengths. Not for a minimum length of 1, nor for a list of words: every server has these rules. */
function isRange(keyword: string, limit: unknown): boolean {
  if (keyword === 'enum') return [limit].flat().every((one) => typeof one === 'number');
  return typeof limit === 'number' && keyword !== 'const' && !(limit === 1 && /^min(L|It)/.test(keyword));
}

/** Keywords that test the value itself. As in JSON Schema, each accepts values of types that it does not apply to. */
const tests: { readonly [Key in keyof Rule]?: (value: unknown, limit: NonNullable<Rule[Key]>) => boolean } = {
  type: (value, types) => (typeof types === 'string' ? isOf(types, value) : types.some((type) => isOf(type, value))),
  const: (value, allowed) => value === allowed,
  enum: (value, allowed) => (allowed as readonly unknown[]).includes(value),
  maximum: (value, most) => !isNumber(value) || value <= most,
  minimum: (value, least) => !isNumber(value) || value >= least,
  exclusiveMinimum: (value, bound) => !isNumber(value) || value > bound,
  multipleOf: (value, divisor) => !isNumber(value) || isMultiple(value, divisor),
  maxLength: (value, most) => typeof value !== 'string' || codePoints(value, most) <= most,
  minLength: (value, least) => typeof value !== 'string' || codePoints(value, least) >= least,
  pattern: (value, pattern) => typeof value !== 'string' || pattern.test(value),
  maxItems: (value, most) => !Array.isArray(value) || value.length <= most,
  minItems: (value, least) => !Array.isArray(value) || value.length >= least,
  maxProperties: (value, most) => !isFields(value) || Object.keys(value).length <= most,
};

/** Keywords of fields, items, forms and conditions. `then` belongs to `if`. */
const parts: { readonly [Key in keyof Rule]?: PartOf<NonNullable<Rule[Key]>> } = {
  $ref: (target, inside) => {
    let check: Check | undefined;
    // Compiled on first use: a rule may refer to itself.
    return (value) => (check ??= inside(target()))(value);
  },
  required: (names, inside, { properties = {} }) => {
    // Null is a value if the rule of the field names it. A rule without a keyword, for instance a file's, does not.
    const isNull = (name: string): boolean => Object.keys(properties[name] ?? {}).length > 0 && !inside(properties[name] as Rule)(null);
    const isMissing = (field: unknown, name: string): boolean => field === undefined || (field === null && !isNull(name));
    return (value) => {
      const missing = isFields(value) ? names.find((name) => isMissing(ownField(value, name), name)) : undefined;
      return missing === undefined ? undefined : broken('required', missing);
    };
  },
  properties: (rules, inside) => {
    const checks = Object.entries(rules).map(([name, rule]) => [name, inside(rule)] as const);
    return (value) => {
      let worst: Violation | undefined;
      if (!isFields(value)) return worst;
      for (const [name, check] of checks) {
        const field = ownField(value, name);
        if (!isAbsent(field)) worst = worse(worst, within(name, check(field)));
      }
      return worst;
    };
  },
  additionalProperties: (rule, inside, { properties = {} }) => {
    const check = inside(rule);
    return (value) => {
      const others = Object.entries(fieldsOf(value)).filter(([name]) => !Object.hasOwn(properties, name));
      return others.map(([name, field]) => within(name, check(field))).reduce(worse, undefined);
    };
  },
  propertyNames: (rule, inside) => {
    const check = inside(rule);
    return (value) => {
      const violation = Object.keys(fieldsOf(value)).map(check).reduce(worse, undefined);
      return violation && broken('propertyNames', violation);
    };
  },
  items: (rule, inside) => {
    const check = inside(rule);
    return (value) => {
      let worst: Violation | undefined;
      if (Array.isArray(value)) for (let index = 0; index < value.length; index++) worst = worse(worst, within(index, check(value[index])));
      return worst;
    };
  },
  contains: (rule, inside) => {
    const check = inside(rule);
    const none = broken('contains', rule);
    return (value) => (Array.isArray(value) && !value.some((item) => !check(item)) ? none : undefined);
  },
  maxContains: (most, inside, { contains = {} }) => {
    const check = inside(contains);
    const tooMany = broken('maxContains', [most, contains]);
    return (value) => (Array.isArray(value) && value.filter((item) => !check(item)).length > most ? tooMany : undefined);
  },
  allOf: (rules, inside) => worstOf(rules.map(inside)),
  anyOf: (rules, inside) => {
    const checks = rules.map(inside);
    return (value) => {
      let found: Violation | undefined;
      for (const check of checks) {
        const violation = check(value);
        if (!violation) return undefined;
        found = found ? ofEither(found, violation) : violation;
      }
      return found;
    };
  },
  if: (condition, inside, { then = {} }) => {
    const misses = inside(condition);
    const check = inside(then);
    return (value) => (misses(value) ? undefined : check(value));
  },
};

function worstOf(checks: readonly Check[]): Check {
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (value) => {
    let worst: Violation | undefined;
    for (const check of checks) worst = worse(worst, check(value));
    return worst;
  };
}

function within(step: string | number, violation: Violation | undefined): Violation | undefined {
  return violation && { ...violation, path: [step, ...violation.path] };
}

/** The violation of a value that fits neither of two forms. If it breaks the same keyword of both, or words and a type, the violation lists what either form accepts. */
function ofEither(one: Violation, other: Violation): Violation | undefined {
  if (one.path.length + other.path.length > 0) return worse(one, other);
  if (one.keyword === other.keyword) return { ...one, wanted: [...new Set([...one.wanted, ...other.wanted])] };
  const [word, { keyword, wanted: types }] = one.keyword === 'type' ? [other, one] : [one, other];
  if (keyword !== 'type' || !/^(enum|const)$/.test(word.keyword)) return worse(one, other);
  const apart = word.wanted.filter((value) => !types.some((type) => isOf(String(type), value)));
  return apart.length === 0 ? { path: [], keyword, wanted: types } : { path: [], keyword: 'enum', wanted: apart, types };
}

/** A field that is sent: an object inherits fields such as `constructor`. */
function ownField(value: Fields, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The quotient of two decimals is not exact: 0.07 / 0.01 is 7.000000000000001. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= 2 * Number.EPSILON * Math.abs(quotient);
}

/** Null counts too: replies contain null instead of absent fields, and callers send replies back. */
function isAbsent(field: unknown): boolean {
  return field === undefined || field === null;
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return isNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isFields(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** The length of a text as JSON Schema counts it. The text is not walked if the number of its code units decides. */
function codePoints(text: string, limit: number): number {
  return text.length < limit || text.length > 2 * limit ? text.length : [...text].length;
}
