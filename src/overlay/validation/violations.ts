/**
 * Checks a value against a rule of the spec. Returns all violations in the order of ajv: a test compares the two.
 * A declared field with the value null counts as absent, which is the only difference from JSON Schema.
 * Each rule is compiled to functions on first use, because walking the schema for every request takes several times as long.
 */
import type { Rule } from '../../generated/rules.ts';

/** One violated rule, in the terms of ajv. */
export interface Violation {
  /** JSON pointer into the value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** All violations of a rule; empty if the value is valid. Without `ranges`, those of ranges and lengths are left out. */
export function violationsOf(rule: Rule, value: unknown, ranges = true): Violation[] {
  const check = checkOf(rule);
  const quick = new Report(false, ranges);
  check(value, quick);
  if (quick.found.length === 0) return quick.found;
  const report = new Report(true, ranges);
  check(value, report);
  return report.found;
}

type Check<Value = unknown> = (value: Value, report: Report) => void;
type Fields = Readonly<Record<string, unknown>>;
/** One check per keyword, in the order of ajv. */
type Keywords<Value> = { readonly [Keyword in keyof Rule]?: (limit: NonNullable<Rule[Keyword]>, rule: Rule) => Check<Value> };

const unexplained: Violation = { instancePath: '', keyword: '', params: {} };

/** The violations found so far. Nearly all requests are valid, so pointers and order are computed in a second check of invalid values only. */
class Report {
  readonly found: Violation[] = [];
  readonly explains: boolean;
  readonly #ranges: boolean;
  /** Path to the current value. */
  readonly #steps: (string | number)[] = [];

  constructor(explains: boolean, ranges: boolean) {
    this.explains = explains;
    this.#ranges = ranges;
  }

  add(keyword: string, params: Violation['params']): void {
    if (!this.#ranges && isRange(keyword, params)) return;
    this.found.push(this.explains ? { instancePath: this.#steps.map(pointerStep).join(''), keyword, params } : unexplained);
  }

  /** Check a field or an item. */
  step(step: string | number, check: Check, value: unknown): void {
    if (!this.explains) return check(value, this);
    this.#steps.push(step);
    check(value, this);
    this.#steps.pop();
  }

  /** True if the check adds no violation. */
  isClean<Value>(check: Check<Value>, value: Value): boolean {
    const before = this.found.length;
    check(value, this);
    return this.found.length === before;
  }

  /** True if the value passes; its violations are not reported. */
  passes(check: Check, value: unknown): boolean {
    const before = this.found.length;
    const passes = this.isClean(check, value);
    this.found.length = before;
    return passes;
  }
}

/** A range of numbers or lengths. An empty text or list is another fault, and so is a word that is not in a list. */
function isRange(keyword: string, { limit, allowedValues }: Violation['params']): boolean {
  if (keyword === 'enum') return (allowedValues as readonly unknown[]).every((one) => typeof one === 'number');
  return /^(exclusiveM|m)(ax|in)imum$|^multipleOf$|^m(ax|in)(Length|Items|Properties)$/.test(keyword) && !(limit === 1 && /^min(L|It)/.test(keyword));
}

function pointerStep(step: string | number): string {
  return `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const ofNumbers: Keywords<number> = {
  maximum: (limit) => (value, report) => value <= limit || report.add('maximum', { comparison: '<=', limit }),
  minimum: (limit) => (value, report) => value >= limit || report.add('minimum', { comparison: '>=', limit }),
  exclusiveMinimum: (limit) => (value, report) => value > limit || report.add('exclusiveMinimum', { comparison: '>', limit }),
  multipleOf: (multipleOf) => (value, report) => isMultiple(value, multipleOf) || report.add('multipleOf', { multipleOf }),
};

const ofTexts: Keywords<string> = {
  maxLength: (limit) => (text, report) => codePoints(text, limit) <= limit || report.add('maxLength', { limit }),
  minLength: (limit) => (text, report) => codePoints(text, limit) >= limit || report.add('minLength', { limit }),
  pattern: (pattern) => (text, report) => pattern.test(text) || report.add('pattern', { pattern: pattern.source }),
};

const ofAll: Keywords<unknown> = {
  $ref: (rule) => {
    let check: Check | undefined;
    // Compiled on first use: a rule may refer to itself.
    return (value, report) => (check ??= checkOf(rule()))(value, report);
  },
  const: (allowedValue) => (value, report) => value === allowedValue || report.add('const', { allowedValue }),
  enum: (allowedValues) => {
    const allowed = new Set<unknown>(allowedValues);
    return (value, report) => allowed.has(value) || report.add('enum', { allowedValues });
  },
  anyOf: (rules) => branches('anyOf', rules.map(compile)),
  oneOf: (rules) => branches('oneOf', rules.map(compile)),
  allOf: (rules) => all(rules.map(compile)),
  if: (condition, { then }) => conditional(compile(condition), compile(then ?? {})),
};

const ofLists: Keywords<readonly unknown[]> = {
  maxItems: (limit) => (list, report) => list.length <= limit || report.add('maxItems', { limit }),
  minItems: (limit) => (list, report) => list.length >= limit || report.add('minItems', { limit }),
  items: (rule) => {
    const check = compile(rule);
    return (list, report) => {
      for (let index = 0; index < list.length; index++) report.step(index, check, list[index]);
    };
  },
  contains: (rule, { maxContains }) => contains(compile(rule), maxContains),
};

const ofObjects: Keywords<Fields> = {
  maxProperties: (limit) => (fields, report) => Object.keys(fields).length <= limit || report.add('maxProperties', { limit }),
  required: (names) => (fields, report) => {
    for (const name of names) if (isAbsent(fields[name])) report.add('required', { missingProperty: name });
  },
  propertyNames: (rule) => {
    const check = compile(rule);
    return (fields, report) => {
      for (const name of Object.keys(fields)) if (!report.isClean(check, name)) report.add('propertyNames', { propertyName: name });
    };
  },
  additionalProperties: (rule, { properties = {} }) => {
    const check = compile(rule);
    return (fields, report) => {
      for (const name of Object.keys(fields)) if (!Object.hasOwn(properties, name)) report.step(name, check, fields[name]);
    };
  },
  properties: (rules) => {
    const checks = new Map(Object.entries(rules).map(([name, rule]) => [name, compile(rule)]));
    return (fields, report) => {
      // Reading an absent field is slow, so the quick check visits the present fields, in their own order.
      if (report.explains) for (const [name, check] of checks) fieldOf(fields, name, check, report);
      else for (const name in fields) fieldOf(fields, name, checks.get(name), report);
    };
  },
};

function fieldOf(fields: Fields, name: string, check: Check | undefined, report: Report): void {
  const field = fields[name];
  if (check && !isAbsent(field)) report.step(name, check, field);
}

/** Replies contain null in place of absent fields, and every reply can be sent back. */
function isAbsent(field: unknown): boolean {
  return field === undefined || field === null;
}

/** Compiled rules: those of routes, and those that others refer to. */
const known = new Map<Rule, Check>();

function checkOf(rule: Rule): Check {
  let check = known.get(rule);
  if (!check) known.set(rule, (check = compile(rule)));
  return check;
}

function compile(rule: Rule): Check {
  const { type } = rule;
  const allowed = new Set([type ?? []].flat());
  if (allowed.has('number')) allowed.add('integer');
  const numbers = checksOf(ofNumbers, rule);
  const texts = checksOf(ofTexts, rule);
  const values = checksOf(ofAll, rule);
  const lists = checksOf(ofLists, rule);
  const objects = checksOf(ofObjects, rule);
  // ajv reports a wrong type with the keywords for that type. Those for lists and objects come last.
  const isLast = (type === 'array' && lists !== undefined) || (type === 'object' && objects !== undefined);
  return (value, report) => {
    const kind = kindOf(value);
    const isWrong = kind !== type && type !== undefined && !allowed.has(kind);
    if (isWrong && !isLast) report.add('type', { type });
    if (kind === 'string') texts?.(value as string, report);
    else if (kind === 'integer' || kind === 'number') numbers?.(value as number, report);
    values?.(value, report);
    if (kind === 'array') lists?.(value as readonly unknown[], report);
    else if (kind === 'object') objects?.(value as Fields, report);
    if (isWrong && isLast) report.add('type', { type });
  };
}

/** The JSON Schema type of a value; a number that is not an integer is a `number`. */
function kindOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : Number.isFinite(value) ? 'number' : 'infinite';
  if (typeof value !== 'object') return typeof value;
  return value === null ? 'null' : Array.isArray(value) ? 'array' : 'object';
}

function checksOf<Value>(keywords: Keywords<Value>, rule: Rule): Check<Value> | undefined {
  const checks = Object.entries(keywords).flatMap(([keyword, checkFor]) => {
    const limit = rule[keyword as keyof Rule];
    return limit === undefined ? [] : [(checkFor as (limit: unknown, rule: Rule) => Check<Value>)(limit, rule)];
  });
  return checks.length > 1 ? all(checks) : checks[0];
}

function all<Value>(checks: readonly Check<Value>[]): Check<Value> {
  return (value, report) => {
    for (const check of checks) check(value, report);
  };
}

function conditional(condition: Check, then: Check): Check {
  return (value, report) => {
    if (report.passes(condition, value) && !report.isClean(then, value)) report.add('if', { failingKeyword: 'then' });
  };
}

/** The violations of the branches are reported if too few or too many branches pass. */
function branches(keyword: 'anyOf' | 'oneOf', checks: readonly Check[]): Check {
  return (value, report) => {
    const before = report.found.length;
    const passing = [...checks.keys()].filter((index) => report.isClean(checks[index] as Check, value));
    if (passing.length === 1 || (keyword === 'anyOf' && passing.length > 0)) report.found.length = before;
    else report.add(keyword, keyword === 'anyOf' ? {} : { passingSchemas: passing.length > 0 ? passing : null });
  };
}

/** At least one item must pass, and at most `most`. If none passes, the violations of the items are reported too. */
function contains(check: Check, most: number | undefined): Check<readonly unknown[]> {
  return (list, report) => {
    const before = report.found.length;
    let count = 0;
    for (let index = 0; index < list.length && count <= (most ?? 0); index++) {
      const start = report.found.length;
      report.step(index, check, list[index]);
      if (report.found.length === start) count++;
    }
    if (count > 0 && count <= (most ?? count)) report.found.length = before;
    else report.add('contains', most === undefined ? { minContains: 1 } : { minContains: 1, maxContains: most });
  };
}

/** The length of a text as JSON Schema counts it. The text is not walked if the number of its code units decides. */
function codePoints(text: string, limit: number): number {
  return text.length < limit || text.length > 2 * limit ? text.length : [...text].length;
}

/** Same computation as in ajv. */
function isMultiple(value: number, multipleOf: number): boolean {
  const quotient = value / multipleOf;
  return quotient === Number.parseInt(String(quotient), 10);
}
