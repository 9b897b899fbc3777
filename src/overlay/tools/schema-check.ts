import { typeOf } from '../json/argument-repair.ts';
import { bounded, cut } from '../json/cut.ts';
import { isObject } from '../json/json-value.ts';
import { TYPES } from '../tool-schema/types.ts';
import { type JsonSchema, pathText, type SchemaIssue } from './standard-schema.ts';

const maxDepth = 32;
const maxIssues = 10;

/**
 * Checks a value against a JSON Schema without a validator: wrong types, missing properties, values outside an enum.
 * Other keywords are not checked. Values that the schema allows always pass.
 */
export function plainIssues(value: unknown, schema: JsonSchema): readonly SchemaIssue[] {
  const check = new PlainCheck();
  check.walk(value, schema, []);
  return check.issues;
}

/** The parts of a schema that are checked. Each schema is read only once. */
interface Demands {
  readonly types: readonly string[];
  readonly choices: readonly unknown[] | undefined;
  readonly listed: ReadonlySet<unknown>;
  /** True if the choices contain objects. Any object then passes, because comparing objects ignores the order of keys. */
  readonly objectListed: boolean;
  readonly required: ReadonlySet<string>;
}

class PlainCheck {
  readonly issues: SchemaIssue[] = [];
  readonly #demands = new Map<object, Demands>();

  walk(value: unknown, schema: unknown, path: readonly PropertyKey[]): void {
    if (path.length > maxDepth || this.issues.length >= maxIssues) return;
    // Not checked, because older drafts ignore keywords next to a reference.
    if (!isObject(schema) || '$ref' in schema) return;
    const { const: only, properties, items, prefixItems, nullable } = schema as Record<string, unknown>;
    if (value === null && nullable === true) return;
    const { types, choices, listed, objectListed, required } = this.#demandsOf(schema);
    if (types.length > 0 && !types.some((one) => fits(value, one))) return this.#fault(path, `must be ${types.join(' or ')}, not ${typeOf(value)}`);
    const chosen = listed.has(value) || (objectListed && isObject(value));
    if (choices !== undefined && !chosen) this.#fault(path, `must be one of ${listText(choices, choiceText, ', ')}`);
    if (only !== undefined && !same(only, value)) this.#fault(path, `must be ${choiceText(only)}`);
    if (Array.isArray(value)) {
      if (Array.isArray(prefixItems)) return;
      for (let index = 0; index < value.length && this.issues.length < maxIssues; index++) this.walk(value[index], items, [...path, index]);
    } else if (isObject(value)) {
      for (const name of required) {
        if (this.issues.length >= maxIssues) return;
        if (!Object.hasOwn(value, name)) this.#fault([...path, name], 'is required');
      }
      if (isObject(properties))
        for (const [name, item] of Object.entries(value))
          if (Object.hasOwn(properties, name)) this.walk(item, (properties as JsonSchema)[name], [...path, name]);
    }
  }

  #fault(path: readonly PropertyKey[], message: string): void {
    this.issues.push({ path: pathText(path), message });
  }

  #demandsOf(schema: object): Demands {
    let demands = this.#demands.get(schema);
    if (demands === undefined) {
      demands = demandsOf(schema as Record<string, unknown>);
      this.#demands.set(schema, demands);
    }
    return demands;
  }
}

function demandsOf({ type, enum: choices, required }: Record<string, unknown>): Demands {
  const names = new Set((Array.isArray(type) ? (type as unknown[]) : [type]).filter((one) => typeof one === 'string'));
  const known = [...names].filter((name) => TYPES.has(name));
  const list = Array.isArray(choices) ? (choices as unknown[]) : undefined;
  return {
    // A value fits no unknown type name, so one such name is enough for the message.
    types: known.length > 0 ? known : [...names].slice(0, 1),
    choices: list,
    listed: new Set(list),
    objectListed: list?.some((one) => isObject(one)) ?? false,
    required: new Set(Array.isArray(required) ? (required as unknown[]).filter((name) => typeof name === 'string') : []),
  };
}

function fits(value: unknown, type: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

function same(a: unknown, b: unknown): boolean {
  if (!isObject(a)) return a === b;
  return isObject(b);
}

const maxText = 1000;

/** A list of items, cut off at `maxText` characters. */
function listText<T>(items: Iterable<T>, textOf: (item: T) => string, separator: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const item of items) {
    const part = textOf(item);
    parts.push(part);
    length += part.length + separator.length;
    if (length > maxText) break;
  }
  const text = parts.join(separator);
  return bounded(text, maxText);
}

/** A value of an enum as JSON. Objects are only named, because they may be nested deeply. */
function choiceText(value: unknown): string {
  if (isObject(value)) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'string' && value.length > maxText) return JSON.stringify(cut(value, maxText));
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null');
}

/** A short description of the arguments for a model: `{ city: string (required), days: integer }`. */
export function expectedText(schema: JsonSchema): string {
  const { properties, required } = schema;
  if (!isObject(properties)) return 'a JSON object';
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const property = (name: string): string => {
    return `${cut(name, maxText)}: ${kindText((properties as JsonSchema)[name], 0)}${needed.has(name) ? ' (required)' : ''}`;
  };
  const text = listText(Object.keys(properties), property, ', ');
  if (text === '') return '{}';
  return text.endsWith('…') ? `{ ${text}` : `{ ${text} }`;
}

/** Maximum depth of nested unions in a description. */
const maxUnions = 4;

function kindText(schema: unknown, depth: number): string {
  if (!isObject(schema)) return 'any value';
  const { type, enum: choices, const: only, anyOf, oneOf } = schema as Record<string, unknown>;
  if (Array.isArray(choices)) return listText(choices, choiceText, ' | ');
  if (only !== undefined) return choiceText(only);
  if (type !== undefined) return listText(Array.isArray(type) ? type : [type], (one) => (typeof one === 'string' ? one : 'any value'), ' | ');
  const branches = anyOf ?? oneOf;
  if (!Array.isArray(branches) || depth >= maxUnions) return 'any value';
  const kinds = new Set<string>();
  for (const branch of branches.slice(0, maxBranches)) kinds.add(kindText(branch, depth + 1));
  return listText(kinds, (kind) => kind, ' | ');
}

const maxBranches = 16;
