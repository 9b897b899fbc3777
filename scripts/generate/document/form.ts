/** How a form sends its fields, from their schemas and `encoding`. */
import { mediaTypeOf } from './media-type.ts';
import { type Body, entries } from './operations.ts';
import { isObject, type Json, type Source } from './source.ts';
import { isOfSameValue, type Node, nodeOf, type Place, reached, refOf } from './walk.ts';

export interface FormPart {
  readonly as: 'text' | 'json' | 'file' | 'files';
  readonly type: string | undefined;
}

/** The fields of a form, in the order of the document. Throws for a value that a form cannot have, or an encoding that the client cannot write. */
export function formOf(source: Source, { schema, encoding, place }: Body): Map<string, FormPart> {
  const form = new Map<string, FormPart>();
  for (const { value, place: at } of valuesOf(source, schema, [...place, 'schema'])) {
    if (!isObject(value)) continue;
    refuseFiles(source, value['additionalProperties'] ?? true, [...at, 'additionalProperties']);
    for (const [name, field] of entries(value['properties'])) {
      const own = [...at, 'properties', name];
      if (uploadOptions.includes(name))
        throw source.error(own, `${name} is an option of every upload, which is not sent: no call could send the field`);
      const as = formOfField(source, field, own);
      if (as === 'text') checkServed(source, field, own, entries(encoding).find(([one]) => one === name)?.[1]);
      form.set(name, { as, type: as === 'json' ? 'application/json' : undefined });
    }
  }
  for (const [name, one] of entries(encoding)) {
    const at = [...place, 'encoding', name];
    const part = form.get(name);
    if (!part) throw source.error(at, `the form has no field ${name}`);
    const type = isObject(one) ? one['contentType'] : undefined;
    if (type === undefined) continue;
    const isJson = mediaTypeOf(String(type)) === 'application/json';
    if (isJson && part.as === 'text')
      throw source.error([...at, 'contentType'], `${name} is a text, not JSON: write type: object, or leave the type out`);
    if (!isJson && part.as === 'json')
      throw source.error([...at, 'contentType'], 'an object is sent as JSON: write application/json, or leave the type out');
    form.set(name, { ...part, type: String(type) });
  }
  return form;
}

/** Options in addition to the fields of an upload: see `UploadOptions` of the client. */
const uploadOptions = ['filename', 'contentType', 'onProgress'];

/** A schema and those that are about the same value. */
function valuesOf(source: Source, schema: Json, place: Place): Node[] {
  return reached(source, nodeOf('schema', schema, place), new Set(), isOfSameValue);
}

function formOfField(source: Source, schema: Json, place: Place): FormPart['as'] {
  const forms = new Set<FormPart['as']>();
  for (const { value, place: at } of valuesOf(source, schema, place)) {
    if (!isObject(value) || refOf(value) !== undefined) continue;
    const form = formOfValue(source, value, at);
    if (form) forms.add(form);
  }
  // A field may take one file or several.
  if (forms.has('files')) forms.delete('file');
  const [form = 'text', other] = forms;
  if (other !== undefined) throw source.error(place, `is ${form} or ${other} in a form, and the client could not tell which: write two fields`);
  return form;
}

/** Undefined for a schema that has no type of its own. */
function formOfValue(source: Source, value: { readonly [key: string]: Json }, place: Place): FormPart['as'] | undefined {
  const types = [value['type'] ?? []].flat();
  if (value['format'] === 'binary') return 'file';
  if (types.includes('object') || value['properties'] !== undefined) {
    refuseFiles(source, value, place);
    return 'json';
  }
  if (!types.includes('array')) return types.length > 0 || value['enum'] !== undefined || value['const'] !== undefined ? 'text' : undefined;
  const items = formOfField(source, value['items'] ?? true, [...place, 'items']);
  const isNested = valuesOf(source, value['items'] ?? true, place).some((one) => isObject(one.value) && [one.value['type']].flat().includes('array'));
  if (isNested) throw source.error([...place, 'items'], 'a form has no list of lists: write one list');
  return items === 'file' ? 'files' : items;
}

/** Prism keeps the last text of a name, and takes it for a list only with an encoding of its own. */
function checkServed(source: Source, field: Json, place: Place, encoding: Json | undefined): void {
  const lists = valuesOf(source, field, place).filter((one) => isObject(one.value) && [one.value['type']].flat().includes('array'));
  for (const { value, place: at } of lists) {
    if (!isObject(encoding) || encoding['style'] === undefined)
      throw source.error(place, `Prism, the mock, takes it for one text: write { style: form, explode: true } for ${place.at(-1)} into encoding`);
    if (isObject(value) && Number(value['minItems'] ?? 0) > 1)
      throw source.error([...at, 'minItems'], 'Prism, the mock, reads one text of such a list: leave it out');
  }
}

function refuseFiles(source: Source, value: Json, place: Place): void {
  const file = reached(source, nodeOf('schema', value, place), new Set()).find((one) => isObject(one.value) && one.value['format'] === 'binary');
  if (file) throw source.error([...file.place, 'format'], 'a form sends a file as a field of its own: declare it there');
}
