import { isFields } from '../json/json-value.ts';
import { asSchema, entry, type JsonSchema, type MutableSchema, mapOf, namesOf, put, valuesOf } from '../json/schema.ts';
import { ANNOTATIONS } from './keywords.ts';
import type { FlatValue } from './pass.ts';
import { boundedText, joinText, type ObjectWords, schemaText, valuesText, valueText, withHint } from './text.ts';
import { joinValues } from './values.ts';

type Unite = (schemas: readonly FlatValue[]) => FlatValue;

/** Whether the schema is `true` or has no keywords. */
function isTrivial(schema: FlatValue): boolean {
  return schema === true || (isFields(schema) && Object.keys(schema).length === 0);
}

const MAX_LABEL = 200;

/** Writes the keywords of objects that a union reads together. Every branch must admit objects. */
export function uniteObjects(united: MutableSchema, branches: readonly JsonSchema[], unite: Unite): ObjectWords {
  const discriminator = findDiscriminator(branches);
  const labels = new Map<JsonSchema, string>();
  for (const branch of branches) {
    const label = discriminator === undefined ? branch['title'] : `${discriminator} ${valuesText(discriminatorValues(branch, discriminator))}`;
    if (typeof label === 'string' && label !== '') labels.set(branch, boundedText(label, MAX_LABEL));
  }
  if (branches.length < 2) return { labels };
  const properties = uniteProperties(branches, discriminator, labels, unite);
  if (Object.keys(properties).length > 0) united['properties'] = properties;
  const required = shared(branches.map((branch) => namesOf(branch['required'])));
  if (required.length > 0) united['required'] = required;
  const rest = unite(branches.map((branch) => asSchema(branch['additionalProperties'])));
  if (isTrivial(rest)) delete united['additionalProperties'];
  else united['additionalProperties'] = rest;
  return { labels, ...requirementNote(branches, required, discriminator) };
}

function uniteProperties(
  branches: readonly JsonSchema[],
  discriminator: string | undefined,
  labels: ReadonlyMap<JsonSchema, string>,
  unite: Unite,
): MutableSchema {
  const united: MutableSchema = {};
  const listed = branches.map((branch) => mapOf(branch['properties']));
  for (const name of new Set(listed.flatMap((own) => Object.keys(own)))) {
    const listing = branches.filter((_, index) => Object.hasOwn(listed[index] ?? {}, name));
    const demands = listed.map((own, index) => asSchema(Object.hasOwn(own, name) ? own[name] : branches[index]?.['additionalProperties']));
    if (listing.length === branches.length) {
      put(united, name, unite(demands));
      continue;
    }
    // If a branch accepts any value for this name, a type would reject those values. Describe it in text instead.
    const open = demands.some(isTrivial);
    const schema = unite(open ? demands.filter((_, index) => Object.hasOwn(listed[index] ?? {}, name)) : demands);
    const condition = conditionText(listing, discriminator, labels);
    put(united, name, open ? hinted(annotations(schema), schemaText(schema), condition) : hinted(schema, '', condition));
  }
  return united;
}

function annotations(schema: FlatValue): JsonSchema {
  return isFields(schema) ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword))) : {};
}

function hinted(schema: FlatValue, type: string, condition: string): FlatValue {
  const hint = joinText([type === 'anything' ? '' : type, condition], '; ');
  return isFields(schema) && hint !== '' ? { ...schema, description: withHint(schema['description'], hint) } : schema;
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
  const values = isFields(property) ? (valuesOf(property) ?? []) : [];
  return values.length > MAX_TELLING ? [] : values;
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
