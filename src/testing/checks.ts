// The one check of options, scripts, counts and arguments of the fake: rules for values, by name.
import { isHeaderName } from '../overlay/call/settings/fields.ts';
import { isFields } from '../overlay/json/json-value.ts';
import { checkFields, nearestName } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { cleanText } from '../overlay/secrets/clean.ts';

/** The rule that a value breaks, worded to follow its name. Undefined if it breaks none. */
export type ValueCheck = (value: unknown) => string | undefined;

/** The rules for an object of options. Undefined fields count as absent. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: ValueCheck };

/** Timers of Node take no longer delay. */
export const longestMs: number = 2 ** 31 - 1;

export function is(fits: (value: unknown) => boolean, rule: string): ValueCheck {
  return (value) => (fits(value) ? undefined : rule);
}

export function number(least: number, most: number, kind = 'a number'): ValueCheck {
  const isWhole = kind !== 'a number';
  const fits = (value: unknown): boolean => typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isInteger(value));
  return is(fits, `must be ${kind} from ${least} to ${most}`);
}

export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): ValueCheck {
  return number(least, most, 'an integer');
}

export function oneOf(words: readonly string[]): ValueCheck {
  return (value) => {
    if (words.includes(value as string)) return undefined;
    const near = typeof value === 'string' ? nearestName(value, words) : undefined;
    return `must be one of ${words.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
  };
}

/** The first rule that fits counts; `rule` is the problem of a value that fits none. */
export function either(rule: string, ...checks: readonly ValueCheck[]): ValueCheck {
  return is((value) => checks.some((check) => check(value) === undefined), rule);
}

export function list(of: ValueCheck, rule: string): ValueCheck {
  return is((value) => Array.isArray(value) && value.every((one) => of(one) === undefined), rule);
}

/** An object of options inside of others. A wrong field throws a Problem with its own place, below `place`. */
export function fields<Options>(checks: Checks<Options>, place: string): ValueCheck {
  return (value) => void checkValues(value, checks, place);
}

export const text: ValueCheck = is((value) => typeof value === 'string', 'must be a string');
export const truth: ValueCheck = is((value) => typeof value === 'boolean', 'must be true or false');
export const callback: ValueCheck = is((value) => typeof value === 'function', 'must be a function');
export const object: ValueCheck = is(isFields, 'must be an object');
export const texts: ValueCheck = list(text, 'must be a list of texts');
export const count: ValueCheck = integer(0);
export const ms: ValueCheck = number(0, longestMs);
export const status: ValueCheck = integer(200, 599);
export const header: ValueCheck = is(
  (value) => typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  'must be a string that a header can have',
);
export const headers: ValueCheck = (value) => {
  if (!isFields(value)) return 'must be an object of headers';
  const wrong = Object.entries(value).find(([name, one]) => !isHeaderName(name) || header(one) !== undefined);
  return wrong && 'must have names and strings that headers can have';
};
export const anything: ValueCheck = () => undefined;

/** Throws a Problem for an unknown field, and for a value that breaks its rule. */
export function checkValues<Options>(given: unknown, checks: Checks<Options>, place = 'options', rule?: string): void {
  checkFields<Options>(given, checks, place, rule);
  for (const [name, check] of Object.entries<ValueCheck>(checks)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checkValue(place === '' ? name : `${place}.${name}`, value, check);
  }
}

/** Throws a Problem for a value that breaks its rule. */
export function checkValue(place: string, value: unknown, check: ValueCheck): void {
  const problem = check(value);
  if (problem !== undefined) throw new Problem(place, problem + shown(value));
}

function shown(value: unknown): string {
  const written = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return typeof value === 'number' || typeof value === 'string' ? `, not ${cleanText(written, [], 64)}` : '';
}
