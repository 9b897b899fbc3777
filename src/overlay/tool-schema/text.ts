import { bounded, cut } from '../json/cut.ts';
import { isFields } from '../json/json-value.ts';
import { ANY, declaredTypes, entry, isSubschema, type JsonSchema, mapOf, namesOf, type Subschema, typeNames, valuesOf } from '../json/schema.ts';
import { remembered } from './values.ts';

/** Maximum characters that a rewrite adds to one description. */
export const MAX_ADDED_TEXT = 4_000;

/** Joins the distinct, non-empty texts. Stops after `limit` characters, where the caller cuts the result. */
export function joinText(texts: readonly (string | undefined)[], separator: string, limit: number = Number.POSITIVE_INFINITY): string {
  const parts = new Set<string>();
  let length = 0;
  for (const text of texts) {
    if (text === undefined || text === '' || parts.has(text)) continue;
    parts.add(text);
    length += text.length;
    if (length > limit) break;
  }
  return [...parts].join(separator);
}

/** Limits text that a rewrite adds to a schema. A description that stays in its schema is never cut. */
export function boundedText(text: string, limit: number = MAX_ADDED_TEXT): string {
  return bounded(text, limit);
}

/** The description followed by a hint that the client adds. */
export function withHint(description: unknown, hint: string): string {
  const text = boundedText(hint);
  return typeof description === 'string' && description !== '' ? `${description} (${text})` : text;
}

export function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'bigint') return String(value);
  return boundedText(JSON.stringify(typeof value === 'string' ? cut(value, 100) : value) ?? 'null', 80);
}

const MAX_LISTED = 12;

/** `"a" or "b"`, with at most `MAX_LISTED` values. */
export function valuesText(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map(valueText);
  if (values.length > MAX_LISTED) shown.push('…');
  return joinText(shown, ' or ');
}

/** A short description of a schema, for the model: `array of string`, `object {path: string, line?: integer}`. */
export function schemaText(schema: Subschema): string {
  return isFields(schema) ? textOfSchema(schema) : describe(schema, 0);
}

const textOfSchema = /* @__PURE__ */ remembered((schema: JsonSchema) => boundedText(describe(schema, 0), 300));

const MAX_WORD = 100;

function describe(schema: Subschema, depth: number): string {
  if (!isFields(schema)) return schema ? 'anything' : 'nothing';
  const values = valuesOf(schema);
  if (values !== undefined && values.length > 0) return valuesText(values);
  const types = declaredTypes(schema);
  if (types === ANY) return schema['properties'] === undefined ? 'anything' : describeObject(schema, depth);
  return joinText(
    typeNames(types).map((name) => {
      if (name === 'object') return describeObject(schema, depth);
      if (name === 'array') return describeArray(schema, depth);
      const format = schema['format'];
      return typeof format === 'string' && name === 'string' ? `string (${boundedText(format, MAX_WORD)})` : name;
    }),
    ' or ',
  );
}

function describeArray(schema: JsonSchema, depth: number): string {
  const items = schema['items'];
  return isFields(items) && depth < 2 ? `array of ${describe(items, depth + 1)}` : 'array';
}

function describeObject(schema: JsonSchema, depth: number): string {
  const properties = mapOf(schema['properties']);
  const names = Object.keys(properties);
  if (names.length === 0 || depth >= 2) return 'object';
  const required = new Set(namesOf(schema['required']));
  const shown = names.slice(0, MAX_LISTED).map((name) => {
    const property = entry(properties, name);
    return `${boundedText(name, MAX_WORD)}${required.has(name) ? '' : '?'}: ${isSubschema(property) ? describe(property, depth + 1) : 'anything'}`;
  });
  if (names.length > MAX_LISTED) shown.push('…');
  return `object {${shown.join(', ')}}`;
}

/** Text for the description, for constraints that keywords cannot express. */
export interface ObjectWords {
  /** Label of each branch: its discriminator or its title. Branches without either have no label. */
  readonly labels: ReadonlyMap<JsonSchema, string>;
  readonly note?: string;
}

/**
 * The descriptions of the branches as one text: `"a": First; "b": Second`. Set `spellOut` if the merged schema is wider than the
 * branches: it also lists branches without a description.
 */
export function branchText(branches: readonly JsonSchema[], words: ObjectWords, spellOut: boolean): string {
  const labels = branches.map((branch) => words.labels.get(branch) ?? schemaText(branch));
  const alike = branches.every((branch) => branch['title'] === branches[0]?.['title']);
  const texts = branches.map((branch) => ownText(branch, alike));
  // Put complete sentences on separate lines.
  const separator = texts.some((text) => text !== undefined && (text.length > 80 || /[.!?\n]/.test(text))) ? '\n' : '; ';
  return boundedText(joinText([labeledTexts(labels, texts, spellOut, separator), words.note], separator));
}

/** The texts of the branches with their labels. A text or label that all branches share is written once. */
function labeledTexts(labels: readonly string[], texts: readonly (string | undefined)[], spellOut: boolean, separator: string): string {
  const [label, ...otherLabels] = new Set(labels);
  const [text, ...otherTexts] = new Set(texts);
  const names = spellOut && otherLabels.length > 0 ? joinText(labels, ' or ', MAX_ADDED_TEXT) : '';
  if (otherTexts.length === 0) return text === undefined || names === '' ? (text ?? names) : `${text} (${names})`;
  if (label !== undefined && otherLabels.length === 0) return joinText(texts, separator, MAX_ADDED_TEXT);
  return joinText(
    labels.map((name, index) => (texts[index] === undefined ? (spellOut ? name : undefined) : `${name}: ${texts[index]}`)),
    separator,
    MAX_ADDED_TEXT,
  );
}

function ownText(branch: JsonSchema, titlesAlike: boolean): string | undefined {
  const { description, title } = branch;
  if (typeof description === 'string' && description !== '') return boundedText(description);
  // Form schemas document enum values as `{ const: 'cw', title: 'Clockwise' }`.
  if (titlesAlike) return undefined;
  const values = valuesOf(branch);
  return typeof title === 'string' && title !== '' && values?.length === 1 && title !== valueText(values[0]) ? title : undefined;
}
