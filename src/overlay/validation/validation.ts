import type { Rule } from '../../generated/rules.ts';
import { Problem } from '../errors/problem.ts';
import { type Violation, violationsOf } from './violations.ts';

/** Throw one clear error when the value breaks a rule of the spec. The value itself is never quoted: it may be a prompt. */
export function check(rule: Rule | undefined, value: unknown): void {
  const violations = rule ? foundViolations(rule, value) : [];
  if (violations.length === 0) return;
  const violation = deepest(violations);
  if (!violation) throw new Problem('', 'is not allowed');
  throw problemOf(violation);
}

function foundViolations(rule: Rule, value: unknown): readonly Violation[] {
  try {
    return violationsOf(rule, value);
  } catch {
    // The engine's error is no cause: that of a getter may quote the request.
    throw new Problem('', 'cannot be checked: it is nested too deep, or one of its getters throws');
  }
}

/** Of all errors the deepest is the one about what the caller meant, in a union as well. */
function deepest(violations: readonly Violation[]): Violation | undefined {
  let found: Violation | undefined;
  const counts = violations.filter((one) => one.keyword === 'contains');
  for (const violation of violations) if (!isEcho(violation, counts) && (!found || rank(violation) > rank(found))) found = violation;
  if (found?.keyword === 'type') {
    // Branches of the same depth that only disagree on the type: say all the types.
    const rivals = violations.filter((one) => one.keyword === 'type' && one.instancePath === found?.instancePath);
    return { ...found, params: { type: [...new Set(rivals.flatMap((one) => one.params['type']))] } };
  }
  return (found && alternatives(violations, found)) ?? found;
}

/** Not a mistake of its own: a failed condition, or an item that merely is not of the kind that `contains` counts. */
function isEcho({ keyword, instancePath }: Violation, counts: readonly Violation[]): boolean {
  return keyword === 'if' || (keyword === 'const' && counts.some((one) => instancePath.startsWith(`${one.instancePath}/`)));
}

/** "One of these fields": the branches of an `anyOf` stand right before its own error, each missing another field. */
function alternatives(violations: readonly Violation[], found: Violation): Violation | undefined {
  const end = violations.findIndex((one) => one.keyword === 'anyOf' && one.instancePath === found.instancePath);
  let start = end;
  while (start > 0 && violations[start - 1]?.keyword === 'required' && violations[start - 1]?.instancePath === found.instancePath) start--;
  if (end - start < 2 || violations.indexOf(found) < start) return undefined;
  const [first, ...others] = violations.slice(start, end).map((one) => String(one.params['missingProperty']));
  return { ...found, params: { missingProperty: first, others } };
}

/** Deeper is more telling; at the same depth a broken range tells more than a branch of another type. */
function rank(violation: Violation): number {
  return violation.instancePath.split('/').length + (violation.keyword === 'type' ? 0 : 0.5);
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

/** `/messages/0/content` as `messages[0].content`. */
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
      return `must be ${orList([params['type']].flat().map((type) => (type === 'integer' ? 'a whole number' : `${type === 'array' || type === 'object' ? 'an' : type === 'null' ? '' : 'a'} ${type}`.trim())))}`;
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
      // The spec counts one kind of item in two lists: user messages from below, function tools from above.
      return params['maxContains'] === undefined
        ? 'must contain at least one message with role user'
        : `must have at most ${String(params['maxContains'])} function tools`;
    case 'required':
    case 'anyOf':
    case 'oneOf':
      return 'lacks a required field';
    default:
      return `breaks the rule ${keyword}`;
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
