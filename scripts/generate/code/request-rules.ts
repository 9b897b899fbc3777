import { namesOf } from '../../../src/overlay/json/pointer.ts';
import { definitions, withoutProse } from '../document/json-schema.ts';
import { codeName, isOwnHeader, list, type Operation, ruleName } from '../document/operations.ts';
import { banner, isObject, type Json, type JsonObject, resolve, type Source } from '../document/source.ts';
import { fold, follow, type Inner, type Node, nodeOf, type Place, reached } from '../document/walk.ts';
import { keyOf, quote } from './prose.ts';

/** The rule of a part of an operation. */
interface RuledPart {
  readonly operation: Operation;
  readonly part: 'body' | 'parameters';
  readonly schema: JsonObject;
  /** The name of the schema; undefined if only the operation has it. */
  readonly named: string | undefined;
}

function ruledParts(operation: Operation): RuledPart[] {
  const { body, parameters } = operation;
  const parts: RuledPart[] = [];
  if (body) parts.push({ operation, part: 'body', schema: body.schema, named: namedBy(body.schema) });
  if (parameters.some((one) => !isOwnHeader(one)))
    parts.push({ operation, part: 'parameters', schema: parametersSchema(operation), named: undefined });
  return parts;
}

/** The name of a schema that is a reference and no more. */
function namedBy(schema: JsonObject): string | undefined {
  const { $ref: ref, ...others } = withoutProse(schema);
  return ref === undefined || Object.keys(others).length > 0 ? undefined : namesOf(String(ref))[2];
}

/** The definition of a rule; its constant has no dots. */
function ruleOf({ operation, part, named }: RuledPart): string {
  return named ?? ruleName(operation.constant, part);
}

function parametersSchema(operation: Operation): JsonObject {
  const fields = operation.parameters.filter((one) => !isOwnHeader(one));
  const properties: { [name: string]: Json } = {};
  for (const one of fields) properties[one.name] = one.schema;
  const required = fields.filter((one) => one.required).map((one) => one.name);
  return required.length === 0 ? { properties } : { properties, required };
}

/** The schemas that the rules of some operations consist of, and the definition of each rule by `<operation>_<part>`. */
export function schemasOf(source: Source, operations: readonly Operation[]): { defs: JsonObject; roots: Map<string, string> } {
  const parts = operations.flatMap(ruledParts);
  const own = Object.fromEntries(parts.filter(({ named }) => named === undefined).map((one) => [ruleOf(one), one.schema]));
  const roots = new Map(parts.map((one) => [`${one.operation.constant}_${one.part}`, ruleOf(one)]));
  return { defs: definitions(source.value, own), roots };
}

/** The rules of a route by part, as the names of constants in `rules.ts`. */
export function rulesOf(operation: Operation): [part: string, name: string][] {
  return ruledParts(operation).map((one) => [one.part, codeName(ruleOf(one))]);
}

/** The schemas for checking requests, one constant each, so that a bundle contains only those that its routes refer to. */
export function rulesFile(source: Source, operations: readonly Operation[]): string {
  const parts = operations.flatMap(ruledParts);
  const refs = new Set<string>();
  for (const { schema } of parts) reached(source, nodeOf('schema', schema, []), refs, ({ under }) => under !== 'x-known-shapes');
  const rule = (schema: Json | undefined, place: Place): Printed =>
    fold<Printed>(nodeOf('schema', schema, place), (node, inner) => asRule(source, node, inner));
  const rules = new Map([...refs].map((ref) => [codeName(String(namesOf(ref)[2])), rule(resolve(source.value, ref), namesOf(ref))]));
  for (const one of parts) {
    const { operation, part, schema, named } = one;
    if (named !== undefined) continue;
    // Each parameter has a place of its own.
    const fields = operation.parameters.map(({ name, schema: own, place }): [string, Printed] => [name, rule(own, [...place, 'schema'])]);
    const { properties } = schema;
    const built = Object.fromEntries(fields.filter(([name]) => isObject(properties) && name in properties));
    rules.set(ruleOf(one), part === 'body' ? rule(schema, [...(operation.body?.place ?? []), 'schema']) : { ...schema, properties: built });
  }
  const constants = [...rules].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${banner}\n${ruleType}\n${constants.map(([name, printed]) => `export const ${name}: Rule = ${print(printed, '')};\n`).join('\n')}`;
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
const inner = new Set('if then items contains additionalProperties propertyNames allOf anyOf properties'.split(' '));

/** A schema as `src/overlay/validation/violations.ts` reads it. Keywords that allow everything are left out, except fields: their names are known. */
function asRule(source: Source, { value: schema, place }: Node, built: Inner<Printed>): Printed {
  if (allowsAll(schema)) return {};
  if (!isObject(schema)) throw source.error(place, neverCure(place));
  const rule: { [key: string]: Printed } = {};
  for (const [key, value] of Object.entries(withoutProse(schema))) {
    if (key === 'minLength' && value === 0) continue;
    if (plain.has(key)) rule[key] = value;
    else if (key === '$ref') rule[key] = new Code(`() => ${codeName(String(namesOf(String(value))[2]))}`);
    else if (key === 'pattern') rule[key] = new Code(String(new RegExp(String(value), 'u')));
    else if (!inner.has(key))
      throw source.error([...place, key], `the keyword ${key} in a request needs support in src/overlay/validation/violations.ts`);
    else if (key === 'anyOf' && list(value).some((one) => isFile(source, one)))
      // A file is not a list, and the words about lists pass it.
      rule['allOf'] = list(value).flatMap((one, index) => (isFile(source, one) ? [] : [untyped((built[key] as Printed[])[index])]));
    else if (!allowsAll(value) || key === 'properties') rule[key] = built[key] as Printed;
  }
  return rule;
}

function neverCure(place: Place): string {
  return place.at(-1) === 'additionalProperties'
    ? 'a request may have unknown fields, because the service may take more than the document lists: leave it out'
    : "no value fits false: write type: 'null' for a field that must not be set";
}

function isFile(source: Source, schema: Json): boolean {
  return follow(source.value, schema)['format'] === 'binary';
}

function untyped(rule: Printed | undefined): Printed {
  const { type: _, ...others } = rule as { [key: string]: Printed };
  return others;
}

function allowsAll(schema: Json): boolean {
  return schema === true || (isObject(schema) && (schema['format'] === 'binary' || Object.keys(withoutProse(schema)).length === 0));
}

/** TypeScript in the project's format: on one line where it fits. */
function print(value: Printed, indent: string): string {
  const short = printShort(value);
  if (short.length + indent.length < 110) return short;
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[\n${value.map((one) => `${deeper}${print(one, deeper)},\n`).join('')}${indent}]`;
  return `{\n${Object.entries(value as object)
    .map(([key, child]) => `${deeper}${keyOf(key)}: ${print(child, deeper)},\n`)
    .join('')}${indent}}`;
}

function printShort(value: Printed): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(printShort).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, child]) => `${keyOf(key)}: ${printShort(child)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
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
  /** Parameters of path, query and headers. */
  readonly parameters?: Rule;
}
`;
