import { asSchema, entry, isObject, isTrivial, type JsonSchema, type MutableSchema, mapOf, namesOf, put, type Subschema } from './json-schema.ts';
import { ANNOTATIONS } from './keywords.ts';
import { MAX_PATTERNS, Members, matches } from './pattern.ts';
import { boundedText, joinText, schemaText, valuesText, valueText, withHint } from './text.ts';
import { OBJECT } from './types.ts';
import { onlyOne, uniteBounds } from './union-scalar.ts';
import { equalData, joinValues, valuesOf } from './values.ts';

type Unite = (schemas: readonly Subschema[]) => Subschema;

/** Text for the description, for constraints that keywords cannot express. */
export interface ObjectWords {
  /** Label of each branch: its discriminator or its title. Branches without either have no label. */
  readonly labels: ReadonlyMap<JsonSchema, string>;
  readonly note?: string;
}

const MAX_LABEL = 200;

/** Writes the object keywords of a union. Every branch must allow objects. */
export function uniteObjects(united: MutableSchema, branches: readonly JsonSchema[], unite: Unite): ObjectWords {
  const discriminator = findDiscriminator(branches);
  const labels = new Map<JsonSchema, string>();
  for (const branch of branches) {
    const label = discriminator === undefined ? branch['title'] : `${discriminator} ${valuesText(discriminatorValues(branch, discriminator))}`;
    if (typeof label === 'string' && label !== '') labels.set(branch, boundedText(label, MAX_LABEL));
  }
  if (onlyOne(united, branches, OBJECT)) return { labels };
  const properties = uniteProperties(branches, discriminator, labels, unite);
  const patterns = unitePatterns(branches, unite);
  if (Object.keys(properties).length > 0) united['properties'] = properties;
  const required = shared(branches.map((branch) => namesOf(branch['required'])));
  if (required.length > 0) united['required'] = required;
  if (Object.keys(patterns).length > 0) united['patternProperties'] = patterns;
  const rest = unite(branches.flatMap((branch) => [restOf(branch), ...otherPatterns(branch, patterns)]));
  if (!isTrivial(rest)) united['additionalProperties'] = rest;
  uniteOthers(united, branches, unite);
  return { labels, ...requirementNote(branches, required, discriminator) };
}

function restOf(branch: JsonSchema): Subschema {
  return asSchema(branch['additionalProperties']);
}

function uniteProperties(
  branches: readonly JsonSchema[],
  discriminator: string | undefined,
  labels: ReadonlyMap<JsonSchema, string>,
  unite: Unite,
): MutableSchema {
  const united: MutableSchema = {};
  const members = branches.map((branch) => new Members(branch));
  const names = new Set(members.flatMap(({ own }) => Object.keys(own)));
  for (const name of names) {
    const listing = branches.filter((_, index) => Object.hasOwn(members[index]?.own ?? {}, name));
    const demands = members.map((one) => one.of(name));
    if (listing.length === branches.length) {
      put(united, name, unite(demands));
      continue;
    }
    // If another branch accepts any value for this name, a type would reject those values. Describe it in text instead.
    const open = demands.some(isTrivial);
    const schema = unite(open ? members.filter(({ own }) => Object.hasOwn(own, name)).map((one) => one.of(name)) : demands);
    const condition = conditionText(listing, discriminator, labels);
    put(united, name, open ? hinted(annotations(schema), schemaText(schema), condition) : hinted(schema, '', condition));
  }
  return united;
}

function annotations(schema: Subschema): JsonSchema {
  return isObject(schema) ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword))) : {};
}

function hinted(schema: Subschema, type: string, condition: string): Subschema {
  const hint = joinText([type === 'anything' ? '' : type, condition], '; ');
  return isObject(schema) && hint !== '' ? { ...schema, description: withHint(schema['description'], hint) } : schema;
}

function conditionText(listing: readonly JsonSchema[], discriminator: string | undefined, labels: ReadonlyMap<JsonSchema, string>): string {
  if (discriminator !== undefined)
    return `only when ${discriminator} is ${valuesText(joinValues(listing.map((branch) => discriminatorValues(branch, discriminator))))}`;
  return listing.every((branch) => labels.has(branch))
    ? `only for ${joinText(
        listing.map((branch) => labels.get(branch)),
        ' or ',
      )}`
    : '';
}

/** The first property for which every branch lists values that no other branch lists. */
function findDiscriminator(branches: readonly JsonSchema[]): string | undefined {
  const [first, ...others] = branches;
  if (first === undefined || others.length === 0) return undefined;
  return Object.keys(mapOf(first['properties'])).find((name) => {
    const lists = branches.map((branch) => discriminatorValues(branch, name));
    return lists.every((list) => list.length > 0) && joinValues(lists).length === lists.reduce((sum, list) => sum + list.length, 0);
  });
}

/** Maximum values that identify a branch. A property with more is not a discriminator. */
const MAX_TELLING = 64;

function discriminatorValues(branch: JsonSchema, name: string): readonly unknown[] {
  const property = entry(mapOf(branch['properties']), name);
  const values = isObject(property) ? (valuesOf(property) ?? []) : [];
  return values.length > MAX_TELLING ? [] : values;
}

/**
 * Keeps a pattern that constrains its names in every branch. A branch without patterns constrains them by
 * `additionalProperties` and by its listed properties that may match the pattern.
 */
function unitePatterns(branches: readonly JsonSchema[], unite: Unite): MutableSchema {
  const united: MutableSchema = {};
  const patterns = new Set(branches.flatMap((branch) => Object.keys(mapOf(branch['patternProperties']))));
  if (patterns.size > MAX_PATTERNS) return united;
  for (const pattern of patterns) {
    const schemas = branches.flatMap((branch): Subschema[] => {
      const own = mapOf(branch['patternProperties']);
      if (Object.hasOwn(own, pattern)) return [asSchema(own[pattern])];
      if (Object.keys(own).length > 0) return [true];
      const listed = Object.entries(mapOf(branch['properties'])).filter(([name]) => matches(pattern, name) !== false);
      return [restOf(branch), ...listed.map(([, schema]) => asSchema(schema))];
    });
    const schema = unite(schemas);
    if (!isTrivial(schema)) put(united, pattern, schema);
  }
  return united;
}

/** Schemas of the dropped patterns. Their names become additional properties. */
function otherPatterns(branch: JsonSchema, kept: JsonSchema): Subschema[] {
  return Object.entries(mapOf(branch['patternProperties']))
    .filter(([pattern]) => !Object.hasOwn(kept, pattern))
    .map(([, schema]) => asSchema(schema));
}

function uniteOthers(united: MutableSchema, branches: readonly JsonSchema[], unite: Unite): void {
  uniteBounds(united, branches, 'minProperties', 'maxProperties');
  if (branches.every((branch) => branch['propertyNames'] !== undefined)) {
    united['propertyNames'] = unite(branches.map((branch) => asSchema(branch['propertyNames'])));
  }
  const [first = {}, ...others] = branches;
  const dependent: MutableSchema = {};
  for (const name of Object.keys(mapOf(first['dependentRequired']))) {
    const names = shared(branches.map((branch) => namesOf(entry(mapOf(branch['dependentRequired']), name))));
    if (names.length > 0) put(dependent, name, names);
  }
  if (Object.keys(dependent).length > 0) united['dependentRequired'] = dependent;
  const schemas = first['dependentSchemas'];
  if (schemas !== undefined && others.every((branch) => equalData(branch['dependentSchemas'], schemas) === true))
    united['dependentSchemas'] = schemas;
}

function shared(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  const sets = others.map((list) => new Set(list));
  return first.filter((name) => sets.every((set) => set.has(name)));
}

/** `anyOf: [{ required: ['a'] }, { required: ['b'] }]` has no equivalent in the subset, so the description states it for the model. */
function requirementNote(branches: readonly JsonSchema[], required: readonly string[], discriminator: string | undefined): { note?: string } {
  if (discriminator !== undefined) return {};
  const shared = new Set(required);
  const groups = branches.map((branch) => namesOf(branch['required']).filter((name) => !shared.has(name)));
  if (groups.some((group) => group.length === 0)) return {};
  // Each name takes at least three characters, so 100 of them exceed the limit of 300.
  const texts = groups.slice(0, 100).map((group) => group.slice(0, 100).map(valueText).join(' and '));
  return { note: boundedText(`requires ${joinText(texts, groups.some((group) => group.length > 1) ? ', or ' : ' or ')}`, 300) };
}
