import { typeOf } from './argument-repair.ts';
import { type JsonSchema, pathText, type SchemaIssue } from './standard-schema.ts';

const maxDepth = 32;
const maxIssues = 10;

/**
 * The plain faults of a value by a JSON Schema that comes without a validator: wrong types, missing properties, values outside an enum.
 * Other keywords are not judged: everything the schema allows passes.
 */
export function plainIssues(value: unknown, schema: JsonSchema): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  walk(value, schema, [], issues);
  return issues;
}

function walk(value: unknown, schema: unknown, path: readonly PropertyKey[], issues: SchemaIssue[]): void {
  if (path.length > maxDepth || issues.length >= maxIssues) return;
  // Older drafts ignore whatever stands beside a reference.
  if (typeof schema !== 'object' || schema === null || '$ref' in schema) return;
  const { type, enum: choices, const: only, required, properties, items, prefixItems, nullable } = schema as Record<string, unknown>;
  if (value === null && nullable === true) return;
  const fault = (message: string): void => void issues.push({ path: pathText(path), message });
  const types = [type].flat().filter((one) => typeof one === 'string');
  if (types.length > 0 && !types.some((one) => fits(value, one))) return fault(`must be ${types.join(' or ')}, not ${typeOf(value)}`);
  if (Array.isArray(choices) && !choices.some((one) => same(one, value)))
    fault(`must be one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`);
  if (only !== undefined && !same(only, value)) fault(`must be ${JSON.stringify(only)}`);
  if (Array.isArray(value)) {
    if (Array.isArray(prefixItems)) return;
    for (const [index, item] of value.entries()) walk(item, items, [...path, index], issues);
  } else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(required))
      for (const name of required)
        if (typeof name === 'string' && !Object.hasOwn(value, name)) issues.push({ path: pathText([...path, name]), message: 'is required' });
    if (typeof properties === 'object' && properties !== null)
      for (const [name, item] of Object.entries(value))
        if (Object.hasOwn(properties, name)) walk(item, (properties as JsonSchema)[name], [...path, name], issues);
  }
}

function fits(value: unknown, type: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null) return a === b;
  // Order of keys does not matter to JSON Schema: objects are left to the tool.
  return typeof b === 'object' && b !== null;
}

const maxExpected = 1000;

/** The arguments a schema asks for, in few words for a model: `{ city: string (required), days: integer }`. */
export function expectedText(schema: JsonSchema): string {
  const { properties, required } = schema;
  if (typeof properties !== 'object' || properties === null) return 'a JSON object';
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const parts = Object.entries(properties).map(([name, one]) => `${name}: ${kindText(one)}${needed.has(name) ? ' (required)' : ''}`);
  const text = parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
  return text.length <= maxExpected ? text : `${text.slice(0, maxExpected)}…`;
}

function kindText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any value';
  const { type, enum: choices, const: only, anyOf, oneOf } = schema as Record<string, unknown>;
  if (Array.isArray(choices)) return choices.map((one) => JSON.stringify(one)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (type !== undefined) return [type].flat().join(' | ');
  const branches = anyOf ?? oneOf;
  return Array.isArray(branches) ? [...new Set(branches.map(kindText))].join(' | ') : 'any value';
}
