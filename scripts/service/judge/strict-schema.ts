// The schemas of the document as ajv reads them strictly: closed, with the words of open lists as enums, and unions by their type.

import { type Fields, fieldsOf, isFields } from '../../../src/overlay/json/json-value.ts';
import { stepInto } from '../../../src/overlay/json/pointer.ts';
import { branchesOf, mapOf, namesOf } from '../../../src/overlay/json/schema.ts';
import { SchemaDocument } from '../../../src/overlay/json/schema-document.ts';

export type SchemaNode = Fields;

/** Keyword that notes the place of each schema which a value has shown. */
export const placeKeyword = 'x-place';

/** Marks a list that is open to other words: a caller may send any, and a reply shows a new one. */
export const openKeyword = 'x-open';

const refPrefix = '#/components/schemas/';
const single = ['items', 'additionalProperties', 'propertyNames'];
const inPlace = ['allOf', 'anyOf', 'oneOf'];
const conditions = ['if', 'then', 'else', 'not', 'contains'];
/** Without effect, or handled apart. */
const dropped = new Set(['description', 'example', 'examples', 'default', 'format', 'required']);

export class StrictSchemas {
  readonly #schemas: SchemaNode;
  readonly #document: SchemaDocument;

  /** `schemas` are the components of the document. They refer to each other, and what ajv returns refers to `spec`. */
  constructor(schemas: SchemaNode) {
    this.#schemas = schemas;
    this.#document = new SchemaDocument({ $id: 'spec', $defs: schemas, components: { schemas } });
  }

  /** Every component, open: its use closes it. */
  definitions(): SchemaNode {
    return Object.fromEntries(Object.entries(this.#schemas).map(([name, node]) => [name, this.#open(node, refPrefix + name)]));
  }

  /** The schema of a body. A field that no schema of the value declares is an error. */
  closed(node: unknown, place: string): SchemaNode {
    return this.#applied(node).some((one) => isFields(one['properties']))
      ? { ...this.#open(node, place), unevaluatedProperties: false }
      : this.#open(node, place);
  }

  /** The names that a schema declares for the value in any case of it. */
  names(node: unknown): ReadonlySet<string> {
    return new Set(this.#applied(node).flatMap((one) => Object.keys(mapOf(one['properties']))));
  }

  #open(node: unknown, place: string): SchemaNode {
    if (!isFields(node)) return {};
    if (node['format'] === 'binary') return {};
    const strict: Record<string, unknown> = { [placeKeyword]: place };
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref') strict['$ref'] = toDefinition(value);
      else if (key === 'properties' || key === 'patternProperties') strict[key] = this.#each(value, `${place}/${key}`);
      else if (single.includes(key)) strict[key] = isFields(value) ? this.closed(value, `${place}/${key}`) : value;
      else if (inPlace.includes(key) && Array.isArray(value)) Object.assign(strict, this.#union(key, value, `${place}/${key}`));
      else if (conditions.includes(key)) strict[key] = this.#condition(value);
      else if (key === 'x-extensible-enum' && Array.isArray(value))
        Object.assign(strict, { enum: allows(node, 'null') ? [...value, null] : value, [openKeyword]: true });
      else if (!key.startsWith('x-') && !dropped.has(key)) strict[key] = value;
    }
    const required = [...namesOf(node['required']), ...namesOf(node['x-usual'])];
    return required.length > 0 ? { ...strict, required } : strict;
  }

  #each(fields: unknown, place: string): SchemaNode {
    const entries = Object.entries(fieldsOf(fields));
    return Object.fromEntries(entries.map(([name, node]) => [name, this.closed(node, stepInto(place, name))]));
  }

  /** A union by a constant field, or by types, has the errors of one branch. For any other, ajv has the errors of all. */
  #union(key: string, branches: readonly unknown[], place: string): SchemaNode {
    // Next to another keyword, ajv does not follow the reference to the constant.
    const open = branches.map((branch, index) =>
      isFields(branch) && '$ref' in branch ? { $ref: toDefinition(branch['$ref']) } : this.#open(branch, `${place}/${index}`),
    );
    if (key === 'allOf') return { allOf: open };
    const tag = this.#tag(branches);
    if (tag !== undefined) return { type: 'object', discriminator: { propertyName: tag }, required: [tag], oneOf: open };
    const types = branches.map((branch) => this.#types(branch));
    if (types.some((one) => one.length === 0) || new Set(types.flat()).size < types.flat().length) return { [key]: open };
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    const cases = open.map((branch, index) => ({ if: { type: types[index] }, then: branch }));
    // An anonymous case has no place, so that a value of another type is the union's difference.
    return { type: types.flat(), allOf: cases };
  }

  /** A condition is not a claim, and does not close a value. */
  #condition(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((one) => this.#condition(one));
    if (!isFields(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, name === '$ref' ? toDefinition(value) : this.#condition(value)]));
  }

  /** The required field that has another constant in each branch. */
  #tag(branches: readonly unknown[]): string | undefined {
    const found = branches.map((branch) => this.#target(branch));
    const [first] = found;
    const names = Object.entries(fieldsOf(first?.['properties'])).flatMap(([name, node]) => (isFields(node) && 'const' in node ? [name] : []));
    return names.find((name) =>
      found.every((one) => 'const' in fieldsOf(fieldsOf(one['properties'])[name]) && namesOf(one['required']).includes(name)),
    );
  }

  #types(node: unknown): readonly string[] {
    const { type } = this.#target(node);
    return typeof type === 'string' ? [type] : namesOf(type);
  }

  #applied(node: unknown): readonly SchemaNode[] {
    return [...this.#document.applied(node, casesOf)];
  }

  #target(node: unknown): SchemaNode {
    return fieldsOf(this.#document.target(node));
  }
}

/** Its branches, and the schemas of a condition: each may declare fields. */
function casesOf(node: SchemaNode): SchemaNode[] {
  return [...branchesOf(node), ...[node['then'], node['else']].filter(isFields)];
}

function toDefinition(ref: unknown): string {
  return String(ref).replace(refPrefix, 'spec#/$defs/');
}

function allows({ type }: SchemaNode, name: string): boolean {
  return Array.isArray(type) && type.includes(name);
}
