/** Validation of requests against the rules of the spec, with one error for the caller. */

import type { Rule } from '../../generated/rules.ts';
import { fieldsOf, isThenable, listOf } from '../errors/json-value.ts';
import { Problem } from '../errors/problem.ts';
import { type Violation, violationsOf } from './violations.ts';

/**
 * Throw one error if the value violates a rule of the spec. The error never quotes the value, which may be a prompt. Without `ranges` the
 * vendor's ranges and lengths are not checked: other servers have limits of their own.
 */
export function check(rule: Rule | undefined, value: unknown, ranges = true): void {
  const violations = rule ? foundViolations(rule, value, ranges) : [];
  if (violations.length === 0) return;
  const violation = deepest(violations);
  if (!violation) throw new Problem('', 'is not allowed');
  throw slipAt(value, violation.instancePath) ?? problemOf(violation);
}

/** The problem of an invalid value that the caller should have awaited or converted. */
function slipAt(value: unknown, pointer: string): Problem | undefined {
  let given = value;
  for (const step of pointer.split('/').slice(1)) given = fieldsOf(given)[step] ?? listOf(given)[Number(step)];
  if (isThenable(given)) return new Problem(readable(pointer), 'is a Promise: await it');
  if (typeof fieldsOf(given)['prepare'] !== 'function') return undefined;
  return new Problem(readable(pointer), 'is made by defineTool: pass chatTool(tool) or anthropicTool(tool), or use runWithTools');
}

function foundViolations(rule: Rule, value: unknown, ranges: boolean): readonly Violation[] {
  try {
    return violationsOf(rule, value, ranges);
  } catch {
    // The engine's error is not attached as the cause: one from a getter may quote the request.
    throw new Problem('', 'cannot be checked: it is nested too deep, or one of its getters throws');
  }
}

/** Choose the deepest violation: in a union it belongs to the branch that the caller meant. */
function deepest(violations: readonly Violation[]): Violation | undefined {
  let found: Violation | undefined;
  const counts = violations.filter((one) => one.keyword === 'contains');
  for (const violation of violations) if (!isEcho(violation, counts) && (!found || rank(violation) > rank(found))) found = violation;
  if (found?.keyword === 'type') {
    // Branches of the same depth that differ only in type: list all the types.
    const rivals = violations.filter((one) => one.keyword === 'type' && one.instancePath === found?.instancePath);
    return { ...found, params: { type: [...new Set(rivals.flatMap((one) => one.params['type']))] } };
  }
  return (found && alternatives(violations, found)) ?? found;
}

/** True for a violation that follows from another: a failed condition, or an item that `contains` does not count. */
function isEcho({ keyword, instancePath }: Violation, counts: readonly Violation[]): boolean {
  return keyword === 'if' || (keyword === 'const' && counts.some((one) => instancePath.startsWith(`${one.instancePath}/`)));
}

/** Merge "one of these fields": the branches of an `anyOf` come right before its own violation, each missing another field. */
function alternatives(violations: readonly Violation[], found: Violation): Violation | undefined {
  const end = violations.findIndex((one) => one.keyword === 'anyOf' && one.instancePath === found.instancePath);
  let start = end;
  while (start > 0 && violations[start - 1]?.keyword === 'required' && violations[start - 1]?.instancePath === found.instancePath) start--;
  if (end - start < 2 || violations.indexOf(found) < start) return undefined;
  const [first, ...others] = violations.slice(start, end).map((one) => String(one.params['missingProperty']));
  return { ...found, params: { missingProperty: first, others } };
}

/** Deeper violations rank higher. At the same depth, a wrong type ranks below the others. A missing field ranks above one that it excludes. */
function rank(violation: Violation): number {
  const depth = violation.instancePath.split('/').length;
  return isExclusion(violation) ? depth - 0.75 : depth + (violation.keyword === 'type' ? 0 : 0.5);
}

/** True if the spec allows only null, because another field excludes this one. */
function isExclusion({ keyword, params }: Violation): boolean {
  return keyword === 'type' && String(params['type']) === 'null';
}

function problemOf(violation: Violation): Problem {
  const path = readable(violation.instancePath);
  const missing = violation.keyword === 'required' ? violation.params['missingProperty'] : undefined;
  if (typeof missing === 'string') {
    const others = ((violation.params['others'] ?? []) as readonly string[]).map((other) => `or ${other} `);
    return new Problem(path === '' ? missing : `${path}.${missing}`, `${others.join('')}is required`);
  }
  return new Problem(path, problem(violation));
}

/** Convert `/messages/0/content` to `messages[0].content`. */
function readable(pointer: string): string {
  let path = '';
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path += /^\d+$/.test(name) ? `[${name}]` : path === '' ? name : `.${name}`;
  }
  return path;
}

function problem(violation: Violation): string {
  const { keyword, params } = violation;
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      if (isExclusion(violation)) return 'must not be set here';
      return `must be ${orList([params['type']].flat().map((type) => (type === 'integer' ? 'an integer' : `${type === 'array' || type === 'object' ? 'an' : type === 'null' ? '' : 'a'} ${type}`.trim())))}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as readonly unknown[]).join(', ')}`;
    case 'const':
      return `must be ${String(params['allowedValue'])}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be above ${limit}`;
    case 'exclusiveMaximum':
      return `must be below ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
    case 'minProperties':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} entries`;
    case 'pattern':
      return `must match ${String(params['pattern'])}`;
    case 'contains':
      // The spec counts items in two lists: user messages have a minimum, function tools a maximum.
      return params['maxContains'] === undefined
        ? 'must contain at least one message with role user'
        : `must have at most ${String(params['maxContains'])} function tools`;
    case 'required':
    case 'anyOf':
    case 'oneOf':
      return 'is missing a required field';
    default:
      return `violates the rule ${keyword}`;
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
