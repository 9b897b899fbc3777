/** The form of every node: keys that the table of kinds has, values of their form, and references that lead to a node of the same kind. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { namesOf } from '../../../src/overlay/json/pointer.ts';
import { type KindName, kindOf, type Leaf } from '../document/kinds.ts';
import { isObject, type Json, type JsonObject, resolve, type Source } from '../document/source.ts';
import { documentOf, type Node, nodeOf, type Place, reached, refOf, rowOf, walk } from '../document/walk.ts';

/** Refuses the first node that the generator would lose or misread. */
export function checkTree(source: Source): void {
  walk(documentOf(source), false, (node, isInSchema) => {
    const { kind, value, place } = node;
    if (typeof value === 'boolean' && kind === 'schema') return undefined;
    if (!isObject(value)) throw source.error(place, kind === 'schema' ? 'a schema must be an object or a boolean' : 'must be a map');
    const ref = refOf(value);
    if (ref !== undefined && !ref.startsWith('#/'))
      throw source.error([...place, '$ref'], `${ref} is another file: npx redocly bundle ${source.file} -o bundled.yaml writes one document of both`);
    for (const [key, child] of Object.entries(value)) checkKey(source, kind, key, child, [...place, key]);
    if (ref !== undefined) checkReference(source, node, ref);
    else checkNeeds(source, node, value);
    if (kind === 'schema' && !isInSchema) checkForm(source, value, place);
    return kind === 'schema';
  });
  checkLoops(source);
}

function checkKey(source: Source, kind: KindName, key: string, value: Json, place: Place): void {
  const row = rowOf(kind, key);
  if (!row) throw source.error(place, unknownKey(kind, key));
  if ('cure' in row) throw source.error(place, kind === 'schema' ? `unsupported keyword ${key}: ${row.cure}` : `${key} is not compiled: ${row.cure}`);
  const { form } = row;
  if (!('shape' in form)) return checkLeaf(source, form, value, place);
  if (form.shape === 'list' && !Array.isArray(value)) throw source.error(place, 'must be a list');
  if (form.shape !== 'map') return;
  if (!isObject(value)) throw source.error(place, 'must be a map');
  if (form.names) for (const name of Object.keys(value)) checkLeaf(source, form.names, name, [...place, name]);
}

function checkNeeds(source: Source, { kind, place }: Node, value: JsonObject): void {
  const { title, needs = [] } = kindOf(kind);
  const missing = needs.find((key) => value[key] === undefined);
  if (missing !== undefined) throw source.error([...place, missing], `missing: ${title} needs ${needs.join(', ')}`);
  if (value['example'] !== undefined && value['examples'] !== undefined)
    throw source.error([...place, 'examples'], 'is lost beside example: leave one out');
}

function checkLeaf(source: Source, { isValid, must }: Leaf, value: Json, place: Place): void {
  if (!isValid(value)) throw source.error(place, must);
}

function unknownKey(kind: KindName, key: string): string {
  const { title, keys } = kindOf(kind);
  const known = Object.entries(keys).flatMap(([name, row]) => ('form' in row && name.startsWith('x-') === key.startsWith('x-') ? [name] : []));
  if (key.startsWith('x-')) return `unknown extension ${key}; use one of ${known.join(', ')}`;
  return kind === 'schema' ? `unsupported keyword ${key}` : `unknown key ${key} of ${title}; use one of ${known.join(', ')}`;
}

function checkReference(source: Source, { kind, value, place }: Node, ref: string): void {
  const at = [...place, '$ref'];
  const [first, section, ...name] = namesOf(ref);
  const wanted = kindOf(kind).section;
  const target = resolve(source.value, ref);
  if (target === undefined) throw source.error(at, `${ref} does not exist`);
  if (first !== 'components' || section !== wanted || name.length !== 1) throw source.error(at, `must name a part of components.${wanted}`);
  if (kind === 'schema') return;
  const [beside] = Object.keys(value as JsonObject).filter((key) => key !== '$ref');
  if (beside !== undefined) throw source.error([...place, beside], 'is lost beside $ref: leave it out, or write the whole node here');
  if (refOf(target) !== undefined) throw source.error(at, `${ref} is a reference too: name its target`);
}

const metaschema = new Ajv2020({ validateFormats: false });

/** Refuse invalid JSON Schema, for instance `type: strng` or `required: true`. */
function checkForm(source: Source, schema: JsonObject, place: Place): void {
  if (metaschema.validateSchema(schema)) return;
  const [first] = metaschema.errors ?? [];
  throw source.error([...place, ...namesOf(first?.instancePath ?? '')], `not JSON Schema: ${first?.message}`);
}

/** Keywords whose schemas are about the same value. */
const ofSameValue = new Set(['', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not']);

/** Refuse a schema that consists of itself: it has no type, and its rule has no end. */
function checkLoops(source: Source): void {
  const { components } = source.value;
  const schemas = isObject(components) ? components['schemas'] : undefined;
  if (!isObject(schemas)) throw source.error(['components', 'schemas'], 'missing');
  for (const [name, schema] of Object.entries(schemas)) {
    const place = ['components', 'schemas', name];
    const nodes = reached(source, nodeOf('schema', schema, place), new Set(), ({ under }) => ofSameValue.has(under));
    const back = nodes.find(({ value }) => refOf(value) === `#/${place.join('/')}`);
    if (back) throw source.error([...back.place, '$ref'], `${name} refers to itself: such a schema has no end`);
  }
}
