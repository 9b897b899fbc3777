/** Validation of requests against the rules of the spec, with one error for the caller. */

import type { Rule } from '../../generated/rules.ts';
import { fieldsOf, isFields, isThenable } from '../json/json-value.ts';
import { checkRequest } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { misplaced } from './misplaced.ts';
import { misspelled, type RuledRoute } from './misspelled.ts';
import { isExclusion, type RuleKeyword, type Violation, worstViolation } from './violations.ts';

/**
 * Throw one error if the value violates a rule of the spec. The error never quotes the value, which may be a prompt. Without `ranges` the
 * vendor's ranges and lengths are not checked: other servers have limits of their own.
 */
export function check(rule: Rule | undefined, value: unknown, ranges = true): void {
  const violation = rule && guarded(() => worstViolation(rule, value, ranges));
  if (violation) throw slipAt(value, violation) ?? problemOf(violation);
}

/** Check the body of an operation. The problem of a misspelled field is thrown on the vendor's hosts. Elsewhere it is returned if `reports` is true. */
export function checkBody(route: RuledRoute, body: unknown, isVendor: boolean, reports: boolean): string | undefined {
  // The rule of a list has its own words for other values.
  if (!takesList(route.rules?.body)) checkRequest(body);
  const option = guarded(() => misplaced(route.rules?.body, body, isVendor));
  if (option) throw option;
  const problem = isVendor || reports ? guarded(() => misspelled(route, body)) : undefined;
  if (problem && isVendor) throw problem;
  check(route.rules?.body, body, isVendor);
  return problem?.message;
}

function takesList({ type, $ref: ref, anyOf = [], allOf = [] }: Rule = {}): boolean {
  return type === 'array' || (ref !== undefined && takesList(ref())) || [...anyOf, ...allOf].some(takesList);
}

function guarded<T>(examine: () => T): T {
  try {
    return examine();
  } catch {
    // The engine's error is not attached as the cause: one from a getter may quote the request.
    throw new Problem('', 'cannot be checked: it is nested too deep, or one of its getters throws');
  }
}

/** The problem of an invalid value that the caller should have awaited or converted. */
function slipAt(value: unknown, { path, wanted }: Violation): Problem | undefined {
  let given = value;
  for (const step of path) given = Reflect.get(Object(given), step);
  if (isThenable(given)) return new Problem(readable(path), 'is a Promise: await it');
  const fields = fieldsOf(given);
  if (typeof fields['prepare'] === 'function') return new Problem(readable(path), "is made by defineTool: pass tool.as('chat'), or use runWithTools");
  const [field = '', surface] = (path.length === 2 && path[0] === 'tools' && foreignTools[String(wanted[0])]) || [];
  if (!isFields(fields[field])) return undefined;
  return new Problem(readable(path), `is a tool of ${surface}: with defineTool you write a tool once for all surfaces`);
}

/** For a field that a tool lacks: the field that it has instead on another surface. */
const foreignTools: { readonly [missing: string]: readonly [field: string, surface: string] } = {
  name: ['function', 'chat'],
  type: ['input_schema', 'messages'],
  function: ['parameters', 'Responses'],
};

function problemOf(violation: Violation): Problem {
  const { path, keyword, wanted } = violation;
  if (keyword === 'required') {
    const [missing, ...others] = wanted.map(String);
    return new Problem(readable([...path, missing ?? '']), [...others.map((other) => `or ${other}`), 'is required'].join(' '));
  }
  return new Problem(readable(path), isExclusion(violation) ? 'must not be set here, except to null' : wordsOf(violation));
}

/** The path as a program writes it, for instance `messages[0].content`. */
function readable(path: Violation['path']): string {
  return path
    .map((step) => (/^\d+$/.test(String(step)) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function wordsOf({ keyword, wanted, types, path }: Violation): string {
  if (keyword === 'required') return `must have ${wanted.join(' or ')}`;
  const text = words[keyword](wanted, path);
  return types ? `${text}, or ${typesText(types)}` : text;
}

const words: { readonly [Key in Exclude<RuleKeyword, 'required'>]: (wanted: readonly unknown[], path: Violation['path']) => string } = {
  type: (types) => `must be ${typesText(types)}`,
  const: ([value]) => `must be ${value}`,
  enum: (values) => `must be one of ${values.join(', ')}`,
  minimum: ([least]) => `must be at least ${least}`,
  maximum: ([most]) => `must be at most ${most}`,
  exclusiveMinimum: ([bound]) => `must be above ${bound}`,
  multipleOf: ([divisor]) => `must be a multiple of ${divisor}`,
  minLength: ([least]) => (least === 1 ? 'must not be empty' : `must have at least ${least} characters`),
  maxLength: ([most]) => `must have at most ${most} characters`,
  pattern: ([pattern]) => `must match ${(pattern as RegExp).source}`,
  minItems: ([least]) => (least === 1 ? 'must not be empty' : `must have at least ${least} entries`),
  maxItems: atMostEntries,
  maxProperties: atMostEntries,
  propertyNames: ([violation]) => {
    const text = wordsOf(violation as Violation);
    return text.startsWith('must have') ? text.replace('have', 'have names of') : `has a name that ${text}`;
  },
  contains: ([rule], path) => `must contain at least one ${entryText(rule as Rule, path, '')}`,
  maxContains: ([most, rule], path) => `must have at most ${most} ${entryText(rule as Rule, path, most === 1 ? '' : 's')}`,
};

function atMostEntries([most]: readonly unknown[]): string {
  return `must have at most ${most} entries`;
}

/** An entry of a list that fits a rule, for instance `message with role user` of `messages`, or `function tools`. */
function entryText({ properties = {} }: Rule, path: Violation['path'], plural: '' | 's'): string {
  const noun = (/^\w*[a-z](?=s$)/.exec(String(path.at(-1)))?.[0] ?? 'item') + plural;
  const [name, rule] = Object.entries(properties).find(([, field]) => field.const !== undefined) ?? [];
  if (name === 'type') return `${rule?.const} ${noun}`;
  return noun + (name ? ` with ${name} ${rule?.const}` : ' of its rule');
}

function typesText(types: readonly unknown[]): string {
  return orList(types.map((type) => withArticle(String(type))));
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
