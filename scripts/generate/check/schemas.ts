/** Facts of a schema that contradict each other, or that types cannot have. */
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { forValidator } from '../document/json-schema.ts';
import { entries, list } from '../document/operations.ts';
import { isObject, type Json, type JsonObject, type Source } from '../document/source.ts';
import { documentOf, follow, type Node, nodeOf, nodesOf, reached, refOf, walk } from '../document/walk.ts';
import { isLinear } from './patterns.ts';

type Schema = Node & { readonly value: JsonObject };

/** Refuses the first description or schema whose meaning would be lost or changed. */
export function checkSchemas(source: Source): void {
  const requested = requestedBy(source);
  walk(documentOf(source), true, (node, shapesType) => {
    const { kind, value, place, under } = node;
    if (!isObject(value)) return undefined;
    const tagged = commented.find((key) => [value[key]].flat().some((text) => typeof text === 'string' && hasTag(text)));
    if (tagged !== undefined) throw source.error([...place, tagged], 'a word that begins with @ is a tag of a doc comment: write it in backticks');
    if (kind !== 'schema') return true;
    // A condition has no part in types.
    const shapes = shapesType && !['if', 'then', 'else', 'not', 'contains', 'propertyNames', 'x-known-shapes'].includes(under);
    const schema = { ...node, value };
    checkPattern(source, schema, requested.has(value));
    checkRanges(source, schema);
    checkWords(source, schema);
    checkAnnotated(source, schema);
    checkPlace(source, schema);
    checkDiscriminator(source, schema);
    if (value['allOf'] !== undefined) checkClosed(source, schema);
    if (shapes) checkType(source, schema);
    return shapes;
  });
}

/** Keys whose texts go into doc comments. */
const commented = ['summary', 'title', 'description', 'default', 'example', 'examples'];

function hasTag(text: string): boolean {
  return /(?:^|\s)@(?=\w)/.test(text.replaceAll(/`[^`]*`/g, '``'));
}

/** The schemas of requests, whose rules run. */
function requestedBy(source: Source): ReadonlySet<Json> {
  const seen = new Set<string>();
  const parts = nodesOf(documentOf(source)).filter(({ kind }) => kind === 'body' || kind === 'parameter');
  return new Set(parts.flatMap((part) => reached(source, part, seen)).map(({ value }) => value));
}

function checkPattern(source: Source, { value: { pattern }, place }: Schema, isRequested: boolean): void {
  if (pattern === undefined) return;
  if (!isPattern(pattern)) throw source.error([...place, 'pattern'], 'not a regular expression');
  if (isRequested && !isLinear(String(pattern)))
    throw source.error(
      [...place, 'pattern'],
      'the pattern may take more than linear time: a request can have ^, then characters and classes such as [a-z]{1,64}, without groups and |; write enum for a choice of words',
    );
}

function isPattern(text: Json): boolean {
  try {
    return new RegExp(String(text), 'u') !== undefined;
  } catch {
    return false;
  }
}

/** Lower and upper bounds. An exclusive bound also excludes its equal. */
const bounds = [
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
] as const;

function checkRanges(source: Source, { value, place }: Schema): void {
  for (const [low, high] of bounds) {
    const [from, to] = [value[low], value[high]];
    if (typeof from !== 'number' || typeof to !== 'number') continue;
    if (from > to || (from === to && `${low} ${high}`.includes('exclusive')))
      throw source.error([...place, high], `no value is from ${low} ${from} to ${high} ${to}`);
  }
}

/** Words that a type of a literal can have, and that have the type of the schema. */
function checkWords(source: Source, { value, place }: Schema): void {
  const types = [value['type'] ?? []].flat();
  const words: [place: (string | number)[], word: Json][] = [
    ...list(value['enum']).map((word, index): [(string | number)[], Json] => [[...place, 'enum', index], word]),
    ...('const' in value ? [[[...place, 'const'], value['const'] ?? null] as [(string | number)[], Json]] : []),
    ...list(value['x-extensible-enum']).map((word, index): [(string | number)[], Json] => [[...place, 'x-extensible-enum', index], word]),
  ];
  for (const [at, word] of words) {
    if (typeof word === 'object' && (word !== null || at.at(-1) === 'const'))
      throw source.error(
        at,
        word === null ? "null is no word: write type: 'null'" : 'a word is a text, a number or a switch: write properties or items',
      );
    const type = word === null ? 'null' : typeof word;
    if (types.length > 0 && !types.includes(type) && !(type === 'number' && Number.isInteger(word) && types.includes('integer')))
      throw source.error(at, `${JSON.stringify(word)} is not of type ${types.join(' or ')}`);
  }
}

/** Words with a description each would be a union whose parts have no place of their own. */
function checkAnnotated(source: Source, { value, place }: Schema): void {
  for (const key of ['anyOf', 'oneOf']) {
    const branches = list(value[key]);
    const words = branches.flatMap((one) => (isObject(one) && one['const'] !== undefined ? [one['const']] : []));
    if (words.length > 0 && words.length === branches.length)
      throw source.error(
        [...place, key],
        `a choice of words is one list: write enum: ${JSON.stringify(words)}, and what each means in the description`,
      );
  }
}

/** Extensions that count in one place only. */
function checkPlace(source: Source, { value, place, under }: Schema): void {
  const isNamed = place.length === 3 && place[1] === 'schemas';
  if (value['x-type-name'] !== undefined && !isNamed) throw source.error([...place, 'x-type-name'], 'only a schema of components.schemas has a name');
  const isField = under === 'properties' || (place.at(-1) === 'schema' && place.includes('parameters'));
  if (value['x-option'] !== undefined && !isField) throw source.error([...place, 'x-option'], 'only a field or a parameter can be an option');
  if (value['x-filled'] !== undefined && under !== 'properties') throw source.error([...place, 'x-filled'], 'only a field can be filled in');
}

/** A discriminator repeats which branch a word belongs to. It must agree with the words of the branches. */
function checkDiscriminator(source: Source, { value, place }: Schema): void {
  const { discriminator } = value;
  if (!isObject(discriminator)) return;
  const at = [...place, 'discriminator'];
  const { propertyName: name, mapping, ...others } = discriminator;
  const [odd] = Object.keys(others);
  if (odd !== undefined) throw source.error([...at, odd], `unknown key ${odd} of a discriminator; use one of propertyName, mapping`);
  if (typeof name !== 'string') throw source.error([...at, 'propertyName'], 'must be the name of a field');
  const key = ['oneOf', 'anyOf'].find((one) => value[one] !== undefined);
  if (key === undefined) throw source.error(at, 'needs oneOf or anyOf beside it');
  const words = new Map<string | undefined, Json[]>();
  for (const [index, branch] of list(value[key]).entries()) {
    const own = (fieldsOf(source, branch).get(name) ?? []).flatMap((one) => {
      const field = follow(source.value, one);
      return field['const'] === undefined ? list(field['enum']) : [field['const']];
    });
    if (own.length === 0) throw source.error([...place, key, index], `has no word of ${name}, which the discriminator names: write const there`);
    words.set(refOf(branch), own);
  }
  for (const [word, target] of entries(mapping)) {
    const ref = String(target).startsWith('#/') ? String(target) : `#/components/schemas/${target}`;
    if (!words.get(ref)?.includes(word)) throw source.error([...at, 'mapping', word], `no branch ${target} has ${name} ${word}: write its const`);
  }
}

/** The fields of a schema, and of the parts that it consists of, each as it is written. */
function fieldsOf(source: Source, schema: Json): Map<string, Json[]> {
  const fields = new Map<string, Json[]>();
  for (const { value } of reached(source, nodeOf('schema', schema, []), new Set(), ({ under }) => ['', 'allOf'].includes(under)))
    for (const [name, field] of entries(isObject(value) ? value['properties'] : undefined)) fields.set(name, [...(fields.get(name) ?? []), field]);
  return fields;
}

/** An object that is closed to the fields of another part leaves no value with both. */
function checkClosed(source: Source, { value, place }: Schema): void {
  const parts = [...(value['properties'] === undefined ? [] : [value]), ...list(value['allOf'])];
  for (const part of parts) {
    const closed = reached(source, nodeOf('schema', part, []), new Set(), ({ under }) => ['', 'allOf'].includes(under)).find(
      (one) => isObject(one.value) && one.value['additionalProperties'] === false,
    );
    const own = closed && fieldsOf(source, { ...(closed.value as JsonObject), allOf: [] });
    const other = own && [...fieldsOf(source, value).keys()].find((name) => !own.has(name));
    if (other !== undefined)
      throw source.error([...place, 'allOf'], `a part with additionalProperties: false excludes ${other} of another part: leave the keyword out`);
  }
}

/** Keywords that decide the type. */
const shaping = ['type', 'properties', 'required', 'items', 'prefixItems', 'additionalProperties', 'allOf', 'enum', 'const', 'format'];

/** Keywords that count for values of one type only. */
const keysOfType: Readonly<Record<string, string>> = {
  'number integer': 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
  string: 'minLength maxLength pattern',
  array: 'minItems maxItems uniqueItems contains minContains maxContains',
  object: 'properties additionalProperties propertyNames required minProperties maxProperties',
};

/** Combinations of keywords of which a part would be missing in the types. */
function checkType(source: Source, { value, place, under }: Schema): void {
  const has = (key: string): boolean => value[key] !== undefined;
  if (refOf(value) !== undefined) {
    const lost = [...shaping, 'anyOf', 'oneOf', 'x-extensible-enum', 'x-typescript'].find(has);
    if (lost !== undefined) throw source.error([...place, lost], `is lost beside $ref: write allOf with the reference and the rest`);
  }
  for (const key of ['anyOf', 'oneOf']) {
    const beside = shaping.find(has);
    if (list(value[key]).some((branch) => !onlyRequires(branch)) && beside !== undefined)
      throw source.error([...place, key], `beside ${beside} it becomes another type: write allOf with both`);
  }
  const types = [value['type'] ?? []].flat();
  for (const key of ['items', 'prefixItems'])
    if (has(key) && !types.includes('array')) throw source.error([...place, key], 'has no type without type: array beside it');
  if (has('prefixItems') && has('items')) throw source.error([...place, 'items'], 'is lost beside prefixItems: leave one out');
  if (types.length > 1 && has('allOf')) throw source.error([...place, 'type'], 'a list of types beside allOf is lost: write anyOf of both');
  for (const [type, keys] of Object.entries(keysOfType)) {
    const odd = keys.split(' ').find(has);
    if (odd !== undefined && types.length > 0 && !type.split(' ').some((one) => types.includes(one)))
      throw source.error([...place, odd], `has no effect on type ${types.join(', ')}: it is for ${type.replace(' ', ' or ')}`);
  }
  for (const key of ['x-extensible-enum', 'x-typescript', 'format'])
    if (has(key) && types.length === 0) throw source.error([...place, key], 'has no effect without type beside it');
  if (has('x-extensible-enum') && !['string', 'integer'].some((type) => types.includes(type)))
    throw source.error([...place, 'x-extensible-enum'], 'only texts and integers have words');
  checkOtherFields(source, value, place);
  checkRequired(source, { value, place, under });
}

/** TypeScript has no object whose declared fields differ in type from all others: no literal fits it. */
function checkOtherFields(source: Source, value: JsonObject, place: Schema['place']): void {
  const typesOf = (schema: Json | undefined): readonly Json[] => {
    const types = [(isObject(schema) && follow(source.value, schema)['type']) || []].flat();
    return types.includes('number') ? [...types, 'integer'] : types;
  };
  const others = typesOf(value['additionalProperties']);
  const fields = Object.entries(isObject(value['properties']) ? value['properties'] : {});
  const odd = others.length === 0 ? undefined : fields.find(([, field]) => typesOf(field).some((type) => !others.includes(type)));
  if (odd)
    throw source.error([...place, 'additionalProperties'], `no type of TypeScript fits ${odd[0]} and the other fields: allow the types of both`);
}

function checkRequired(source: Source, { value, place, under }: Pick<Schema, 'value' | 'place' | 'under'>): void {
  // A branch of a union that only requires has no part in types; its rule counts.
  if (['anyOf', 'oneOf'].includes(under) && onlyRequires(value)) return;
  const fields = fieldsOf(source, value);
  for (const key of ['required', 'x-usual']) {
    const lost = list(value[key]).findIndex((name) => !fields.has(String(name)));
    if (lost < 0) continue;
    const cure = under === 'allOf' ? `write ${key} beside allOf` : 'declare it, or correct the name';
    throw source.error([...place, key, lost], `${list(value[key])[lost]} is no field of the type: ${cure}`);
  }
}

function onlyRequires(branch: Json): boolean {
  return isObject(branch) && Object.keys(branch).every((key) => key === 'required');
}

/** Refuses a default or an example of a schema that breaks the schema. */
export function checkValues(source: Source, ajv: Ajv2020): void {
  walk(documentOf(source), true, ({ kind, value, place }) => {
    if (kind !== 'schema' || !isObject(value)) return true;
    const values: [(string | number)[], Json][] = list(value['examples']).map((one, index) => [['examples', index], one]);
    if (value['default'] !== undefined) values.push([['default'], value['default']]);
    if (values.length === 0) return true;
    const validate = ajv.compile(forValidator(value) as JsonObject);
    for (const [at, one] of values)
      if (!validate(one)) throw source.error([...place, ...at], `does not fit its schema: ${validate.errors?.[0]?.message}`);
    return true;
  });
}
