import { definitions } from './ajv.ts';
import type { Operation } from './operations.ts';
import { banner, isObject, type Json, type JsonObject, type Source } from './source.ts';

/** The parts of an operation that have rules, with the schema of each. */
function ruledParts(operation: Operation): [part: 'body' | 'parameters', schema: JsonObject][] {
  const parts: [part: 'body' | 'parameters', schema: JsonObject][] = [];
  if (operation.body) parts.push(['body', operation.body.schema]);
  if (operation.parameters.some((one) => one.in !== 'header')) parts.push(['parameters', parametersSchema(operation)]);
  return parts;
}

function parametersSchema(operation: Operation): JsonObject {
  const fields = operation.parameters.filter((one) => one.in !== 'header');
  const properties: { [name: string]: Json } = {};
  for (const one of fields) properties[one.name] = one.schema;
  return { type: 'object', properties, required: fields.filter((one) => one.required).map((one) => one.name) };
}

/** The schemas that the rules of some operations consist of, and the definition of each rule by `<operation>_<part>`. */
export function schemasOf(source: Source, operations: readonly Operation[]): { defs: JsonObject; roots: Map<string, string> } {
  const { own, roots } = rootsOf(operations);
  return { defs: definitions(source.value, own), roots };
}

/** The definition of each rule by `<operation>_<part>`, and the schemas of those that the spec does not name. */
function rootsOf(operations: readonly Operation[]): { own: JsonObject; roots: Map<string, string> } {
  const roots = new Map<string, string>();
  const own: JsonObject = {};
  for (const operation of operations)
    for (const [part, schema] of ruledParts(operation)) {
      const name = ruleName(operation, part);
      const ref = schema['$ref'];
      if (typeof ref !== 'string') own[name] = schema;
      roots.set(`${operation.constant}_${part}`, typeof ref === 'string' ? ref.replace('#/components/schemas/', '') : name);
    }
  return { own, roots };
}

function ruleName(operation: Operation, part: string): string {
  return operation.constant.charAt(0).toUpperCase() + operation.constant.slice(1) + part.charAt(0).toUpperCase() + part.slice(1);
}

/** The rules of a route by part, as the names of constants in `rules.ts`. */
export function rulesOf(operation: Operation): [part: string, name: string][] {
  const { roots } = rootsOf([operation]);
  return [...roots].map(([name, definition]) => [name.slice(operation.constant.length + 1), definition]);
}

/** The schemas for checking requests, one constant each, so that a bundle contains only those that its routes refer to. */
export function rulesFile(source: Source, operations: readonly Operation[]): string {
  const { defs, roots } = schemasOf(source, operations);
  const reached = new Set<string>();
  for (const root of roots.values()) collect(defs, root, reached);
  const constants = [...reached].sort().map((name) => `export const ${name}: Rule = ${print(asRule(source, name, defs[name] ?? {}), '')};\n`);
  return `${banner}\n${ruleType}\n${constants.join('\n')}`;
}

const prefix = 'spec#/$defs/';

function collect(defs: JsonObject, name: string, reached: Set<string>): void {
  if (reached.has(name)) return;
  reached.add(name);
  for (const [, ref = ''] of JSON.stringify(defs[name] ?? {}).matchAll(/"\$ref":"spec#\/\$defs\/(\w+)"/g)) collect(defs, ref, reached);
}

/** Text that is written into the file unquoted: a reference or a pattern. */
class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
type Printed = Json | Code | Printed[] | { [key: string]: Printed };

const plain = new Set(
  `type required const enum maximum minimum exclusiveMinimum multipleOf maxLength minLength maxItems minItems maxContains maxProperties`.split(' '),
);
const single = new Set(['if', 'then', 'items', 'contains', 'additionalProperties', 'propertyNames']);
const several = new Set(['allOf', 'anyOf']);

/** A schema as `src/overlay/validation/violations.ts` reads it. Other keywords than `properties` are left out if they allow everything. */
function asRule(source: Source, name: string, schema: Json): Printed {
  const place = ['components', 'schemas', name];
  if (!isObject(schema)) throw source.error(place, `a request rule cannot be ${JSON.stringify(schema)}`);
  const inside = (child: Json): Printed => asRule(source, name, child);
  const rule: { [key: string]: Printed } = {};
  for (const [key, value] of Object.entries(schema)) {
    if (plain.has(key)) rule[key] = value;
    else if (key === '$ref') rule[key] = new Code(`() => ${String(value).replace(prefix, '')}`);
    else if (key === 'pattern') rule[key] = new Code(String(new RegExp(String(value), 'u')));
    else if (single.has(key)) {
      if (!allowsAll(value)) rule[key] = inside(value);
    } else if (several.has(key) && Array.isArray(value)) rule[key] = value.map(inside);
    else if (key === 'properties' && isObject(value)) {
      // A field that allows everything is kept: its name is one of the known ones.
      rule[key] = Object.fromEntries(Object.entries(value).map(([field, child]) => [field, allowsAll(child) ? {} : inside(child)]));
    } else throw source.error(place, `the keyword ${key} in a request needs support in src/overlay/validation/violations.ts`);
  }
  return rule;
}

function allowsAll(schema: Json): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** TypeScript in the project's format: on one line where it fits. */
function print(value: Printed, indent: string): string {
  const short = printShort(value);
  if (short.length + indent.length < 110) return short;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((one) => `${deeper}${print(one, deeper)},\n`).join('')}${indent}]`;
  return `{\n${Object.entries(value as object)
    .map(([key, child]) => `${deeper}${printKey(key)}: ${print(child, deeper)},\n`)
    .join('')}${indent}}`;
}

function printShort(value: Printed): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(printShort).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, child]) => `${printKey(key)}: ${printShort(child)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function printKey(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`;
}

const ruleType = `/** A JSON Schema of the spec, reduced to the keywords that request rules use; read by src/overlay/validation/violations.ts. */
export interface Rule {
  readonly $ref?: () => Rule;
  readonly type?: string | readonly string[];
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: RegExp;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly items?: Rule;
  readonly contains?: Rule;
  readonly maxContains?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: Rule };
  readonly additionalProperties?: Rule;
  readonly propertyNames?: Rule;
  readonly anyOf?: readonly Rule[];
  readonly allOf?: readonly Rule[];
  readonly if?: Rule;
  readonly then?: Rule;
}

/** The rules of one operation. */
export interface Rules {
  readonly body?: Rule;
  /** Path and query parameters. */
  readonly parameters?: Rule;
}
`;
