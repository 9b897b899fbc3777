import { typeOf } from '../json/argument-repair.ts';
import { bounded, cut } from '../json/cut.ts';
import { isFields, isObject } from '../json/json-value.ts';
import { ANY, declaredTypes, entry, type JsonSchema, mapOf, namesOf, typeNames, typeOfValue, valuesOf } from '../json/schema.ts';
import { SchemaDocument } from '../json/schema-document.ts';
import { pathText, type SchemaIssue } from './standard-schema.ts';

const maxDepth = 32;
const maxIssues = 10;

/**
 * Checks a value against a JSON Schema without a validator: wrong types, missing properties, values outside an enum.
 * Other keywords are not checked. Values that the schema allows always pass.
 */
export function plainIssues(value: unknown, schema: JsonSchema): readonly SchemaIssue[] {
  const check = new PlainCheck(schema);
  check.walk(value, schema, []);
  return check.issues;
}

/** The parts of a schema that are checked. Each schema is read only once. */
interface Demands {
  readonly types: number;
  readonly choices: readonly unknown[] | undefined;
  readonly listed: ReadonlySet<unknown>;
  /** True if the choices contain objects. Any object then passes, because comparing objects ignores the order of keys. */
  readonly objectListed: boolean;
  readonly required: ReadonlySet<string>;
}

class PlainCheck {
  readonly issues: SchemaIssue[] = [];
  readonly #document: SchemaDocument;
  readonly #demands = new Map<object, Demands>();

  constructor(root: JsonSchema) {
    // A value outside an enum has a message of its own.
    this.#document = new SchemaDocument(root, declaredTypes);
  }

  walk(value: unknown, given: unknown, path: readonly PropertyKey[]): void {
    if (path.length > maxDepth || this.issues.length >= maxIssues) return;
    // Keywords next to a reference are not checked, because older drafts ignore them.
    const schema = this.#document.target(given);
    if (!isFields(schema)) return;
    const { types, choices, listed, objectListed, required } = this.#demandsOf(schema);
    if ((typeOfValue(value) & types) === 0) return this.#fault(path, `must be ${typeNames(types).join(' or ')}, not ${typeOf(value)}`);
    const chosen = listed.has(value) || (objectListed && isObject(value));
    if (choices !== undefined && !chosen) this.#fault(path, `must be ${choices.length === 1 ? '' : 'one of '}${listText(choices, choiceText, ', ')}`);
    if (Array.isArray(value)) {
      if (Array.isArray(schema['prefixItems'])) return;
      for (let index = 0; index < value.length && this.issues.length < maxIssues; index++) this.walk(value[index], schema['items'], [...path, index]);
    } else if (isFields(value)) {
      for (const name of required) {
        if (this.issues.length >= maxIssues) return;
        if (!Object.hasOwn(value, name)) this.#fault([...path, name], 'is required');
      }
      const properties = mapOf(schema['properties']);
      for (const [name, item] of Object.entries(value)) this.walk(item, entry(properties, name), [...path, name]);
    }
  }

  #fault(path: readonly PropertyKey[], message: string): void {
    this.issues.push({ path: pathText(path), message });
  }

  #demandsOf(schema: JsonSchema): Demands {
    let demands = this.#demands.get(schema);
    if (demands === undefined) {
      const choices = valuesOf(schema);
      demands = {
        types: this.#document.types(schema) || ANY,
        choices,
        listed: new Set(choices),
        objectListed: choices?.some(isObject) ?? false,
        required: new Set(namesOf(schema['required'])),
      };
      this.#demands.set(schema, demands);
    }
    return demands;
  }
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
  const document = new SchemaDocument(schema);
  const target = document.target(schema);
  if (!isFields(target) || !isFields(target['properties'])) return 'a JSON object';
  const properties = target['properties'];
  const required = new Set(namesOf(target['required']));
  const property = (name: string): string =>
    `${cut(name, maxText)}: ${kindText(document, entry(properties, name), 0)}${required.has(name) ? ' (required)' : ''}`;
  const text = listText(Object.keys(properties), property, ', ');
  if (text === '') return '{}';
  return text.endsWith('…') ? `{ ${text}` : `{ ${text} }`;
}

/** Maximum depth of nested unions in a description. */
const maxUnions = 4;
const maxBranches = 16;

function kindText(document: SchemaDocument, given: unknown, depth: number): string {
  const schema = document.target(given);
  if (!isFields(schema)) return 'any value';
  const values = valuesOf(schema);
  if (values !== undefined) return listText(values, choiceText, ' | ');
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (schema['type'] !== undefined || !Array.isArray(branches) || depth >= maxUnions) {
    const types = document.types(schema);
    return types === ANY || types === 0 ? 'any value' : typeNames(types).join(' | ');
  }
  const kinds = new Set(
    branches
      .filter((branch) => branch !== false)
      .slice(0, maxBranches)
      .map((branch) => kindText(document, branch, depth + 1)),
  );
  return listText(kinds, (kind) => kind, ' | ');
}
